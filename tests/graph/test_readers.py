"""Readers: records of the files that a queue names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from placewise.compat import v1 as tf
from placewise.ops.io.records import TFRecordWriter

pytestmark = pytest.mark.usefixtures("graph_mode")


def records(make: Callable[[], Any], names: list[str]) -> tuple[list[Any], list[int]]:
    """Return all (key, value) pairs, and how many records and files were counted."""
    queue = tf.FIFOQueue(10, tf.string, [[]])
    reader = make()
    record = reader.read(queue)
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    fill, close = queue.enqueue_many([names]), queue.close()
    found = []
    with tf.Session() as session:
        session.run(fill)
        session.run(close)
        try:
            while True:
                found.append(tuple(session.run(record)))
        except tf.errors.OutOfRangeError:
            return found, session.run(counts)


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\r\n\nfour")
    return str(path)


def test_lines_are_read_with_their_numbers(text: str, tmp_path: Path) -> None:
    empty, other = tmp_path / "e.txt", tmp_path / "b.txt"
    empty.write_bytes(b"")
    other.write_bytes(b"x\n")
    found, counts = records(tf.TextLineReader, [text, str(empty), str(other)])
    assert [value for _, value in found] == [b"one", b"two", b"", b"four", b"x"]
    assert found[3][0] == f"{text}:4".encode()
    assert counts == [5, 3]


def test_the_first_lines_may_be_left_out(text: str) -> None:
    found, _ = records(lambda: tf.TextLineReader(skip_header_lines=2), [text])
    assert [value for _, value in found] == [b"", b"four"]


def test_a_file_may_be_one_record(text: str) -> None:
    found, counts = records(tf.WholeFileReader, [text])
    assert found == [(text.encode(), b"one\ntwo\r\n\nfour")]
    assert counts == [1, 1]


def test_a_name_may_be_the_record() -> None:
    assert records(tf.IdentityReader, ["x", "y"])[0] == [(b"x", b"x"), (b"y", b"y")]


def test_tfrecords_have_their_place_as_key(tmp_path: Path) -> None:
    path = str(tmp_path / "r.tfr")
    with TFRecordWriter(path) as writer:
        for record in (b"r1", b"", b"r3"):
            writer.write(record)
    found, _ = records(tf.TFRecordReader, [path])
    assert found == [
        (f"{path}:{at}".encode(), record) for at, record in ((0, b"r1"), (18, b""), (34, b"r3"))
    ]


def test_records_of_one_length_lie_between_header_and_footer(tmp_path: Path) -> None:
    path = tmp_path / "f.bin"
    path.write_bytes(b"HHabcdefghijT")

    def make() -> Any:
        return tf.FixedLengthRecordReader(4, header_bytes=2, footer_bytes=1)

    assert [value for _, value in records(make, [str(path)])[0]] == [b"abcd", b"efgh"]
    hopping = records(lambda: tf.FixedLengthRecordReader(4, hop_bytes=4), [str(path)])[0]
    assert [value for _, value in hopping] == [b"HHab", b"cdef", b"ghij"]


def test_a_batch_of_records_ends_with_its_file(text: str) -> None:
    queue = tf.FIFOQueue(10, tf.string, [[]])
    batch = tf.TextLineReader().read_up_to(queue, 3)
    with tf.Session() as session:
        session.run(queue.enqueue_many([[text, text]]))
        sizes = [len(session.run(batch).values) for _ in range(3)]
    assert sizes == [3, 1, 3]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"none\.txt; No such file or directory"):
        records(tf.TextLineReader, [str(tmp_path / "none.txt")])


def test_a_reader_can_be_put_back() -> None:
    queue = tf.FIFOQueue(10, tf.string, [[]])
    reader = tf.IdentityReader()
    record, state = reader.read(queue), reader.serialize_state()
    given = tf.placeholder(tf.string, [])
    restore, count = reader.restore_state(given), reader.num_records_produced()
    with tf.Session() as session:
        session.run(queue.enqueue_many([["a", "b"]]))
        session.run(record)
        kept = session.run(state)
        assert kept == b'\x08\x01\x10\x01\x18\x01"\x01a'
        session.run(record)
        session.run(restore, {given: kept})
        assert session.run(count) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse state for Iden"):
            session.run(restore, {given: b"bad"})
        session.run(reader.reset())
        assert session.run(count) == 0


def test_readers_are_counted_among_queues(graph_mode, tmp_path):
    path = tmp_path / "lines"
    path.write_text("a\n")
    names = tf.FIFOQueue(2, tf.string, name="names")
    fill = names.enqueue([str(path)])
    _, line = tf.TextLineReader().read(names)
    other = tf.FIFOQueue(2, tf.int32, name="other")
    numbers = []
    with tf.Session() as session:
        session.run(fill)
        assert session.run(line) == b"a"
        for queue in (names, other):
            session.run(queue.close())
            with pytest.raises(tf.errors.OutOfRangeError) as caught:
                session.run(queue.dequeue())
            numbers.append(int(caught.value.message.split("_")[1]))
    # As TensorFlow's: the reader, used between the two, has a number too.
    assert numbers[1] == numbers[0] + 2
