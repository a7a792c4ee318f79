"""Tensors and variables as default values of a function's parameters."""

import placewise as tf


def test_a_tensor_that_is_a_default_is_passed_at_every_call():
    one, two = tf.constant(1.0), tf.constant(2.0)
    plus = tf.function(lambda x, y=two: x + y)
    assert [plus(one).numpy() for _ in range(3)] == [3.0, 3.0, 3.0]
    assert plus(one, one).numpy() == 2.0
    assert plus(one).numpy() == 3.0


def test_a_variable_that_is_a_default_is_changed_at_every_call():
    total = tf.Variable(0.0)
    add = tf.function(lambda total=total: total.assign_add(1.0))
    assert [add().numpy() for _ in range(3)] == [1.0, 2.0, 3.0]
