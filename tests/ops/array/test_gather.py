"""Tests of `ops/array/gather.py` and `scattering.py`."""

import numpy as np
import pytest

import placewise as tf

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_gather_is_numpys_take(axis):
    np.testing.assert_array_equal(
        tf.gather(X, [[1, 0], [0, 1]], axis=axis), X.take([[1, 0], [0, 1]], axis)
    )


def test_batches_are_gathered_side_by_side():
    index = np.array([[3, 0], [1, 1]])
    got = tf.gather(X, index, axis=2, batch_dims=1)
    np.testing.assert_array_equal(got, [X[i][:, index[i]] for i in range(2)])


@pytest.mark.parametrize(
    ("indices", "words"),
    [
        ([5], r"indices\[0\] = 5 is not in \[0, 2\)"),
        ([[0], [-1]], r"indices\[1,0\] = -1 is not in"),
        (7, r"indices = 7 is not in \[0, 2\)"),
    ],
)
def test_an_index_out_of_range_raises_on_cpu(indices, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.gather(X, indices)


def test_an_index_out_of_range_gives_zeros_on_gpu():
    with tf.simulate("1xK40c"):
        np.testing.assert_array_equal(tf.gather([1.0, 2.0], [0, 5]), [1, 0])
        np.testing.assert_array_equal(tf.gather_nd([1.0, 2.0], [[0], [5]]), [1, 0])


def test_the_gradient_of_gather_is_slices():
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        rows = tf.gather(x, [1, 1])
        columns = tf.gather(x, [2, 2], axis=1)
    slices = tape.gradient(rows, x)
    assert isinstance(slices, tf.IndexedSlices)
    np.testing.assert_array_equal(slices.indices, [1, 1])
    np.testing.assert_array_equal(slices.dense_shape, X.shape)
    dense = tape.gradient(columns, x)
    assert dense.numpy()[:, 2].min() == dense.numpy()[:, 2].max() == 2


def test_gather_nd_takes_elements_slices_and_nothing():
    np.testing.assert_array_equal(tf.gather_nd(X, [[0, 1, 2], [1, 2, 3]]), [6, 23])
    np.testing.assert_array_equal(tf.gather_nd(X, [[1, 0]]), X[1, :1])
    assert tf.gather_nd(X, np.zeros((2, 0), "int32")).shape == [2, 2, 3, 4]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = \[2, 0, 0\] does not"
    ):
        tf.gather_nd(X, [[2, 0, 0]])


def test_scatter_adds_what_repeats():
    np.testing.assert_array_equal(tf.scatter_nd([[1], [1], [3]], [1, 2, 3], [4]), [0, 3, 0, 3])
    np.testing.assert_array_equal(tf.scatter_nd([[0], [0]], ["a", "b"], [2]), [b"ab", b""])
    np.testing.assert_array_equal(
        tf.scatter_nd([[0]], np.array([60000], "uint16"), [1]).numpy(), [60000]
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("update", [9, 2, 1]),
        ("add", [10, 2, 4]),
        ("sub", [-8, 2, 2]),
        ("max", [9, 2, 3]),
        ("min", [1, 2, 1]),
    ],
)
def test_tensor_scatter_leaves_its_tensor_alone(name, expected):
    x = tf.constant([1, 2, 3])
    function = getattr(tf, f"tensor_scatter_nd_{name}")
    np.testing.assert_array_equal(function(x, [[0], [2]], [9, 1]), expected)
    np.testing.assert_array_equal(x, [1, 2, 3])


def test_later_updates_win():
    np.testing.assert_array_equal(
        tf.tensor_scatter_nd_update([0, 0], [[0], [0], [0]], [1, 2, 3]), [3, 0]
    )
