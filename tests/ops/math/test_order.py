"""Sorting, extremes, segments, scans and counting."""

import numpy as np
import pytest

import placewise as tf


def test_equals_keep_their_order():
    assert tf.argsort([2, 1, 2, 1]).numpy().tolist() == [1, 3, 0, 2]
    assert tf.argsort([2, 1, 2, 1], direction="DESCENDING").numpy().tolist() == [0, 2, 1, 3]
    assert tf.math.top_k([5, 7, 5, 7], 3).indices.numpy().tolist() == [1, 3, 0]


def test_top_k_of_many_equals_takes_the_first():
    x = np.zeros(500, np.float32)
    x[[400, 100]] = 1
    assert tf.math.top_k(x, 4).indices.numpy().tolist() == [100, 400, 0, 1]


def test_nan_sorts_last():
    assert np.isnan(tf.sort([3.0, np.nan, 1.0]).numpy()).tolist() == [False, False, True]


def test_the_gradient_of_a_sort_goes_back_where_it_came_from():
    x = tf.constant([[3.0, 1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sort(x) * tf.constant([1.0, 2.0, 3.0])
    assert tape.gradient(y, x).numpy().tolist() == [[3.0, 1.0, 2.0]]


def test_more_than_there_are_raises():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"at least k columns. Had 2, needed 3"
    ):
        tf.math.top_k([1, 2], 3)


def test_segments_must_be_in_order():
    with pytest.raises(tf.errors.InvalidArgumentError, match="segment ids are not increasing"):
        tf.math.segment_sum([1.0, 2.0], [1, 0])


def test_an_empty_segment():
    ids = [0, 0, 2]
    assert tf.math.segment_max([1.0, -2.0, -3.0], ids).numpy().tolist() == [1.0, 0.0, -3.0]
    assert tf.math.segment_mean([1.0, 2.0, 3.0], ids).numpy().tolist() == [1.5, 0.0, 3.0]
    assert tf.math.segment_prod([2, 2, 3], ids).numpy().tolist() == [4, 1, 3]


def test_ids_below_zero_are_left_out():
    assert tf.math.unsorted_segment_sum([1, 2, 3], [1, -1, 1], 2).numpy().tolist() == [0, 4]


def test_an_id_too_large_is_named():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"segment_ids\[1\] = 3 is out of"):
        tf.math.unsorted_segment_sum([1, 2], [0, 3], 2)


def test_running_sums():
    x = tf.constant([1, 2, 3])
    assert tf.cumsum(x, exclusive=True).numpy().tolist() == [0, 1, 3]
    assert tf.cumsum(x, reverse=True).numpy().tolist() == [6, 5, 3]
    assert tf.math.cumprod(x, exclusive=True, reverse=True).numpy().tolist() == [6, 3, 1]


def test_counting():
    assert tf.math.bincount([1, 1, 3]).numpy().tolist() == [0, 2, 0, 1]
    assert tf.math.bincount([[1, 1], [0, 2]], axis=-1).numpy().tolist() == [[0, 2, 0], [1, 0, 1]]
    matrix = tf.math.confusion_matrix([0, 1, 1], [1, 1, 0])
    assert matrix.numpy().tolist() == [[0, 1], [1, 1]]


def test_sobol_points_fill_the_square():
    points = tf.math.sobol_sample(2, 255).numpy()
    np.testing.assert_allclose(points.mean(0), 0.5, atol=1e-2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_nan_is_never_the_largest_nor_the_smallest(dtype):
    x = tf.constant([float("nan"), 1.0, 2.0, float("nan")], dtype)
    assert [int(tf.argmax(x)), int(tf.argmin(x))] == [2, 1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint32"])
@pytest.mark.parametrize("size", [6, 200])
def test_top_k_gives_equals_in_order(dtype, size):
    x = np.zeros((2, size), dtype)
    x[:, 3] = x[:, 5] = 7
    values, indices = tf.math.top_k(tf.constant(x), 4)
    assert values.numpy().tolist() == [[7, 7, 0, 0]] * 2
    assert indices.numpy().tolist() == [[3, 5, 0, 1]] * 2


@pytest.mark.parametrize("size", [4, 200])
def test_top_k_puts_nan_last(size):
    x = np.arange(size, dtype="float32")
    x[[0, 2]] = np.nan
    values, indices = tf.math.top_k(tf.constant(x), size)
    assert indices.numpy().tolist() == [i for i in range(size - 1, 0, -1) if i != 2] + [0, 2]
    assert np.isnan(values.numpy()[-2:]).all()


@pytest.mark.parametrize("shape", [[0, 3], [2, 0], [3]])
def test_top_k_of_nothing_is_empty(shape):
    assert tf.math.top_k(tf.zeros(shape), 0).values.shape == [*shape[:-1], 0]
