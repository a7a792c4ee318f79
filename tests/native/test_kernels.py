"""Pooling, rows, drawing and lists of numbers: the same in C as by torch or Python."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import placewise as tf
from placewise import native

from .comparison import both, plain

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

NUMBERS = np.array([0.0, -0.0, 1.0, 1.0, -2.5, 3.25, np.nan, np.inf, -np.inf], np.float32)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(*[st.integers(1, 7)] * 2, st.sampled_from([1, 3, 33])),
    st.tuples(*[st.integers(1, 3)] * 4),
    st.sampled_from(["SAME", "VALID"]),
    st.integers(0, 9),
)
def test_windows(
    sizes: tuple[int, int, int], window: tuple[int, ...], padding: str, seed: int
) -> None:
    random = np.random.RandomState(seed)
    x = tf.constant(random.choice(NUMBERS[: 9 if seed % 2 else 6], (2, *sizes)))

    def pooled() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool2d(x, window[:2], window[2:], padding)
            total = tf.reduce_sum(y * 3.0)
        return [y, tape.gradient(total, x), tf.nn.avg_pool2d(x, window[:2], window[2:], padding)]

    quick, slow = both(pooled)
    assert quick == slow


@pytest.mark.parametrize("number", [-np.inf, np.nan])
def test_the_gradient_of_a_window_without_numbers_goes_to_its_first_pixel(number: float) -> None:
    x = tf.fill([1, 3, 3, 1], tf.constant(number, tf.float32))

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(tf.nn.max_pool2d(x, 3, 1, "SAME") * 3.0)
        return tf.reshape(tape.gradient(total, x), [-1])

    expected = plain(tf.constant([12.0, 6, 0, 6, 3, 0, 0, 0, 0]))
    assert both(gradient) == (expected, expected)


@pytest.mark.parametrize("depth", [1, 3, 4])
@pytest.mark.parametrize("kind", [tf.float32, tf.float16])
def test_boxes(depth: int, kind: Any) -> None:
    images = tf.zeros([2, 7, 9, depth], kind)
    places = [[0.1, 0.2, 0.7, 0.8], [-1, -1, 2, 2], [0.5, 0.5, 0.1, 0.9], [0, 0, 1, 1]]
    odd = [[float("nan"), 0, 1, 1], [0, 0, float("inf"), 1], [-1e30, 0, 1e30, 1], [0.9, 0.9, 3, 3]]
    boxes = tf.constant([places, odd])
    colors = tf.constant([[0.5] * 4, [0.25] * 4])
    quick, slow = both(lambda: tf.image.draw_bounding_boxes(images, boxes, colors))
    assert quick == slow


@pytest.mark.parametrize(
    "numbers",
    [
        [1.0, -0.0, float("nan"), float("inf")],
        [1.0, 1e39],
        [1.0, 2],
        [2, 1.0],
        [1, True],
        [1, 2**31],
        [1, 2**70],
        (1, -(2**31)),
        [1.0, "a"],
        [1.0, [2.0]],
    ],
)
@pytest.mark.parametrize("kind", [None, tf.float32, tf.int32])
def test_lists_of_numbers(numbers: Any, kind: Any) -> None:
    quick, slow = both(lambda: tf.constant(numbers, kind))
    assert quick == slow


@pytest.mark.parametrize("width", [(), (1,), (3, 7), (32,), (5, 14)])
def test_rows_added_by_id(width: tuple[int, ...]) -> None:
    random = np.random.RandomState(0)
    rows = tf.constant(random.randn(50, *width).astype("f"))
    ids = random.randint(-1, 9, 50)

    def added() -> Any:
        in_order = tf.math.segment_sum(rows, tf.constant(np.sort(np.abs(ids)), tf.int32))
        return [in_order, tf.math.unsorted_segment_sum(rows, ids, 12)]

    quick, slow = both(added)
    assert quick == slow


@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
def test_single_numbers_are_added_in_the_order_of_torch(kind: Any) -> None:
    random = np.random.RandomState(1)
    numbers, ids = random.randn(3000).astype("float32") * 1e4, random.randint(0, 9, 3000)

    def added() -> Any:
        in_order = tf.math.segment_sum(numbers, tf.constant(np.sort(ids), kind))
        return [in_order, tf.math.unsorted_segment_sum(numbers, tf.constant(ids - 1, kind), 12)]

    quick, slow = both(added)
    assert quick == slow


def test_ids_that_are_not_in_order_are_refused() -> None:
    for kind in (tf.int32, tf.int64):
        ids = tf.constant([*range(100), 98], kind)
        quick, slow = both(lambda ids=ids: tf.math.segment_sum(tf.ones([101]), ids))
        assert quick == slow
        assert "segment ids are not increasing" in quick[1]


@pytest.mark.parametrize("shape", [(5, 5), (2, 3, 6), (7, 2), (1, 4)])
@pytest.mark.parametrize("kind", [tf.float32, tf.float64, tf.int32])
def test_bands_of_matrices(shape: tuple[int, ...], kind: Any) -> None:
    x = tf.ones(shape, kind)
    for lower in range(-1, shape[-2] + 1):
        for upper in range(-1, shape[-1] + 1):
            call = functools.partial(tf.linalg.band_part, x, lower, upper)
            quick, slow = both(call)
            assert quick == slow


def test_sizes_are_checked_before_memory_is_read() -> None:
    x, y = np.zeros(16, np.float32), np.zeros(4, np.float32)
    plan = ((1, 4, 4, 1), (2, 2), (2, 2), (0, 0), (2, 2))
    native.code.pool_images(x, y, *plan, False)
    for wrong in ((1, 4, 5, 1), (1, 4, 4, 0), (2**40, 2**40, 4, 1)):
        with pytest.raises(ValueError, match="sizes"):
            native.code.pool_images(x, y, wrong, *plan[1:], False)
    with pytest.raises(ValueError, match="sizes"):
        native.code.max_pool_gradient(x, y, x[:15].copy(), *plan)
    with pytest.raises(ValueError, match="sizes"):
        native.code.add_rows(x, np.array([0] * 7 + [9]), y, 2, 8)
    with pytest.raises(ValueError, match="sizes"):
        native.code.band_part(np.zeros(16, np.uint8), np.zeros(16, np.uint8), 4, 2**62, 1, 1, 8)
    with pytest.raises(ValueError, match="sizes"):
        native.code.draw_boxes(np.zeros(16, np.uint8), x, np.zeros(1, np.uint8), (1, 4, 5, 1))


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_sparse_tensors_are_added_as_without_the_module(threshold: float) -> None:
    random = np.random.RandomState(0)

    def sparse(count: int, is_ordered: bool) -> Any:
        places = random.choice(100, count, replace=False)
        places = np.sort(places) if is_ordered else places
        values = random.randn(count).astype("float32")
        return tf.SparseTensor(np.stack(np.divmod(places, 10), 1), values, [10, 10])

    for first, second in (
        ((30, True), (40, True)),
        ((30, False), (5, True)),
        ((0, True), (9, True)),
    ):
        x, y = sparse(*first), sparse(*second)
        quick, slow = both(lambda x=x, y=y: tf.sparse.add(x, y, threshold))
        assert quick == slow


def test_only_ascending_keys_are_united() -> None:
    def unite(first: list[int], second: list[int]) -> Any:
        arrays = [np.array(keys, np.int64) for keys in (first, second)]
        places = [np.zeros_like(keys) for keys in arrays]
        origins = np.zeros(len(first) + len(second), np.int64)
        size = native.code.unite(*arrays, *places, origins)
        return size, [each.tolist() for each in places], origins[: max(size, 0)].tolist()

    assert unite([1, 4, 6], [4, 5]) == (4, [[0, 1, 3], [1, 2]], [0, 1, 4, 2])
    assert unite([], []) == (0, [[], []], [])
    assert unite([1, 1], [2])[0] == unite([1], [3, 2])[0] == -1
    with pytest.raises(ValueError, match="do not agree"):
        native.code.unite(*np.zeros((4, 3), np.int64), np.zeros(5, np.int64))
