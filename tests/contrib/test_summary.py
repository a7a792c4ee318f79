"""`tf.contrib.summary`: which events are written, as TensorFlow 1.15 writes them."""

import glob

import placewise as tf
import placewise.compat.v1 as tf1

summary = tf1.contrib.summary


def events(folder):
    return [
        (event.step, value.tag, value.WhichOneof("value"))
        for path in glob.glob(f"{folder}/*.v2")
        for event in tf.compat.v1.train.summary_iterator(path)
        for value in event.summary.value
    ]


def test_summaries_are_written_where_told_to(tmp_path):
    writer = summary.create_file_writer(str(tmp_path))
    step = tf.compat.v1.train.get_or_create_global_step()
    step.assign(0)
    with writer.as_default():
        summary.scalar("unrecorded", 1.0)
        with summary.always_record_summaries():
            summary.scalar("plain", 1.0)
            summary.scalar("of_family", 2.0, family="f")
            summary.histogram("histogram", [1.0, 2.0])
            summary.scalar("of_step", 3.0, step=7)
            summary.image("image", tf.zeros([1, 2, 2, 3]), step=3)
            with summary.never_record_summaries():
                summary.scalar("never", 1.0)
        assert not bool(summary.should_record_summaries())
        for _ in range(4):
            step.assign_add(1)
            with summary.record_summaries_every_n_global_steps(2):
                summary.scalar("every", 1.0)
    summary.flush(writer)
    assert events(tmp_path) == [
        (0, "plain", "simple_value"),
        (0, "f/f/of_family", "simple_value"),
        (0, "histogram", "histo"),
        (7, "of_step", "simple_value"),
        (3, "image/image/0", "image"),
        (2, "every", "simple_value"),
        (4, "every", "simple_value"),
    ]


def test_a_graph_has_its_summaries_and_writers(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        writer = summary.create_file_writer(str(tmp_path))
        step = tf.compat.v1.train.get_or_create_global_step()
        with writer.as_default(), summary.record_summaries_every_n_global_steps(2):
            summary.scalar("a", tf.constant(1.5))
        increment = tf.compat.v1.assign_add(step, 1)
        session.run(tf.compat.v1.global_variables_initializer())
        with writer.as_default():
            summary.initialize(session=session)
            assert len(summary.all_summary_ops()) == 1
            for _ in range(4):
                session.run(summary.all_summary_ops())
                session.run(increment)
            session.run(summary.flush())
    assert events(tmp_path) == [(0, "a", "simple_value"), (2, "a", "simple_value")]


def test_folders_of_evaluations():
    assert summary.eval_dir("/x", "e") == "/x/eval_e"
    assert summary.eval_dir("/x") == "/x/eval"
