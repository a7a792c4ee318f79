"""tf.app, tf.flags and tf.logging of TensorFlow 1, as programs use them."""

import logging
import sys

import pytest
from absl import flags as absl_flags

import placewise.v1 as tf
from placewise.tf1.flag_values import ParsedOnUse


@pytest.fixture
def flags(monkeypatch):
    """Flags of their own, so that a test defines what it likes."""
    values = absl_flags.FlagValues()
    monkeypatch.setattr(sys, "argv", ["program", "--n", "5", "--loud", "rest"])
    absl_flags.DEFINE_integer("n", 3, "how many", flag_values=values)
    absl_flags.DEFINE_boolean("loud", False, "loud?", flag_values=values)
    absl_flags.DEFINE_float("lr", 0.1, "rate", flag_values=values)
    return ParsedOnUse(values)


def test_the_command_line_is_read_when_a_flag_is_first_asked_for(flags):
    assert (flags.n, flags.loud, flags.lr) == (5, True, 0.1)
    assert flags.is_parsed()


def test_flags_can_be_set_asked_and_listed(flags):
    assert flags.n == 5
    flags.n = 7
    assert (flags.n, flags["n"].value, "n" in flags, "x" in flags) == (7, 7, True, False)
    assert {"n", "loud", "lr"} <= set(flags)
    assert flags.flag_values_dict()["lr"] == 0.1


def test_programs_before_1_5_parse_by_hand(flags):
    flags._parse_flags()
    assert flags.__flags["n"].value == 5


def test_an_unknown_flag_is_refused_where_nobody_asked_for_tolerance(flags, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["program", "--unknown=1"])
    with pytest.raises(tf.flags.UnrecognizedFlagError, match="Unknown command line flag 'unknown'"):
        _ = flags.n


def test_an_unknown_flag_may_be_left_among_the_arguments(flags):
    assert flags(["program", "--unknown=1", "x"], known_only=True) == [
        "program",
        "--unknown=1",
        "x",
    ]


def test_both_namespaces_have_the_same_flags():
    assert tf.app.flags is tf.flags
    assert tf.app.flags.FLAGS is tf.flags.FLAGS


def test_older_argument_names_are_understood(caplog):
    values = absl_flags.FlagValues()
    tf.flags.DEFINE_integer(flag_name="n", default_value=3, docstring="x", flag_values=values)
    assert values["n"].default == 3
    assert "Use of the keyword argument names (flag_name" in caplog.text


@pytest.fixture
def logged(caplog):
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    yield lambda: [(record.levelname, record.getMessage()) for record in caplog.records]
    logging.getLogger("tensorflow").setLevel(before)


def test_messages_go_to_the_logger_tensorflow(logged):
    tf.logging.debug("not shown")
    tf.logging.info("a %d", 1)
    tf.logging.warn("b")
    tf.logging.error("c")
    tf.logging.log_if(tf.logging.INFO, "d %d", True, 4)
    assert logged() == [("INFO", "a 1"), ("WARNING", "b"), ("ERROR", "c"), ("INFO", "d 4")]


def test_messages_come_from_the_line_that_logs(caplog, logged):
    tf.logging.info("here")
    tf.logging.log_every_n(tf.logging.INFO, "there", 1)
    assert {record.filename for record in caplog.records} == {"test_v1_app.py"}


def test_messages_are_counted(logged):
    for number in range(5):
        tf.logging.log_every_n(tf.logging.INFO, "every second %d", 2, number)
        tf.logging.log_first_n(tf.logging.INFO, "first two %d", 2, number)
    assert [text for _, text in logged()] == [
        "every second 0",
        "first two 0",
        "first two 1",
        "every second 2",
        "every second 4",
    ]


def test_folders_are_walked_in_either_order(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    top = str(tmp_path)
    down = [path for path, _, _ in tf.gfile.Walk(top)]
    assert down == [top, f"{top}/a", f"{top}/a/b"]
    assert [path for path, _, _ in tf.gfile.Walk(top, in_order=False)] == down[::-1]


def test_files_are_written_and_read_by_their_older_names(tmp_path):
    path = str(tmp_path / "file")
    with tf.gfile.Open(path, "w") as file:
        file.write("text\n")
    assert tf.gfile.Exists(path) and not tf.gfile.IsDirectory(path)
    assert tf.gfile.FastGFile(path, "rb").read() == b"text\n"
    tf.gfile.Copy(path, path + "2")
    assert tf.gfile.ListDirectory(str(tmp_path)) == ["file", "file2"]
    tf.gfile.DeleteRecursively(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError):
        tf.gfile.Stat(path)


def test_records_are_written_and_read_by_their_older_names(tmp_path):
    path = str(tmp_path / "records")
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter(path, options=options) as writer:
        writer.write(b"one")
    assert list(tf.python_io.tf_record_iterator(path, options)) == [b"one"]


def test_a_flag_may_be_called_as_one_of_absls_own():
    assert all(absl_flags.FLAGS[name].allow_override for name in ("log_dir", "v"))
