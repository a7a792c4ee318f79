"""tf.summary of TensorFlow 2: written now, in functions, and where a condition holds."""

import json
from pathlib import Path

import pytest

import placewise as tf
from placewise import messages
from placewise.ops.io.records import tf_record_iterator
from placewise.summary.state import state
from tests.summary.record_v2 import read_events, write_events

RECORDED = json.loads((Path(__file__).parent / "events_v2.json").read_text())


@pytest.fixture(autouse=True)
def no_writer_is_left():
    yield
    state.writer = state.step = state.condition = None


def events(folder):
    found = []
    for path in sorted(Path(folder).glob("events*")):
        found += [messages.Event.FromString(record) for record in tf_record_iterator(path)]
    return [event for event in found if event.HasField("summary")]


def tags(folder):
    return [(event.step, event.summary.value[0].tag) for event in events(folder)]


def test_events_have_tensorflows_bytes(tmp_path):
    write_events(tf, str(tmp_path))
    (path,) = tmp_path.iterdir()
    assert path.name.endswith(".v2")
    assert read_events(tf_record_iterator(path), messages.Event) == RECORDED


def test_pictures_are_strings_after_their_size(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        tf.summary.image("im", tf.constant([[[[0.0], [0.5], [1.0]]]]))
    (event,) = events(tmp_path)
    width, height, png = event.summary.value[0].tensor.string_val
    assert (width, height) == (b"3", b"1")
    assert tf.io.decode_png(png).numpy().ravel().tolist() == [0, 127, 255]


def test_a_step_is_needed(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), pytest.raises(ValueError, match="No step set"):
        tf.summary.scalar("a", 1.0)


def test_the_step_may_be_set_for_all(tmp_path):
    tf.summary.experimental.set_step(4)
    assert tf.summary.experimental.get_step() == 4
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert bool(tf.summary.scalar("a", 1.0))
    assert tags(tmp_path) == [(4, "a")]


def test_without_a_writer_nothing_is_written():
    assert not tf.summary.scalar("a", 1.0, step=1)
    assert not tf.summary.should_record_summaries()
    with tf.summary.create_noop_writer().as_default():
        assert not tf.summary.scalar("a", 1.0, step=1)


def test_a_condition_decides(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1):
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("no", 1.0)
        with tf.summary.record_if(lambda: tf.constant(True)):
            assert tf.summary.scalar("yes", 1.0)
    assert tags(tmp_path) == [(1, "yes")]


def test_a_function_writes_each_time_it_runs(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def step(x, number):
        with writer.as_default(), tf.name_scope("net"):
            tf.summary.scalar("loss", x * 2, step=number)
        return x

    for number in range(3):
        step(tf.constant(float(number)), tf.constant(number, tf.int64))
    writer.flush()
    assert tags(tmp_path) == [(0, "net/loss"), (1, "net/loss"), (2, "net/loss")]


def test_a_condition_known_only_later_decides_in_a_function(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def step(number):
        with writer.as_default(), tf.summary.record_if(tf.equal(number % 2, 0)):
            tf.summary.scalar("even", 1.0, step=number)

    for number in range(4):
        step(tf.constant(number, tf.int64))
    writer.flush()
    assert tags(tmp_path) == [(0, "even"), (2, "even")]


def test_a_closed_writer_says_so(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.close()
    with pytest.raises(RuntimeError, match="is already closed"), writer.as_default():
        pass


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="Expected scalar shape, saw shape"):
        tf.summary.scalar("a", [1.0, 2.0], step=1)
    with pytest.raises(ValueError, match="must have rank 4"):
        tf.summary.image("a", tf.zeros([2, 2]), step=1)
    with pytest.raises(TypeError, match="must be of type"):
        tf.summary.text("a", 1, step=1)
    with pytest.raises(ValueError, match="`logdir` cannot be None"):
        tf.summary.create_file_writer(None)


def test_a_trace_holds_the_functions_that_ran(tmp_path):
    @tf.function
    def double(x):
        return tf.add(x, x, name="twice")

    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("t", step=0)
    tf.summary.trace_on()
    double(tf.constant(1.0))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("t", step=0)
    (event,) = events(tmp_path)
    value = event.summary.value[0]
    told = messages.RunMetadata.FromString(value.tensor.string_val[0])
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    (function,) = told.function_graphs
    assert "twice" in [node.name for node in function.pre_optimization_graph.node]
    assert function.post_optimization_graph.node[0].device.endswith("CPU:0")
    tf.summary.trace_off()


def test_a_graph_of_tensorflow_1_writes_once_its_writer_is_initialized(graph_mode, tmp_path):
    import placewise.v1 as tf1

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        written = tf.summary.scalar("a", 2.0, step=5)
    with tf1.Session() as session:
        session.run(writer.init())
        assert session.run(written)
        session.run(writer.flush())
    assert tags(tmp_path) == [(5, "a")]


def test_a_step_that_is_set_inside_of_a_block_stays(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=1):
        with writer.as_default():
            tf.summary.experimental.set_step(3)
        assert tf.summary.experimental.get_step() == 3
    assert tf.summary.experimental.get_step() is None


def test_several_messages_are_one_event(tmp_path):
    summaries = [tf.compat.v1.Summary(value=[{"simple_value": n}]) for n in (1.0, 2.0)]
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.experimental.write_raw_pb([s.SerializeToString() for s in summaries], step=12)
        with pytest.raises(tf.errors.DataLossError, match="binary proto tensor string at index 1"):
            tf.summary.experimental.write_raw_pb([b"", b"notaproto"], step=12)
    (file,) = tmp_path.iterdir()
    events = list(tf.compat.v1.train.summary_iterator(str(file)))
    assert [v.simple_value for v in events[1].summary.value] == [1.0, 2.0]


def test_what_cannot_be_written_to_says_so(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.close()
    with pytest.raises(RuntimeError, match="already closed"):
        writer.init()
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        tf.summary.flush(writer=())
    with tf.Graph().as_default():
        path = tf.constant("logs")
        with pytest.raises(ValueError, match="cannot be invoked inside a graph context"):
            tf.summary.graph(tf.Graph())
    with pytest.raises(ValueError, match="Invalid graph Tensor argument 'logdir="):
        tf.summary.create_file_writer(path)


def test_scopes_of_summaries_leave_out_what_names_cannot_hold():
    scope = tf.summary.experimental.summary_scope
    found = []
    for name in ("f?o?o", "/foo", "_foo", "a b", "\u00e9"):
        with scope(name) as (tag, around):
            assert tag == name
            found.append(around)
    assert found == ["foo/", "/foo/", "_foo/", "ab/", "summary/"]
