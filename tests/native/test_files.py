"""Records, examples and CSV lines give the same with loops in C and in Python, damaged or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import placewise as tf
from placewise import native
from placewise.ops.io.records import masked_checksum, tf_record_iterator

from .comparison import both

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

DATA = st.binary(max_size=40)


def changed(data: bytes, changes: list[tuple[int, int]], cut: int) -> bytes:
    """Return bytes with some replaced and the end cut off."""
    damaged = bytearray(data)
    for place, byte in changes:
        if damaged:
            damaged[place % len(damaged)] = byte
    return bytes(damaged[: len(damaged) - cut])


CHANGES = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=2)
CUTS = st.sampled_from([0, 0, 0, 1, 3, 17])


@settings(max_examples=50, deadline=None)
@given(DATA)
def test_checksums(data: bytes) -> None:
    assert native.code.masked_checksum(data) == masked_checksum(data)


@settings(max_examples=50, deadline=None)
@given(st.lists(DATA, max_size=4), CHANGES, CUTS)
def test_records_damaged_or_not(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[bytes],
    changes: list[tuple[int, int]],
    cut: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "records"
    data = b"".join(native.code.frame_record(record) for record in records)
    path.write_bytes(changed(data, changes, cut))
    quick, slow = both(lambda: list(tf_record_iterator(str(path))))
    assert quick == slow


def test_a_record_larger_than_a_block_among_small_ones(tmp_path: Path, implementation: str) -> None:
    records = [b"small", bytes(700_000), b"", b"end" * 100_000]
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(str(tmp_path / "large"), kind) as writer:
            for record in records:
                writer.write(record)
        assert list(tf_record_iterator(str(tmp_path / "large"), kind)) == records


FEATURES = {
    "i": tf.io.FixedLenFeature([2], tf.int64, [7, 8]),
    "f": tf.io.VarLenFeature(tf.float32),
    "b": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="-"),
    "r": tf.io.RaggedFeature(tf.int64),
}
LISTS = {
    "i": ("int64_list", st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2)),
    "f": ("float_list", st.lists(st.floats(width=32), max_size=3)),
    "b": ("bytes_list", st.lists(DATA, max_size=3)),
    "r": ("int64_list", st.lists(st.integers(0, 300), max_size=3)),
    "other": ("float_list", st.lists(st.floats(width=32), max_size=2)),
}


@st.composite
def examples(draw: Any) -> bytes:
    """Return a serialized example, seldom one of other kinds than are asked for."""
    message = tf.train.Example()
    for key in draw(st.lists(st.sampled_from([*LISTS]), unique=True)):
        kind, values = LISTS[draw(st.sampled_from([key] * 9 + ["f"]))]
        getattr(message.features.feature[key], kind).value.extend(draw(values))
    data: bytes = message.SerializeToString(deterministic=True)
    return changed(data, draw(CHANGES) if draw(st.booleans()) else [], draw(CUTS))


@settings(max_examples=50, deadline=None)
@given(st.lists(examples(), min_size=1, max_size=3))
def test_examples_damaged_or_not(serialized: list[bytes]) -> None:
    quick, slow = both(lambda: tf.io.parse_example(tf.constant(serialized), FEATURES))
    assert quick == slow
    quick, slow = both(lambda: tf.io.parse_single_example(serialized[0], FEATURES))
    assert quick == slow


PIECES = ["", ",", ",", ",", '"', '""', "a", "1", "-2", " 3 ", "4.5", "1e3", "NA", "\r", "\n", "é"]
LINES = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
FORMS: dict[str, Any] = {
    "texts": lambda: {"record_defaults": [[""], [""], ["x"]]},
    "missing": lambda: {"record_defaults": [[""], [0]], "na_value": "NA"},
    "required": lambda: {
        "record_defaults": [[1.5], tf.constant([], tf.string)],
        "use_quote_delim": False,
    },
    "chosen": lambda: {
        "record_defaults": [tf.constant([3], tf.int64), ["z"]],
        "select_cols": [0, 2],
    },
}


@settings(max_examples=40, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=3))
@pytest.mark.parametrize("form", FORMS)
def test_lines_of_csv_sound_or_not(form: str, lines: list[str]) -> None:
    quick, slow = both(lambda: tf.io.decode_csv(tf.constant(lines), **FORMS[form]()))
    assert quick == slow


@pytest.mark.parametrize("text", ["1,a\n2,b\nx,c\n", '1,a\n2,b\n3,"c\n'])
def test_rows_before_a_wrong_one_are_read(tmp_path: Path, implementation: str, text: str) -> None:
    (tmp_path / "rows").write_text(text)
    rows = iter(tf.data.experimental.CsvDataset(str(tmp_path / "rows"), [tf.int32, tf.string]))
    assert [next(rows)[0].numpy() for _ in range(2)] == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(rows)
