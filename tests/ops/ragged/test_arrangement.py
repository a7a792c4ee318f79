"""Ragged tensors chosen from, split and made dense."""

import numpy as np
import pytest

import placewise as tf

MASK = [[True, False, True], [False, True]]


def test_where_takes_lists_that_stretch_beside_a_ragged_condition():
    condition = tf.ragged.constant(MASK)
    assert tf.where(condition, [[1], [2]], 3).to_list() == [[1, 3, 1], [3, 2]]
    data = tf.ragged.constant([[5, 6, 7], [8, 9]], dtype=tf.int64)
    assert tf.where(condition, np.array([[1], [2]]), data).to_list() == [[1, 6, 1], [8, 2]]


def test_where_takes_a_list_as_condition_beside_ragged_data():
    data = tf.ragged.constant([[1, 2, 3], [4, 5]])
    assert tf.where([[True], [False]], data, [[7], [8]]).to_list() == [[1, 2, 3], [8, 8]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.where(tf.ragged.constant(MASK), [[1, 2], [3, 4]], data)


def test_split_of_ragged_tensors_into_no_parts_is_a_value_error():
    with pytest.raises(ValueError, match="`num_or_size_splits` must be >=1"):
        tf.split(tf.ragged.constant([[1], [2, 3]]), 0)


def test_gradient_of_a_dense_tensor_without_room_for_any_value():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def gradients(data):
        default = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch([data.flat_values, default])
            total = tf.reduce_sum(data.to_tensor(default, shape=[0, 0]))
        return tape.gradient(total, [data.flat_values, default])

    by_values, by_default = gradients(tf.ragged.constant([[9.0, 8.0], [4.0]]))
    assert tf.convert_to_tensor(by_values).numpy().tolist() == [0, 0, 0]
    assert by_default.numpy() == 0
