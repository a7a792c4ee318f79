"""TFRecord files: written, read, damaged."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

import placewise as tf
from placewise import native
from placewise.ops.io.records import tf_record_iterator


def _written(path: Path, options: object = None) -> bytes:
    with tf.io.TFRecordWriter(str(path), options) as writer:
        writer.write(b"one")
        writer.write("two")
        writer.write(b"")
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["", "ZLIB", "GZIP"])
def test_what_is_written_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    _written(path, kind)
    assert list(tf_record_iterator(path, kind)) == [b"one", b"two", b""]


def test_the_bytes_are_tensorflows(tmp_path: Path) -> None:
    data = _written(tmp_path / "file")
    assert data[:19] == b"\x03\0\0\0\0\0\0\0\xb0\x99I\x0eone\x01@U\x08"


def test_a_truncated_record_names_file_and_place(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(_written(path)[:35])
    records = tf_record_iterator(path)
    assert next(records) == b"one"
    with pytest.raises(tf.errors.DataLossError, match=f"truncated record at 19(.|\n)*{path}"):
        next(records)


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = bytearray(_written(path))
    for place, words in ((13, "corrupted record at 12"), (2, "Is this even a TFRecord file")):
        changed = data.copy()
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(tf.errors.DataLossError, match=words):
            list(tf_record_iterator(path))


def test_a_huge_length_asks_for_no_memory(tmp_path: Path) -> None:
    from placewise.ops.io.records import masked_checksum

    path = tmp_path / "file"
    length = (2**60).to_bytes(8, "little")
    path.write_bytes(length + masked_checksum(length).to_bytes(4, "little") + b"abc")
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(tf_record_iterator(path))


def test_a_compressed_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"neither")
    for kind in ("ZLIB", "GZIP"):
        with pytest.raises(tf.errors.DataLossError, match="incorrect header check"):
            list(tf_record_iterator(path, kind))


def test_a_closed_writer_refuses(tmp_path: Path) -> None:
    writer = tf.io.TFRecordWriter(str(tmp_path / "file"))
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
        writer.write(b"x")


def test_no_such_compression() -> None:
    with pytest.raises(ValueError, match='Not a valid compression_type: "LZ"'):
        tf.io.TFRecordOptions("LZ")


@pytest.mark.parametrize("is_native", [True, False])
def test_an_iterator_goes_on_when_the_file_grows(tmp_path, monkeypatch, is_native):
    if not is_native:
        monkeypatch.setattr(native, "code", None)
    with tf.io.TFRecordWriter(str(tmp_path / "file")) as writer:
        writer.write(b"one")
        writer.flush()
        records = tf_record_iterator(tmp_path / "file")
        assert list(records) == [b"one"]
        writer.write(b"two")
        writer.flush()
        assert list(records) == [b"two"]


def test_a_truncated_record_is_read_once_it_is_complete(tmp_path):
    path = tmp_path / "file"
    whole = _written(path)
    path.write_bytes(whole[:35])
    records = tf_record_iterator(path)
    assert next(records) == b"one"
    for _ in range(2):
        with pytest.raises(tf.errors.DataLossError, match="truncated"):
            next(records)
    with open(path, "ab") as file:
        file.write(whole[35:])
    assert list(records) == [b"two", b""]


@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_an_iterator_reopens_a_replaced_file_after_what_it_has_read(tmp_path, kind):
    path = tmp_path / "file"
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        writer.write(b"one")
    records = tf_record_iterator(path, kind)
    assert list(records) == [b"one"]
    _written(tmp_path / "new", kind)
    (tmp_path / "new").replace(path)
    assert list(records) == []
    records.close()
    records.reopen()
    assert list(records) == [b"two", b""]


def test_summaries_are_iterated_on_when_the_file_grows(tmp_path):
    with tf.compat.v1.Graph().as_default():
        writer = tf.compat.v1.summary.FileWriter(str(tmp_path))
        writer.flush()
        (path,) = tmp_path.iterdir()
        events = tf.compat.v1.train.summary_iterator(str(path))
        list(events)
        writer.add_event(tf.compat.v1.Event(step=7))
        writer.flush()
        assert next(events).step == 7
        writer.close()


@pytest.mark.parametrize(
    ("options", "size", "checksum"),
    [
        ({}, 698, 177104441),
        ({"flush_mode": zlib.Z_FULL_FLUSH}, 702, 119185474),
        ({"input_buffer_size": 64, "flush_mode": zlib.Z_SYNC_FLUSH}, 695, 1525455625),
    ],
)
def test_compressed_files_are_tensorflows_byte_for_byte(tmp_path, options, size, checksum):
    file = tmp_path / "records"
    settings = tf.io.TFRecordOptions("ZLIB", **options)
    with tf.io.TFRecordWriter(file, settings) as writer:
        for length in (10, 100, 300_000, 20):
            writer.write(b"abcdefghij" * (length // 10))
    data = file.read_bytes()
    assert (len(data), zlib.crc32(data)) == (size, checksum)
