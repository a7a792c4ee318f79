"""Long chains of small operations: the same numbers as one by one, and told in traces."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def chain(x, length=40):
    y = x
    for index in range(length):
        y = tf.maximum(y * x - 0.25, x) if index % 2 else tf.abs(y + x) / 2.0
    return y


def by_hand(x, length=40):
    y = x
    for index in range(length):
        y = np.maximum(y * x - np.float32(0.25), x) if index % 2 else np.abs(y + x) / np.float32(2)
    return y


def test_a_chain_is_computed_on_arrays_and_its_gradient_too():
    x = tf.placeholder(tf.float32, [3])
    y = chain(x)
    (slope,) = tf.gradients(y, [x])
    given = np.array([0.5, 0.9, 1.01], "f")
    with tf.Session() as session:
        assert "AddV2(" not in session.source(y, [x])
        np.testing.assert_allclose(session.run(y, {x: given}), by_hand(given), rtol=1e-6)
        found = session.run(slope, {x: given})
    step = 1e-4
    double = given.astype("d")
    expected = (by_hand(double + step) - by_hand(double - step)) / (2 * step)
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=1e-3)


def test_a_short_chain_stays_with_torch():
    x = tf.placeholder(tf.float32, [3])
    with tf.Session() as session:
        assert "AddV2(" in session.source(x + x, [x])


def test_what_is_large_unknown_or_on_a_gpu_stays_with_torch():
    with tf.simulate("K40c"):
        with tf.device("/gpu:0"):
            on_gpu = tf.placeholder(tf.float32, [3])
            y = chain(on_gpu)
        large = tf.placeholder(tf.float32, [1000])
        unknown = tf.placeholder(tf.float32, [None])
        with tf.Session() as session, tf.device("/cpu:0"):
            for result, fed in ((y, on_gpu), (chain(large), large), (chain(unknown), unknown)):
                assert "Mul(" in session.source(result, [fed])


def test_a_variable_in_a_chain_is_read_when_it_is_used():
    v = tf.Variable(1.0, use_resource=False)
    x = tf.placeholder(tf.float32, [])
    before = chain(x) + v
    with tf.control_dependencies([before]):
        change = tf.assign(v, 5.0)
    with tf.control_dependencies([change]):
        after = chain(x) + tf.identity(v)
    with tf.Session() as session:
        session.run(v.initializer)
        one, two = session.run([before, after], {x: 0.5})
    assert two - one == pytest.approx(4.0)


def test_whole_numbers_wrap_in_silence():
    x = tf.placeholder(tf.int32, [])
    y = x
    for _ in range(40):
        y = y * x
    with tf.Session() as session:
        assert session.run(y, {x: 3}) == np.int64(pow(3, 41, 1 << 32)).astype(np.int32)


def test_each_operation_is_in_the_trace():
    x = tf.placeholder(tf.float32, [3])
    y = chain(x)
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(y, {x: np.ones(3)}, tf.RunOptions(trace_level=3), metadata)
    told = {node.node_name for stats in metadata.step_stats.dev_stats for node in stats.node_stats}
    assert {y.op.name, "Abs", "add"} <= told
