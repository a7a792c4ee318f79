"""The second run in the same words is quicker, and gives what the first one gave."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")

WHOLE = np.array([7, -3, 2**31 - 1], np.int32)
REAL = np.array([1.5, -0.0, 3e38], np.float32)
BOTH = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: tf.maximum(x, y) - tf.minimum(x, y),
    lambda x, y: x < y,
    lambda x, y: tf.equal(x, y),
    lambda x, y: tf.logical_not(tf.greater_equal(x, y)),
    lambda x, y: tf.abs(-x) + tf.square(y),
    lambda x, y: (x + x) * 3 - 1,
]
OF_REAL = [lambda x, y: x / y, lambda x, y: tf.sqrt(x) + y]
OF_WHOLE = [lambda x, y: x // 3, lambda x, y: y % 5]


@pytest.mark.parametrize(
    ("function", "given"),
    [(f, REAL) for f in BOTH + OF_REAL] + [(f, WHOLE) for f in BOTH + OF_WHOLE],
)
@pytest.mark.parametrize("shape", [[3], []])
def test_the_second_run_gives_what_the_first_gave(function, given, shape):
    x, y = tf.placeholder(given.dtype, shape), tf.placeholder(given.dtype, shape)
    z = function(x, y)
    one, other = (given, given[::-1].copy()) if shape else (given[2].reshape(()),) * 2
    with tf.Session() as session:
        first = session.run(z, {x: one, y: other})
        second = session.run(z, {x: one, y: other})
    assert type(first) is type(second)
    assert first.dtype == second.dtype
    np.testing.assert_array_equal(first, second)


def test_results_are_the_callers_own():
    x = tf.placeholder(tf.float32, [2])
    y = x + x
    given = np.ones(2, np.float32)
    with tf.Session() as session:
        first, second, third = (session.run(y, {x: given}) for _ in range(3))
    second[0] = 9
    given[1] = 9
    np.testing.assert_array_equal(first, [2, 2])
    np.testing.assert_array_equal(third, [2, 2])


def test_what_does_not_fit_is_told_as_the_first_time():
    x, y = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [None])
    z, w = x + 1.0, x * y
    two, three = np.ones(2, np.float32), np.ones(3, np.float32)
    with tf.Session() as session:
        for _ in range(3):
            np.testing.assert_array_equal(session.run(z, {x: two}), [2, 2])
            np.testing.assert_array_equal(session.run(z, {x: [1, 2]}), [2, 3])
            with pytest.raises(ValueError, match="Cannot feed value of shape"):
                session.run(z, {x: three})
            np.testing.assert_array_equal(session.run(w, {x: two, y: two}), [1, 1])
            with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
                session.run(w, {x: two, y: three})
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(z, {x: two})


def test_a_graph_that_grew_and_tensors_that_may_not_be_fed_any_more_are_noticed():
    x = tf.placeholder(tf.float32, [2])
    y = x + x
    two = np.ones(2, np.float32)
    with tf.Session() as session:
        session.run(y, {x: two})
        session.run(y, {x: two})
        z = y * 3.0
        np.testing.assert_array_equal(session.run(y, {x: two}), [2, 2])
        np.testing.assert_array_equal(session.run(z, {x: two}), [6, 6])
        x.graph.prevent_feeding(x)
        with pytest.raises(ValueError, match="may not be fed"):
            session.run(y, {x: two})


def test_a_variable_is_read_anew_in_each_run():
    x, v = tf.placeholder(tf.float32, [2]), tf.Variable([1.0, 2.0])
    y = x + v
    two = np.ones(2, np.float32)
    with tf.Session() as session:
        session.run(v.initializer)
        for count in range(3):
            np.testing.assert_array_equal(session.run(y, {x: two}), [2 + count, 3 + count])
            session.run(v.assign_add([1.0, 1.0]))
