"""Fed arrays: not copied where the plan only looks at them, and never shared with state."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def lent(session, fetches, feeds):
    session.source(fetches, feeds)
    return list(session._executables.values())[-1].uncopied_feeds


def test_what_is_only_looked_at_is_lent():
    x, y = tf.placeholder(tf.float32, [2, 2]), tf.placeholder(tf.float32, [4])
    with tf.Session() as session:
        fetched = tf.matmul(x, tf.reshape(y, [2, 2]))
        assert lent(session, fetched, [x, y]) == (True, True)


def test_what_a_variable_keeps_is_copied():
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable(np.zeros(2, "f"), use_resource=True)
    kept = v.assign(tf.reshape(tf.identity(x), [2]))
    given = np.ones(2, "f")
    with tf.Session() as session:
        assert lent(session, kept.op, [x]) == (False,)
        session.run(kept.op, {x: given})
        given[:] = 7
        np.testing.assert_array_equal(session.run(v), [1, 1])


def test_a_feed_that_is_fetched_is_a_copy():
    x = tf.placeholder(tf.float32, [4])
    given = np.ones(4, "f")
    with tf.Session() as session:
        for fetched in (x, tf.identity(x), tf.reshape(x, [2, 2]), x[1:]):
            value = session.run(fetched, {x: given})
            value[...] = 5
            assert not np.shares_memory(value, given)
    np.testing.assert_array_equal(given, 1)


@pytest.mark.parametrize("change", ["read-only", "reversed", "column", "unaligned"])
def test_arrays_that_torch_cannot_borrow_are_copied(change):
    given = np.arange(6, dtype="f")
    if change == "read-only":
        given.flags.writeable = False
    elif change == "reversed":
        given = given[::-1]
    elif change == "column":
        given = np.stack([given, given], 1)[:, 0]
    else:
        given = np.frombuffer(bytearray(1) + given.tobytes(), "f", offset=1)
    x = tf.placeholder(tf.float32, [6])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(x * 2.0, {x: given}), given * 2)
