"""Event files written by hand, and read again."""

from pathlib import Path

import pytest

import placewise.v1 as tf

WRITTEN = Path(__file__).parent / "written_by_tensorflow_1.tfevents"


def events(folder):
    found = []
    for path in sorted(Path(folder).iterdir()):
        found += list(tf.train.summary_iterator(str(path)))
    return found


def number(tag, value):
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])


def test_a_file_of_tensorflow_is_read():
    found = list(tf.train.summary_iterator(str(WRITTEN)))
    assert [event.WhichOneof("what") for event in found] == [
        "file_version",
        "summary",
        "session_log",
    ]
    assert found[0].file_version == "brain.Event:2"
    assert (found[1].step, found[1].summary.value[0].simple_value) == (3, 1.5)


def test_a_file_is_written_byte_for_byte_as_tensorflow_does(graph_mode, tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(number("a", 1.5), 3)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 5)
    found, wanted = events(tmp_path), list(tf.train.summary_iterator(str(WRITTEN)))
    for event in [*found, *wanted]:
        event.wall_time = 0
    assert [e.SerializeToString() for e in found] == [e.SerializeToString() for e in wanted]


def test_files_are_named_as_tensorboard_expects(graph_mode, tmp_path):
    tf.summary.FileWriter(str(tmp_path), filename_suffix=".mine").close()
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.") and path.name.endswith(".mine")


def test_a_graph_is_written_with_devices_and_shapes(graph_mode, tmp_path):
    with tf.device("/gpu:1"):
        tf.add(tf.constant([1.0, 2.0], name="x"), 1.0, name="y")
    tf.summary.FileWriter(str(tmp_path), tf.get_default_graph()).close()
    _, graph, meta = events(tmp_path)
    nodes = {node.name: node for node in tf.GraphDef.FromString(graph.graph_def).node}
    assert nodes["y"].device == "/device:GPU:1"
    assert nodes["y"].attr["_output_shapes"].list.shape[0].dim[0].size == 2
    assert meta.WhichOneof("what") == "meta_graph_def"


def test_a_graph_given_as_graph_def_is_written_with_its_meta_graph(graph_mode, tmp_path):
    tf.constant(1.0, name="x")
    tf.summary.FileWriter(str(tmp_path), graph_def=tf.get_default_graph().as_graph_def()).close()
    kinds = [event.WhichOneof("what") for event in events(tmp_path)]
    assert kinds == ["file_version", "graph_def", "meta_graph_def"]


def test_what_says_how_a_tag_is_shown_is_written_once(graph_mode, tmp_path):
    text = tf.summary.text("t", tf.constant("a"))
    with tf.Session() as session, tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in (1, 2):
            writer.add_summary(session.run(text), step)
    _, first, second = events(tmp_path)
    assert first.summary.value[0].metadata.plugin_data.plugin_name == "text"
    assert not second.summary.value[0].HasField("metadata")


def test_a_run_is_told_of_once_per_tag(graph_mode, tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_run_metadata(tf.RunMetadata(), "step1", 6)
        with pytest.raises(ValueError, match="already used for this event type"):
            writer.add_run_metadata(tf.RunMetadata(), "step1", 6)


def test_a_closed_writer_warns_and_can_be_reopened(graph_mode, tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match="Attempting to use a closed FileWriter"):
        writer.add_summary(number("lost", 1.0), 1)
    writer.reopen()
    writer.add_summary(number("kept", 1.0), 1)
    writer.close()
    assert [e.summary.value[0].tag for e in events(tmp_path) if e.HasField("summary")] == ["kept"]


def test_two_writers_of_one_second_do_not_share_a_file(graph_mode, tmp_path):
    for tag in ("a", "b"):
        with tf.summary.FileWriter(str(tmp_path)) as writer:
            writer.add_summary(number(tag, 1.0), 1)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_has_one_cached_writer(graph_mode, tmp_path):
    cache = tf.summary.FileWriterCache
    assert cache.get(str(tmp_path)) is cache.get(str(tmp_path))
    cache.clear()


def test_only_graphs_are_added_as_graphs(graph_mode, tmp_path):
    with (
        tf.summary.FileWriter(str(tmp_path)) as writer,
        pytest.raises(TypeError, match="The passed graph must be an instance of `Graph`"),
    ):
        writer.add_graph("x")


def test_a_damaged_file_is_named(tmp_path):
    damaged = tmp_path / "damaged"
    data = bytearray(WRITTEN.read_bytes())
    data[60] ^= 1
    damaged.write_bytes(bytes(data))
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        list(tf.train.summary_iterator(str(damaged)))


def _tags(folder):
    """Return the tags in each event file of a folder."""
    return sorted(
        [
            value.tag
            for event in tf.train.summary_iterator(str(file))
            for value in event.summary.value
        ]
        for file in folder.iterdir()
    )


def _write(writer, tag):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=1.0)]), 1)
    writer.flush()


def test_writers_of_one_session_and_folder_share_a_file(graph_mode, tmp_path):
    with tf.Session() as first, tf.Session() as second:
        _write(tf.summary.FileWriter(str(tmp_path), session=first), "one")
        _write(tf.summary.FileWriter(str(tmp_path), session=second), "other")
        _write(tf.summary.FileWriter(str(tmp_path), session=first), "two")
    assert _tags(tmp_path) == [["one", "two"], ["other"]]


def test_a_writer_that_closes_its_sessions_file_closes_it_for_the_others(graph_mode, tmp_path):
    with tf.Session() as session:
        writer = tf.summary.FileWriter(str(tmp_path), session=session)
        other = tf.summary.FileWriter(str(tmp_path), session=session)
        _write(writer, "one")
        writer.close()
        with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
            _write(other, "lost")
        writer.reopen()
        _write(writer, "two")
        _write(other, "three")
    assert _tags(tmp_path) == [["one"], ["two", "three"]]
