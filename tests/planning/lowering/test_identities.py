"""Operations that change nothing take no step."""

import numpy as np

import placewise as tf


def test_a_product_with_constant_ones_is_its_other_factor():
    function = tf.function(lambda x: tf.ones([2, 3]) * x * tf.ones([3]))
    assert "Mul" not in function.get_concrete_function(tf.TensorSpec([2, 3])).source()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(function(x), x)


def test_a_product_with_ones_of_a_larger_or_unknown_shape_stays():
    function = tf.function(lambda x: x * tf.ones([2, 3]))
    for dims in ([3], [None, 3], None):
        assert "Mul(" in function.get_concrete_function(tf.TensorSpec(dims)).source()
    assert function(tf.ones([3])).shape == [2, 3]
    assert function(tf.ones([1, 3])).shape == [2, 3]
