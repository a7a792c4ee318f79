"""What nobody reads is not computed, unless somebody asks for it to be run."""

from typing import Any

import numpy as np
import pytest

import placewise as tf

v1 = tf.compat.v1


def test_a_loss_of_which_only_the_shape_is_needed_is_not_computed():
    held = tf.Variable(tf.ones([3]))

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(held * held), tf.reduce_sum(held)])
        held.assign_sub(0.5 * tape.gradient(loss, held))

    step()
    source = step.get_concrete_function().source()
    assert "Sum(" not in source
    np.testing.assert_array_equal(held.numpy(), [-0.5, -0.5, -0.5])


def test_checks_run_although_only_the_shape_of_their_result_is_read():
    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.debugging.check_numerics(tf.reduce_sum(x), "bad")
        return tape.gradient(y, x)

    np.testing.assert_array_equal(slope(tf.constant([1.0, 2.0])).numpy(), [1.0, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        slope(tf.constant([1.0, np.nan]))


def test_an_operation_that_is_fetched_or_waited_for_runs():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.int32, [])
        quotient = 1 // x
        with tf.control_dependencies([quotient]):
            other = tf.constant(1) + x
        with v1.Session() as session:
            for fetch in (quotient.op, other):
                with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
                    session.run(fetch, {x: 0})


def test_values_that_loops_and_branches_read_stay():
    @tf.function
    def walk(x: Any) -> Any:
        factor = x * 2.0
        for _ in tf.range(3):
            unread = x / 3.0
            x = tf.cond(x[0] > 0, lambda x=x: x * factor, lambda x=x: x)
            tf.zeros_like(unread)
        return x

    np.testing.assert_array_equal(walk(tf.constant([1.0, 2.0])).numpy(), [8.0, 128.0])
