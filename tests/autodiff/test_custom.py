"""Gradients that a program gives itself."""

import pytest

import placewise as tf


def test_the_given_gradient_is_used():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 100.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    assert float(y) == 9.0
    assert float(tape.gradient(y, x)) == 100.0


def test_several_inputs_and_outputs():
    @tf.custom_gradient
    def both(a, b):
        def gradient(da, db):
            return da * 2.0, db * 3.0

        return (a + 1.0, b + 1.0), gradient

    a, b = tf.constant(1.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        x, y = both(a, b)
        loss = x + y
    assert [float(g) for g in tape.gradient(loss, [a, b])] == [2.0, 3.0]


def test_returning_an_argument_unchanged():
    @tf.custom_gradient
    def same(x):
        return x, lambda dy: dy * 7.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = same(x)
    assert float(tape.gradient(y, x)) == 7.0


def test_variables_inside_must_be_accepted():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def without(x):
        return x * v, lambda dy: dy

    with pytest.raises(TypeError, match="must accept a 'variables' keyword argument"):
        without(tf.constant(1.0))

    @tf.custom_gradient
    def good(x):
        def gradient(dy, variables=None):
            return dy * 5.0, [dy * 6.0 for _ in variables]

        return x * v, gradient

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = good(x)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [5.0, 6.0]


def test_recompute_grad_gives_the_same_gradient():
    v = tf.Variable(3.0)
    calls = []

    def f(a):
        calls.append(1)
        return a * a * v

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(f)(x)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [12.0, 4.0]
    assert len(calls) == 2


def test_grad_pass_through():
    x = tf.constant([1.4])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(tf.round)(x)
    assert y.numpy().tolist() == [1.0]
    assert tape.gradient(y, x).numpy().tolist() == [1.0]


def test_second_order_through_a_custom_gradient():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda dy: dy * 3.0 * x**2

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        dy = inner.gradient(y, x)
    assert float(dy) == 12.0
    assert float(outer.gradient(dy, x)) == 12.0
