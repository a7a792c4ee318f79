"""What is written over: only what nobody reads afterwards."""

import numpy as np
import pytest

import placewise
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
    total = tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, y + tf.nn.relu(outside - 1.0)),
        (tf.constant(0), tf.zeros([1000])),
    )[1]
    with tf.Session() as session:
        value = session.run(total, {x: X})
    np.testing.assert_allclose(value, 3 * np.maximum(np.exp(X) - 1, 0), rtol=1e-5, atol=1e-5)


def bytes_of(build):
    """Return the bytes that each node of what `build` makes takes, and the most held at a time."""
    metadata = tf.RunMetadata()
    with placewise.simulate("V100"), tf.Graph().as_default():
        with tf.device("/gpu:0"):
            target = build()
        with tf.Session() as session:
            full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            session.run(target.op, options=full, run_metadata=metadata)
            peak = placewise.memory.snapshot()["GPU:0"].peak_bytes
    nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
    return {
        node.node_name: sum(each.total_bytes for each in node.memory)
        for node in nodes
        if node.memory
    }, peak


def filled():
    """Return a megabyte of numbers, in a shape that is not known before it is made."""
    rows = tf.cast(tf.random_uniform([]) * 0.0, tf.int32) + 256
    return tf.fill(tf.stack([1024, rows]), 3.0)


MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.random_uniform([1024, 256], -1.0, 1.0),
        lambda: tf.random_normal([1024, 256], stddev=0.1),
        lambda: tf.truncated_normal([1024, 256], stddev=0.1),
        lambda: tf.get_variable("v", [1024, 256]).initializer.inputs[1],
        lambda: tf.tanh(filled()),
        lambda: 1.0 - tf.sqrt(filled() * 2.0 + 1.0) / 3.0,
        lambda: tf.maximum(tf.nn.relu(filled()), 0.5),
        lambda: tf.nn.relu(tf.reshape(filled(), [-1])),
    ],
)
def test_one_buffer_does_for_a_chain_of_elementwise_operations(build):
    _, peak = bytes_of(build)
    assert peak < 1.1 * MEGABYTE


@pytest.mark.parametrize(
    "make",
    [lambda: tf.concat([filled(), filled()], 0), lambda: tf.cast(filled(), tf.float64)],
)
def test_what_a_copy_made_is_written_over(make):
    nodes, _ = bytes_of(lambda: tf.tanh(make(), name="last"))
    assert nodes.get("last", 0) == 0


def test_a_variable_of_more_than_half_the_card_can_be_initialised():
    with placewise.simulate("V100:330MiB"), tf.Graph().as_default():
        with tf.device("/gpu:0"):
            v = tf.get_variable("v", [15 * 1024, 1024])
        with tf.Session() as session:
            session.run(v.initializer)
            held = placewise.memory.snapshot()["GPU:0"].held
    assert held[0].nbytes == 60 << 20


@pytest.mark.parametrize("rows", [1, 3])
def test_shapes_that_are_known_late_are_compared_late(rows):
    a, b = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 4])
    one = tf.exp(a) + b  # over the first, unless that has one row
    two = tf.exp(a) * tf.exp(b)
    three = b - tf.exp(a)
    x, y = np.linspace(0, 1, 4 * rows, dtype="f").reshape(rows, 4), np.ones((3, 4), "f")
    with tf.Session() as session:
        for _ in range(2):
            found = session.run([one, two, three], {a: x, b: y})
            for value, wanted in zip(
                found, [np.exp(x) + y, np.exp(x) * np.exp(y), y - np.exp(x)], strict=True
            ):
                np.testing.assert_allclose(value, wanted, rtol=1e-6)


def test_shapes_of_unknown_rank_are_compared_late():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.exp(a) + tf.exp(b)
    with tf.Session() as session:
        for x, z in ((np.ones([2, 3]), np.ones(3)), (np.ones(3), np.ones([2, 3])), (1.0, 2.0)):
            np.testing.assert_allclose(session.run(y, {a: x, b: z}), np.exp(x) + np.exp(z), 1e-6)


def test_a_number_spread_over_a_shape_is_not_written_over():
    x = tf.placeholder(tf.float32, [None])
    (slope,) = tf.gradients(tf.reduce_mean(-x), x)
    with tf.Session() as session:
        value = session.run(slope, {x: np.ones(5)})
        np.testing.assert_allclose(value, [-0.2] * 5)
        (slope,) = tf.gradients(tf.reduce_mean(x), x)
        value = session.run(slope, {x: np.ones(5)})
        value[0] = 7  # the caller's own, each element by itself
        np.testing.assert_allclose(value, [7, 0.2, 0.2, 0.2, 0.2])


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_a_bias_is_added_in_place(layout):
    shape = [None, 2, 3, 4] if layout == "NHWC" else [None, 4, 2, 3]
    x, bias = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, [4])
    y = tf.nn.relu(tf.nn.bias_add(tf.exp(x), bias, data_format=layout))
    value, by = np.linspace(-1, 1, 24, dtype="f").reshape([1, *shape[1:]]), np.arange(-2.0, 2.0)
    spread = by if layout == "NHWC" else by.reshape(4, 1, 1)
    with tf.Session() as session:
        found = session.run(y, {x: value, bias: by})
    np.testing.assert_allclose(found, np.maximum(np.exp(value) + spread, 0), 1e-5, 1e-6)
