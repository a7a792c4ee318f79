"""What crossing sparse columns refuses."""

import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (lambda: [tf.SparseTensor([[0]], [0], [10])], "Expected D2 of index to be 2 got 1"),
        (lambda: [tf.zeros([0], tf.int64)], "Dense inputs should be a matrix"),
    ],
)
def test_columns_that_are_no_matrices_are_refused(inputs, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.cross(inputs())


def test_no_columns_cross_to_nothing():
    assert tf.sparse.cross([]).dense_shape.numpy().tolist() == [0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="separator should be a scalar"):
        tf.sparse.cross([], separator=tf.constant(["a", "b"]))
