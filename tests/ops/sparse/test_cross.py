"""What crossing sparse columns refuses."""

import numpy as np
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


def test_the_dtype_of_the_result_decides_between_text_and_hash():
    parts = {
        "indices": [np.array([[0, 0], [1, 0]])],
        "values": [np.array([b"a", b"b"], object)],
        "shapes": [np.array([2, 1])],
        "dense_inputs": [np.array([[b"x"], [b"y"]], object)],
        "num_buckets": 10,
        "hash_key": 5,
        "internal_type": tf.string,
    }
    for hashed in (True, False):
        made = tf.raw_ops.SparseCross(**parts, hashed_output=hashed, out_type=tf.string)
        assert made[1].numpy().tolist() == [b"a_X_x", b"b_X_y"]
        made = tf.raw_ops.SparseCross(**parts, hashed_output=hashed, out_type=tf.int64)
        assert made[1].dtype == tf.int64
    parts["dense_inputs"] = [np.array([[1], [2]])]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Dense inputs should be of internal type 7"
    ):
        tf.raw_ops.SparseCross(**parts, hashed_output=True, out_type=tf.int64)
