"""Hashes in C are those in Python."""

from __future__ import annotations

import random

import pytest

import placewise as tf
from placewise import native
from placewise.ops.strings.fingerprints import fingerprint64, murmur64, siphash

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

GENERATOR = random.Random(7)
DATA = [GENERATOR.randbytes(size) for size in (*range(140), 500, 4096)]
BUCKETS = (1 << 63) - 25


def test_buckets_are_those_of_python() -> None:
    key = (-3, 1 << 62)
    assert tf.strings.to_hash_bucket_fast(DATA, BUCKETS).numpy().tolist() == [
        fingerprint64(data) % BUCKETS for data in DATA
    ]
    assert tf.compat.v1.string_to_hash_bucket(DATA, BUCKETS).numpy().tolist() == [
        murmur64(data) % BUCKETS for data in DATA
    ]
    assert tf.strings.to_hash_bucket_strong(DATA, BUCKETS, key).numpy().tolist() == [
        siphash(data, key) % BUCKETS for data in DATA
    ]


def test_strings_of_any_layout_are_hashed() -> None:
    table = tf.constant(DATA[:12])
    rows = tf.transpose(tf.reshape(table, [3, 4]))[::2]
    expected = tf.gather(tf.strings.to_hash_bucket_fast(table, 1000), [[0, 4, 8], [2, 6, 10]])
    assert tf.strings.to_hash_bucket_fast(rows, 1000).numpy().tolist() == expected.numpy().tolist()


def test_what_is_no_array_of_bytes_is_refused() -> None:
    import numpy as np

    result = np.empty(2, np.int64)
    for wrong in (np.array([b"a", "b"], object), np.array([1.0, 2.0])):
        with pytest.raises(TypeError, match="bytes objects"):
            native.code.hash_buckets(wrong, result, 5, "farm", 0, 0)
    with pytest.raises(ValueError, match="as many results"):
        native.code.hash_buckets(np.array([b"a"], object), result, 5, "farm", 0, 0)
