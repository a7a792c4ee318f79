"""String ops give the same with loops in C and in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import placewise as tf
from placewise import native

from .comparison import both

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

PLAIN = ["", " ", "\t", "\n", "-", "--", "a", "bc", "XyZ", "@[`{", "\0", "é", "東", "😀"]
SOUND = "|".join(PLAIN).encode()
BROKEN = (b"\x80", b"\xff", b"\xed\xa0\x80", b"\xc0\x80")
PIECES = st.sampled_from([*SOUND.split(b"|"), *BROKEN])
TEXTS = st.lists(st.lists(PIECES, max_size=6).map(b"".join), max_size=6)
DIGITS = st.sampled_from(["", "0", "1", "9", "07", "123456789", "9007199254740993", "4" * 30])
NUMERALS = st.tuples(
    st.sampled_from(["", " ", "\n", "x"]),
    st.sampled_from(["", "-", "+", "--"]),
    DIGITS,
    st.sampled_from(["", "."]),
    DIGITS,
    st.sampled_from(["", "e5", "E-7", "e+22", "e-23", "e", "e999", "inf", "nan", "0x1p3"]),
    st.sampled_from(["", " ", "\t ", "_"]),
).map(lambda pieces: "".join(pieces).encode())


OPS: dict[str, Callable[[Any], Any]] = {
    "length": tf.strings.length,
    "characters": lambda s: tf.strings.length(s, unit="UTF8_CHAR"),
    "split": tf.strings.split,
    "split at a dash": lambda s: tf.strings.split(s, "-"),
    "split at two": lambda s: tf.strings.split(s, "--"),
    "part": lambda s: tf.strings.substr(s, 1, 2),
    "last part": lambda s: tf.strings.substr(s, -2, -1),
    "part in characters": lambda s: tf.strings.substr(s, 1, 2, unit="UTF8_CHAR"),
    "last characters": lambda s: tf.strings.substr(s, -1, 9, unit="UTF8_CHAR"),
    "no characters": lambda s: tf.strings.substr(s, 0, -1, unit="UTF8_CHAR"),
    "parts": lambda s: tf.strings.substr(s, tf.range(len(s)), tf.ones(len(s), tf.int32)),
    "small letters": tf.strings.lower,
    "capital letters": tf.strings.upper,
    "capital letters of one": lambda s: tf.strings.upper(tf.constant([b"x", b"Z", b""])),
    "joined": lambda s: tf.strings.join([s, s, "Ab"], "-"),
    "joined without a separator": lambda s: tf.strings.join([s, b"", s]),
    "joined alone": lambda s: tf.strings.join([s], "--"),
    "joined scalars": lambda s: tf.reshape(tf.strings.join([b"", b"q"]), [1]),
    "joined of other sizes": lambda s: tf.strings.join([s, [b"1", b"2", b"3", b"4"] * 3]),
    "points": lambda s: tf.strings.unicode_decode(s, "UTF-8"),
    "offsets": lambda s: tf.strings.unicode_decode_with_offsets(s, "UTF-8", errors="ignore"),
    "buckets": lambda s: tf.strings.to_hash_bucket_fast(s, 97),
}


@settings(max_examples=25, deadline=None)
@given(TEXTS)
@pytest.mark.parametrize("op", OPS)
def test_strings_of_any_bytes(op: str, texts: list[bytes]) -> None:
    strings = tf.constant(texts, tf.string)
    quick, slow = both(lambda: OPS[op](strings))
    assert quick == slow


@settings(max_examples=50, deadline=None)
@given(st.lists(NUMERALS, min_size=1, max_size=3))
@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64"])
def test_numerals_of_any_spelling(kind: str, texts: list[bytes]) -> None:
    quick, slow = both(lambda: tf.strings.to_number(texts, getattr(tf, kind)))
    assert quick == slow


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(width=32), max_size=4), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_numbers_of_any_size_are_written(floats: list[float], integers: list[int]) -> None:
    for values, kind in ((floats, tf.float32), (integers, tf.int64)):
        tensor = tf.constant(values, kind)
        quick, slow = both(lambda tensor=tensor: tf.strings.as_string(tensor))
        assert quick == slow


def test_constants_of_texts_and_bytes(implementation: str) -> None:
    made = tf.constant(["é", b"\xff", "东"])
    assert made.numpy().tolist() == ["é".encode(), b"\xff", "东".encode()]
    with pytest.raises(UnicodeEncodeError):
        tf.constant(["\ud800"])


def test_ids_of_words(implementation: str) -> None:
    start = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([4, 1 << 40], tf.int64))
    table = tf.lookup.StaticHashTable(start, -1)
    assert table.lookup(tf.constant([["a", "c"], ["b", "a"]])).numpy().tolist() == [
        [4, -1],
        [1 << 40, 4],
    ]


def test_words_are_found_as_in_a_dictionary() -> None:
    keys = [b"", b"a", b"a\0", b"long " * 20, *(f"w{i}".encode() for i in range(100))]
    init = tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(keys), dtype=tf.int64))
    table = tf.lookup.StaticHashTable(init, -1)
    quick, slow = both(lambda: table.lookup(tf.constant([*keys, b"w", b"b", b"\0"])))
    assert quick == slow


def test_a_table_that_changes_is_searched_as_it_is_now() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    found = []
    for number in range(3):
        table.insert([b"a", f"{number}".encode()], tf.constant([number, 7], tf.int64))
        found.append(table.lookup(tf.constant([b"a", b"0", b"2"])).numpy().tolist())
    table.remove([b"0"])
    found.append(table.lookup(tf.constant([b"a", b"0", b"2"])).numpy().tolist())
    assert found == [[0, 7, -1], [1, 7, -1], [2, 7, 7], [2, -1, 7]]


def test_an_index_of_other_words_is_never_read_past_its_end() -> None:
    words, texts = np.array([b"a"], object), np.array([b"a", b"b"], object)
    wrong = np.full(8, 99, np.uint64)
    results = np.zeros(2, np.int64)
    native.code.find_words(texts, words, wrong, np.ones(1, np.int64), results)
    assert results.tolist() == [0, 0]
    with pytest.raises(ValueError, match="sizes"):
        native.code.find_words(texts, words, wrong[:6], np.ones(1, np.int64), results)
    with pytest.raises(ValueError, match="sizes"):
        native.code.index_words(words, np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match="sizes"):
        native.code.match_pattern(texts, b"\0" * 255, b"\1\1", np.zeros(2, np.bool_))


@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
def test_whole_numbers_of_few_digits_are_read_at_once(kind: tf.DType) -> None:
    numbers = [0, 7, 10, 99, 123, 4567, 89012, 999999, 1234567, 99999999, 123456789]
    texts = [f"{number:0{width}}" for number in numbers for width in (1, 3, 8)]
    quick, plain = both(lambda: tf.strings.to_number(texts, kind))
    assert quick == plain
    assert tf.strings.to_number(texts, kind).numpy().tolist() == [int(text) for text in texts]
    for text in ("", "1a", "a", "1:", "1/", "12345678x", "0x1", "1.5", "1\0", "\x801", "1 2"):
        quick, plain = both(lambda text=text: tf.strings.to_number([text], kind))
        assert quick == plain
