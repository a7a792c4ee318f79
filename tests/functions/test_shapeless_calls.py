"""Traces that are called with tensors of other shapes than they were traced for."""

import numpy as np
import pytest

import placewise as tf


def trace(function, *shapes):
    return tf.function(function).get_concrete_function(*[tf.TensorSpec(shape) for shape in shapes])


@pytest.mark.parametrize("shape", [[3], [3, 2], []])
def test_an_eager_tensor_may_have_another_shape(shape):
    concrete = trace(lambda x: x * 2.0, [2])
    result = concrete(tf.ones(shape))
    assert result.shape == shape
    assert np.all(result.numpy() == 2.0)
    assert concrete(tf.ones([2])).shape == [2]


def test_what_the_trace_read_of_shapes_stays():
    concrete = trace(lambda x: tf.reduce_sum(x) / x.shape[0], [2])
    assert float(concrete(tf.ones([4]))) == 2.0


def test_a_shape_known_to_the_trace_is_a_constant_as_in_tensorflow():
    concrete = trace(lambda x: tf.shape(x), [2])
    assert concrete(tf.ones([5])).numpy().tolist() == [2]


def test_loops_branches_and_variables_take_other_shapes():
    total = tf.Variable(0.0)

    def function(x):
        for _ in tf.range(3):
            x = tf.concat([x, x], 0)[::2] + 1.0
        total.assign_add(tf.reduce_sum(x))
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x, lambda: -x)

    concrete = trace(function, [2])
    assert concrete(tf.zeros([5])).numpy().tolist() == [3.0] * 5
    assert float(total) == 15.0


def test_the_gradient_has_the_shape_of_the_argument():
    weights = tf.Variable([[1.0], [2.0]])
    concrete = trace(lambda x: tf.matmul(x, weights) ** 2, [1, 2])
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = concrete(x)
    by_x, by_weights = tape.gradient(result, [x, weights])
    assert by_x.numpy().tolist() == [[6.0, 12.0]] * 3
    assert by_weights.numpy().tolist() == [[18.0], [18.0]]


def test_an_op_that_cannot_take_the_shape_raises():
    concrete = trace(lambda x: tf.matmul(x, tf.ones([2, 2])), [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        concrete(tf.ones([2, 3]))


@pytest.mark.parametrize("argument", [np.ones(3, np.float32), [1.0, 2.0, 3.0]])
def test_what_is_no_tensor_must_have_the_shape(argument):
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        trace(lambda x: x * 2.0, [2])(argument)


def test_variables_and_tensors_of_graphs_must_have_the_shape():
    concrete = trace(lambda x: x * 2.0, [2])
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        concrete(tf.Variable([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="not compatible with the shape"):
        tf.function(concrete)(tf.ones([3]))


def test_structures_are_given_flat():
    concrete = tf.function(lambda d, y: d["a"] + y).get_concrete_function(
        {"a": tf.TensorSpec([2])}, tf.TensorSpec([2])
    )
    assert concrete(d=tf.ones([3]), y=tf.ones([3])).shape == [3]
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        concrete({"a": tf.ones([3])}, tf.ones([3]))
