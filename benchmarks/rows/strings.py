"""Strings: 30,000 of them through an op."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}
COUNT = 30_000

_RANDOM = random.Random(11)
WORDS = [f"word{_RANDOM.randrange(5000)} item-{i} end".encode() for i in range(COUNT)]
NUMERALS = [f"{_RANDOM.uniform(-1000, 1000):.3f}".encode() for _ in range(COUNT)]
INTEGERS = [str(_RANDOM.randrange(10**6)).encode() for _ in range(COUNT)]
TEXTS = [f"straße {i} naïve 東京".encode() for i in range(COUNT)]
Row = Callable[[Any], Callable[[], object]]


def constant(tf: Any) -> Callable[[], object]:
    """Make a tensor of a list."""
    return lambda: tf.constant(WORDS)


def on(data: list[bytes], call: Callable[[Any, Any], object]) -> Row:
    """Return a row that calls an op on strings."""

    def row(tf: Any) -> Callable[[], object]:
        strings = tf.constant(data)
        return lambda: call(tf, strings)

    return row


def as_string(tf: Any) -> Callable[[], object]:
    """Write integers as strings."""
    numbers = tf.range(COUNT)
    return lambda: tf.strings.as_string(numbers)


def float_as_string(tf: Any) -> Callable[[], object]:
    """Write floats as strings."""
    numbers = tf.cast(tf.range(COUNT), tf.float32) / 7
    return lambda: tf.strings.as_string(numbers)


def lookup(tf: Any) -> Callable[[], object]:
    """Look up words in a static table."""
    keys = tf.constant([f"word{i}" for i in range(5000)])
    start = tf.lookup.KeyValueTensorInitializer(keys, tf.range(5000, dtype=tf.int64))
    table = tf.lookup.StaticHashTable(start, -1)
    words = tf.constant([word.split()[0] for word in WORDS])
    return lambda: table.lookup(words)


def vocabulary(tf: Any) -> Callable[[], object]:
    """Look up words in a table with buckets for those that are not in it."""
    keys = tf.constant([f"word{i}" for i in range(4000)])
    start = tf.lookup.KeyValueTensorInitializer(keys, tf.range(4000, dtype=tf.int64))
    table = tf.lookup.StaticVocabularyTable(start, 50)
    words = tf.constant([word.split()[0] for word in WORDS])
    return lambda: table.lookup(words)


ROWS: dict[str, Row] = {
    "constant of a list": constant,
    "numpy": on(WORDS, lambda tf, s: s.numpy()),
    "lower": on(WORDS, lambda tf, s: tf.strings.lower(s)),
    "strip": on(WORDS, lambda tf, s: tf.strings.strip(s)),
    "length": on(WORDS, lambda tf, s: tf.strings.length(s)),
    "length in characters": on(TEXTS, lambda tf, s: tf.strings.length(s, unit="UTF8_CHAR")),
    "split": on(WORDS, lambda tf, s: tf.strings.split(s)),
    "split at a separator": on(WORDS, lambda tf, s: tf.strings.split(s, "-")),
    "join": on(WORDS, lambda tf, s: tf.strings.join([s, s], ",")),
    "reduce_join": on(WORDS, lambda tf, s: tf.strings.reduce_join(s)),
    "regex_replace": on(WORDS, lambda tf, s: tf.strings.regex_replace(s, r"[aeiou]+", "*")),
    "regex_full_match": on(WORDS, lambda tf, s: tf.strings.regex_full_match(s, r"word\d+ .*")),
    "substr": on(WORDS, lambda tf, s: tf.strings.substr(s, 2, 5)),
    "to_number, floats": on(NUMERALS, lambda tf, s: tf.strings.to_number(s)),
    "to_number, integers": on(INTEGERS, lambda tf, s: tf.strings.to_number(s, tf.int64)),
    "as_string, integers": as_string,
    "as_string, floats": float_as_string,
    "to_hash_bucket_fast": on(WORDS, lambda tf, s: tf.strings.to_hash_bucket_fast(s, 1000)),
    "equal": on(WORDS, lambda tf, s: tf.equal(s, s)),
    "unicode_decode": on(TEXTS, lambda tf, s: tf.strings.unicode_decode(s, "UTF-8")),
    "gather": on(WORDS, lambda tf, s: tf.gather(s, tf.range(0, COUNT, 3))),
    "table lookup": lookup,
    "vocabulary table lookup": vocabulary,
}
