"""What is written over: only what nobody reads afterwards."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")

X = np.linspace(-2, 2, 1000, dtype="f")


def test_a_result_may_be_written_over_its_last_input():
    x = tf.placeholder(tf.float32, [1000])
    y = tf.nn.relu(tf.exp(x) * x)
    with tf.Session() as session:
        value = session.run(y, {x: X})
        np.testing.assert_allclose(value, np.maximum(np.exp(X) * X, 0), rtol=1e-6)
        np.testing.assert_allclose(session.run(y, {x: X}), value)


def test_what_is_fetched_or_read_again_is_not_written_over():
    x = tf.placeholder(tf.float32, [1000])
    inner = tf.exp(x)
    y, z = tf.nn.relu(inner - 1.0), inner * 2.0
    with tf.Session() as session:
        one, two, three = session.run([inner, y, z], {x: X})
    np.testing.assert_allclose(one, np.exp(X), rtol=1e-6)
    np.testing.assert_allclose(two, np.maximum(np.exp(X) - 1, 0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(three, 2 * np.exp(X), rtol=1e-6)


def test_a_broadcast_is_not_written_over_its_smaller_input():
    row, x = tf.placeholder(tf.float32, [1, 1000]), tf.placeholder(tf.float32, [3, 1000])
    y = tf.exp(row) + x
    z = x + tf.exp(row)
    with tf.Session() as session:
        for value in session.run([y, z], {row: X[None], x: np.ones([3, 1000])}):
            np.testing.assert_allclose(value, np.exp(X)[None] + np.ones([3, 1]), rtol=1e-6)


def test_feeds_variables_and_constants_are_never_written_over():
    x = tf.placeholder(tf.float32, [1000])
    v, c = tf.Variable(X, use_resource=False), tf.constant(X)
    fetched = [tf.nn.relu(x), tf.nn.relu(v), tf.nn.relu(c), tf.nn.relu(tf.reshape(x, [10, 100]))]
    given = X.copy()
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(2):
            for value in session.run(fetched, {x: given}):
                np.testing.assert_array_equal(value.reshape(-1), np.maximum(X, 0))
        np.testing.assert_array_equal(given, X)
        np.testing.assert_array_equal(session.run(v), X)


def test_a_loop_does_not_write_over_what_comes_from_outside():
    x = tf.placeholder(tf.float32, [1000])
    outside = tf.exp(x)
    total = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + tf.nn.relu(outside - 1.0)),
                          (tf.constant(0), tf.zeros([1000])))[1]  # fmt: skip
    with tf.Session() as session:
        value = session.run(total, {x: X})
    np.testing.assert_allclose(value, 3 * np.maximum(np.exp(X) - 1, 0), rtol=1e-5, atol=1e-5)
