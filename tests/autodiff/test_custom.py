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


def of_squares(f, x, *others):
    """Return the gradient of f(x, x)."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, x)
    return [g if g is None else g.numpy().tolist() for g in tape.gradient(y, [x, *others])]


def test_recompute_grad_of_one_tensor_given_twice():
    x = tf.constant([1.0, 2.0])
    assert of_squares(tf.recompute_grad(lambda a, b: a * b), x) == [[2.0, 4.0]]


def test_recompute_grad_of_one_tensor_given_twice_in_a_list():
    x = tf.constant([1.0, 2.0])
    product = tf.recompute_grad(lambda pair: pair[0] * pair[1])
    assert of_squares(lambda a, b: product([a, b]), x) == [[2.0, 4.0]]


def test_recompute_grad_of_one_tensor_given_twice_beside_a_variable():
    v = tf.Variable([3.0, 4.0])
    x = tf.constant([1.0, 2.0])
    found = of_squares(tf.recompute_grad(lambda a, b: a * b * v), x, v)
    assert found == [[6.0, 16.0], [1.0, 4.0]]


def test_recompute_grad_of_one_tensor_given_twice_in_a_function():
    x = tf.constant([1.0, 2.0])
    assert of_squares(tf.function(tf.recompute_grad(lambda a, b: a * b)), x) == [[2.0, 4.0]]


def test_recompute_grad_within_recompute_grad():
    x = tf.constant([1.0, 2.0])
    product = tf.recompute_grad(lambda a, b: a * b)
    assert of_squares(tf.recompute_grad(lambda a, b: product(a, b) * b), x) == [[3.0, 12.0]]


def test_recompute_grad_of_what_has_no_part_is_zero():
    x, unused = tf.constant(2.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, unused])
        y = tf.recompute_grad(lambda a, b: a * a)(x, unused)
    assert [float(g) for g in tape.gradient(y, [x, unused])] == [4.0, 0.0]


def test_custom_gradient_of_one_tensor_given_twice():
    @tf.custom_gradient
    def product(a, b):
        return a * b, lambda dy: (dy * b * 10.0, dy * a * 100.0)

    x = tf.constant([1.0, 2.0])
    assert of_squares(product, x) == [[110.0, 220.0]]
    assert of_squares(tf.function(product), x) == [[110.0, 220.0]]


def test_a_function_with_a_custom_gradient_sees_the_arguments_of_its_caller():
    seen = []

    @tf.custom_gradient
    def add_three(x, count):
        seen.extend([type(x), type(count)])
        x.assign_add(3.0)
        return x, lambda dy: (2.0 * dy, None)

    variable = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = add_three(variable, 2)
    assert float(y) == float(variable) == 5.0
    assert float(tape.gradient(y, variable)) == 2.0
    assert seen == [type(variable), int]


def test_recompute_grad_of_a_variable_given_as_an_argument():
    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda x: x * x * b)(a)
    assert [float(g) for g in tape.gradient(y, [a, b])] == [20.0, 4.0]
