"""The types that editors and type checkers see: `make types` reads this file, and it runs."""

from typing import assert_type

import placewise as tf


def test_most_used_functions_return_tensors() -> None:
    x = assert_type(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.Tensor)
    results = [
        assert_type(tf.convert_to_tensor([1.0]), tf.Tensor),
        assert_type(tf.zeros([2]), tf.Tensor),
        assert_type(tf.ones([2]), tf.Tensor),
        assert_type(tf.zeros_like(x), tf.Tensor),
        assert_type(tf.ones_like(x), tf.Tensor),
        assert_type(tf.fill([2], 1.0), tf.Tensor),
        assert_type(tf.range(3), tf.Tensor),
        assert_type(tf.cast(x, tf.int32), tf.Tensor),
        assert_type(tf.reshape(x, [4]), tf.Tensor),
        assert_type(tf.transpose(x), tf.Tensor),
        assert_type(tf.concat([x, x], 0), tf.Tensor),
        assert_type(tf.stack([x, x]), tf.Tensor),
        assert_type(tf.expand_dims(x, 0), tf.Tensor),
        assert_type(tf.squeeze(x), tf.Tensor),
        assert_type(tf.shape(x), tf.Tensor),
        assert_type(tf.gather(x, [0]), tf.Tensor),
        assert_type(tf.where(x > 0, x, x), tf.Tensor),
        assert_type(tf.matmul(x, x), tf.Tensor),
        assert_type(tf.add(x, x), tf.Tensor),
        assert_type(tf.subtract(x, x), tf.Tensor),
        assert_type(tf.multiply(x, x), tf.Tensor),
        assert_type(tf.maximum(x, x), tf.Tensor),
        assert_type(tf.square(x), tf.Tensor),
        assert_type(tf.exp(x), tf.Tensor),
        assert_type(tf.sqrt(x), tf.Tensor),
        assert_type(tf.tanh(x), tf.Tensor),
        assert_type(tf.sigmoid(x), tf.Tensor),
        assert_type(tf.reduce_sum(x), tf.Tensor),
        assert_type(tf.reduce_mean(x, axis=1), tf.Tensor),
        assert_type(tf.reduce_max(x), tf.Tensor),
        assert_type(tf.reduce_min(x), tf.Tensor),
        assert_type(tf.argmax(x), tf.Tensor),
        assert_type(tf.equal(x, x), tf.Tensor),
        assert_type(tf.one_hot([1], 2), tf.Tensor),
        assert_type(tf.identity(x), tf.Tensor),
        assert_type(tf.tile(x, [1, 2]), tf.Tensor),
        assert_type(tf.pad(x, [[1, 1], [0, 0]]), tf.Tensor),
        assert_type(tf.clip_by_value(x, 0, 1), tf.Tensor),
    ]
    assert all(isinstance(result, tf.Tensor) for result in results)


def test_operators_of_tensors_return_tensors() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    results = [
        assert_type(x + 1.0, tf.Tensor),
        assert_type(2.0 * x, tf.Tensor),
        assert_type(x / x, tf.Tensor),
        assert_type(x @ x, tf.Tensor),
        assert_type(x**2, tf.Tensor),
        assert_type(-x, tf.Tensor),
        assert_type(x > 0, tf.Tensor),
        assert_type(x[0, :1], tf.Tensor),
    ]
    assert all(isinstance(result, tf.Tensor) for result in results)


def test_classes_are_themselves() -> None:
    variable = assert_type(tf.Variable([1.0]), tf.Variable)
    tape = assert_type(tf.GradientTape(), tf.GradientTape)
    dtype = assert_type(tf.float32, tf.DType)
    assert isinstance(variable, tf.Variable)
    assert isinstance(tape, tf.GradientTape)
    assert isinstance(dtype, tf.DType)
