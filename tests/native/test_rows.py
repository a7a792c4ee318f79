"""Rows in C are what torch and NumPy make of them: in order, searched, combined, padded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import native

from .comparison import both

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

RANDOM = np.random.RandomState(0)
ODD = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-45, 2.5, -2.5, 1e38], np.float32)
FLOATS = np.concatenate([ODD, RANDOM.choice(ODD, 290), RANDOM.randn(300).astype(np.float32)])
LONG = np.stack([FLOATS, FLOATS[::-1]])
INTEGERS = RANDOM.randint(-(2**31), 2**31, (2, 300)).astype(np.int32)


@pytest.mark.parametrize("numbers", [LONG, INTEGERS, INTEGERS // 2**29, LONG[:, :256]])
@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_rows_are_put_in_order_and_equals_keep_theirs(numbers: Any, direction: str) -> None:
    x = tf.constant(numbers)
    quick, slow = both(
        lambda: [tf.sort(x, direction=direction), tf.argsort(x, direction=direction)]
    )
    assert quick == slow


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
def test_places_in_rows_that_are_in_order(dtype: str, side: str, count: int) -> None:
    rows = np.sort(RANDOM.randint(-9, 9, (3, count)), -1).astype(dtype)
    wanted = RANDOM.randint(-12, 12, (3, 37)).astype(dtype)
    if dtype.startswith("float"):
        wanted[:, :3] = np.nan, np.inf, -np.inf
    quick, slow = both(lambda: tf.searchsorted(rows, wanted, side))
    assert quick == slow


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
def test_extremes_along_any_axis_are_the_first_ones_and_never_nan(axis: int, kind: Any) -> None:
    x = tf.constant(RANDOM.choice(ODD, (3, 4, 300)))
    quick, slow = both(lambda: [f(x, axis, kind) for f in (tf.argmax, tf.argmin)])
    assert quick == slow


@pytest.mark.parametrize("keepdims", [True, False])
@pytest.mark.parametrize("columns", [1, 255, 256, 700])
def test_flags_of_rows(columns: int, keepdims: bool) -> None:
    some = np.zeros((8, columns), bool)
    some[0, -1] = some[1, 0] = some[2] = True
    for flags in (np.tile(some, (200, 1)), ~np.tile(some, (200, 1))):
        quick, slow = both(
            lambda x=flags: [f(x, 1, keepdims) for f in (tf.reduce_any, tf.reduce_all)]
        )
        assert quick == slow


def test_single_numbers_are_added_by_mixed_ids() -> None:
    ids = RANDOM.randint(0, 50, 5000)
    data = RANDOM.randn(5000).astype(np.float32)
    quick, slow = both(lambda: tf.math.unsorted_segment_sum(data, ids, 50))
    assert quick == slow
    ids[4000] = 50
    quick, slow = both(lambda: tf.math.unsorted_segment_sum(data, ids, 50))
    assert quick == slow


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64", "bool", "float16"])
@pytest.mark.parametrize("splits", [[0, 2, 2, 5, 9], [0, 0, 9], [0, 9], [0]])
@pytest.mark.parametrize("inner", [(), (3,)])
def test_ragged_rows_as_padded_and_as_sparse_ones(
    kind: str, splits: list[int], inner: tuple[int, ...]
) -> None:
    values = RANDOM.randint(0, 9, (splits[-1], *inner)).astype(kind)
    for dtype in (tf.int32, tf.int64):
        rows = tf.RaggedTensor.from_row_splits(values, tf.constant(splits, dtype))
        wider = [6, 3, *inner]
        quick, slow = both(
            lambda x=rows, shape=wider: [
                x.to_tensor(),
                x.to_tensor(True if kind == "bool" else 7, [None] * (2 + len(inner))),
                x.to_tensor(shape=shape),
                x.to_tensor(shape=[1, None, *inner]),
                x.to_sparse(),
            ]
        )
        assert quick == slow


def test_padding_may_be_a_row_of_its_own() -> None:
    rows = tf.ragged.constant([[[1, 2]], [], [[3, 4], [5, 6]]], ragged_rank=1)
    quick, slow = both(lambda: [rows.to_tensor([8, 9]), rows.to_tensor(7)])
    assert quick == slow


@pytest.mark.parametrize("splits", [[0, 3, 2, 4], [0, 9], [1, 4]])
def test_splits_that_are_none_are_refused_in_the_same_words(splits: list[int]) -> None:
    values = tf.constant([1.0, 2, 3, 4])
    quick, slow = both(
        lambda: tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[splits], rt_dense_values=values)
    )
    assert quick == slow


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 31, 192, 193])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cholesky_factors(size: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = RANDOM.randn(3, size, size)
    x = x @ x.transpose(0, 2, 1) + size * np.eye(size)
    x[1, -1, -1] = -1.0  # has no factor
    x = tf.constant(np.tril(x), dtype)
    quick = tf.linalg.cholesky(x).numpy()
    monkeypatch.setattr(native, "code", None)
    slow = tf.linalg.cholesky(x).numpy()
    np.testing.assert_allclose(quick, slow, rtol=1e-4 if dtype == "float32" else 1e-12, atol=1e-5)
    assert np.isnan(quick[1]).any()
    assert not np.triu(quick, 1).any()


def test_strings_of_rows_are_put_together() -> None:
    words = tf.constant([[b"a", b"", b"ccc"], [b"", b"", b""], [b"", b"x", b""]])
    for axis in (0, 1, None, [1, 0]):
        quick, slow = both(
            lambda a=axis: [tf.strings.reduce_join(words, a, separator=s) for s in ("", "-", "--")]
        )
        assert quick == slow


@pytest.mark.parametrize("distinct", [3, 10_000])
def test_parts_of_many_strings(distinct: int) -> None:
    words = tf.constant([b"%05d end" % (i % distinct * 7 % 99991) for i in range(3000)])
    for place in ((0, 1), (0, 3), (2, 5), (1, 8), (0, 9), (9, 4)):
        quick, slow = both(lambda p=place: tf.strings.substr(words, *p))
        assert quick == slow
