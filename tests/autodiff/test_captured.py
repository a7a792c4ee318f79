"""Gradients inside a function, by tensors of the graphs around it."""

import pytest

import placewise as tf

v1 = tf.compat.v1


def in_graph(build):
    """Return the values of what `build` makes of a tensor 2 and a variable 3 of a graph."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(2.0)
        w = v1.get_variable("w", initializer=3.0, use_resource=True)
        made = build(x, w)
        session.run(v1.global_variables_initializer())
        return [None if each is None else float(session.run(each)) for each in made]


@pytest.mark.parametrize(
    "build, wanted",
    [
        (lambda x, w: tf.function(lambda: v1.gradients(x * 3.0, x))(), [3.0]),
        (
            lambda x, w: tf.function(lambda: v1.gradients(tf.function(lambda: x * 3.0)() + x, x))(),
            [4.0],
        ),
        (
            lambda x, w: tf.function(lambda: tf.function(lambda: v1.gradients(x * 3.0 + x, x))())(),
            [4.0],
        ),
        (
            lambda x, w: tf.function(
                lambda: v1.gradients(tf.cond(x > 0, lambda: x * 3.0, lambda: x), x)
            )(),
            [3.0],
        ),
        (
            lambda x, w: tf.function(
                lambda: tf.cond(x > 0, lambda: v1.gradients(x * 3.0, x), lambda: [x])
            )(),
            [3.0],
        ),
        (lambda x, w: tf.function(lambda a: v1.gradients(a * x, [a, x]))(x), [2.0, 2.0]),
        (lambda x, w: tf.function(lambda: v1.gradients(x * w, [x, w]))(), [3.0, 2.0]),
        (
            lambda x, w: tf.function(
                lambda: v1.gradients(tf.function(lambda: x * w)() * w, [x, w])
            )(),
            [9.0, 12.0],
        ),
        (lambda x, w: tf.function(lambda: v1.gradients(x * 3.0, x, grad_ys=x))(), [6.0]),
        (
            lambda x, w: v1.gradients(tf.function(lambda: v1.gradients(x * x * x, x))(), x),
            [12.0],
        ),
        (lambda x, w: tf.function(lambda: v1.gradients(w * 3.0, x))(), [None]),
    ],
    ids=[
        "one function",
        "a function inside",
        "functions around",
        "a branch inside",
        "inside a branch",
        "an argument too",
        "a variable",
        "a variable inside",
        "a given gradient",
        "second order",
        "not connected",
    ],
)
def test_by_a_tensor_of_the_graph_around(build, wanted):
    assert in_graph(build) == wanted


def test_goes_on_through_the_operations_of_the_graph_around():
    def build(x, w):
        y = x * 3.0
        return tf.function(lambda: v1.gradients(y * y, [x, y]))()

    assert in_graph(build) == [36.0, 12.0]


def test_goes_on_from_function_to_function():
    def build(x, w):
        def outer(a):
            b = a * a
            return tf.function(lambda: v1.gradients(b * x, [a, b, x]))()

        return tf.function(outer)(x)

    assert in_graph(build) == [8.0, 2.0, 4.0]


def test_stops_outside_where_it_is_told_to():
    def build(x, w):
        y = x * x
        return tf.function(lambda: v1.gradients(x * y, [x, y], stop_gradients=[y]))()

    assert in_graph(build) == [4.0, 2.0]


def test_a_loop_of_the_graph_around_is_refused():
    def build(x, w):
        (y,) = tf.while_loop(lambda a: a < 10.0, lambda a: (a * x,), [x])
        return tf.function(lambda: v1.gradients(y * 2.0, x))()

    with pytest.raises(NotImplementedError, match="in a graph around this function"):
        in_graph(build)


@pytest.mark.parametrize("size", [[], [200]], ids=["a constant inside", "captured inside"])
def test_by_a_value_known_outside(size):
    x = tf.fill(size, 2.0)
    own = tf.function(lambda: v1.gradients(x * x, x)[0])
    of_function = tf.function(lambda: v1.gradients(tf.function(lambda: x * x)(), x)[0])
    assert own().numpy().max() == 4.0
    assert of_function().numpy().max() == 4.0


def test_by_a_variable_outside():
    w = tf.Variable(3.0)
    assert float(tf.function(lambda: v1.gradients(w * w, w)[0])()) == 6.0
    nested = tf.function(lambda: tf.function(lambda: v1.gradients(w * w, w)[0])())
    assert float(nested()) == 6.0


@pytest.mark.parametrize("wrap", [tf.function, lambda f: f], ids=["in a function", "at once"])
def test_a_tape_sees_a_small_constant_through_functions(wrap):
    x = tf.constant(2.0)

    def squared():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(lambda: tf.function(lambda: x * x)())()
        return tape.gradient(y, x)

    assert float(wrap(squared)()) == 4.0
