"""A function called with one tensor for several arguments: each use counts once in its gradient."""

import pytest

import placewise as tf

tf1 = tf.compat.v1


def branch(a, b):
    @tf.function
    def h(z):
        return tf.cond(z > 0, lambda: z * a, lambda: z)

    return h(a)


def branch_of_arguments(a, b):
    return tf.function(lambda z, y: tf.cond(z > 0, lambda: z * y, lambda: z))(a, a)


def nested(a, b):
    @tf.function
    def h(z):
        k = tf.function(lambda q: q * z * a)
        return tf.cond(z > 0, lambda: k(z), lambda: k(b))

    return h(a) + h(b)


def loop(a, b):
    @tf.function
    def h(z):
        y = z + 0.0
        for _ in tf.range(2):
            y = y * z * a
        return y

    return h(a)


def branch_in_loop(a, b):
    @tf.function
    def h(z, w):
        y = z
        for _ in tf.range(2):
            if y > 0:  # noqa: SIM108  # converted to a branch of the graph
                y = y * w + z * a
            else:
                y = y + b * w
        return y

    return h(a, a) + h(b, a)


# What TensorFlow 2.21 gives at a = 2, b = 5.
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (branch, [4.0, 0.0]),
        (branch_of_arguments, [4.0, 0.0]),
        (nested, [37.0, 20.0]),
        (loop, [80.0, 0.0]),
        (branch_in_loop, [73.0, 10.0]),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_gradient_is_tensorflows_where_a_tensor_is_captured_twice(make, expected):
    with tf.Graph().as_default():
        a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
        gradients = tf1.gradients(make(a, b), [a, b], unconnected_gradients="zero")
        with tf1.Session() as session:
            assert session.run(gradients, {a: 2.0, b: 5.0}) == expected
