"""Recurrent networks and loops: layers in functions, dynamic and unrolled cells, decoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rows.plans import one_thread

LIMIT = 0.8
LIMITS: dict[str, tuple[float, str]] = {}
STEPS, BATCH, SIZE = 20, 32, 32


def numbers(*dims: int) -> Any:
    """Return random numbers, the same each time."""
    return np.random.RandomState(0).randn(*dims).astype("f")


def layer(tf: Any, kind: str) -> Callable[[], object]:
    """Call a Keras layer and its gradient, in a function."""
    recurrent = getattr(tf.keras.layers, kind)(SIZE)
    x = tf.constant(numbers(BATCH, STEPS, SIZE))
    recurrent(x)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(recurrent(x))
        return tape.gradient(loss, recurrent.trainable_variables)

    return step


def dynamic(tf: Any, with_gradient: bool) -> Callable[[], object]:
    """Run a loop over an LSTM's steps in a session."""
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [BATCH, STEPS, SIZE])
        kernel = v1.get_variable("kernel", initializer=numbers(2 * SIZE, 4 * SIZE) / 8)
        rows = tf.TensorArray(tf.float32, STEPS, element_shape=[BATCH, SIZE]).unstack(
            tf.transpose(x, [1, 0, 2])
        )

        def body(place: Any, h: Any, c: Any) -> Any:
            gates = tf.matmul(tf.concat([rows.read(place), h], 1), kernel)
            i, j, f, o = tf.split(gates, 4, 1)
            c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            return place + 1, tf.tanh(c) * tf.sigmoid(o), c

        zero = tf.zeros([BATCH, SIZE])
        _, h, _ = tf.while_loop(lambda i, h, c: i < STEPS, body, (tf.constant(0), zero, zero))
        fetched = h
        if with_gradient:
            loss = tf.reduce_sum(h)
            fetched = v1.train.GradientDescentOptimizer(1e-6).minimize(loss)
        session = v1.Session(config=one_thread(v1))
        session.run(v1.global_variables_initializer())
    feed = {x: numbers(BATCH, STEPS, SIZE)}
    return lambda: session.run(fetched, feed)


def unrolled(tf: Any) -> Callable[[], object]:
    """Take a training step of an LSTM written out step by step, in a session."""
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [BATCH, STEPS, SIZE])
        kernel = v1.get_variable("kernel", initializer=numbers(2 * SIZE, 4 * SIZE) / 8)
        bias = v1.get_variable("bias", initializer=np.zeros(4 * SIZE, "f"))
        h = c = tf.zeros([BATCH, SIZE])
        for row in tf.unstack(x, axis=1):
            gates = tf.nn.bias_add(tf.matmul(tf.concat([row, h], 1), kernel), bias)
            i, j, f, o = tf.split(gates, 4, 1)
            c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            h = tf.tanh(c) * tf.sigmoid(o)
        step = v1.train.GradientDescentOptimizer(1e-6).minimize(tf.reduce_sum(h))
        session = v1.Session(config=one_thread(v1))
        session.run(v1.global_variables_initializer())
    feed = {x: numbers(BATCH, STEPS, SIZE)}
    return lambda: session.run(step, feed)


def decoding(tf: Any) -> Callable[[], object]:
    """Choose 50 words one after the other, each the likeliest after the one before."""
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        table = v1.get_variable("table", initializer=numbers(1000, SIZE))
        kernel = v1.get_variable("kernel", initializer=numbers(2 * SIZE, SIZE) / 8)
        words = tf.TensorArray(tf.int32, 50, element_shape=[BATCH])

        def body(place: Any, word: Any, h: Any, words: Any) -> Any:
            h = tf.tanh(tf.matmul(tf.concat([tf.gather(table, word), h], 1), kernel))
            scores = tf.matmul(h, table, transpose_b=True)
            word = tf.argmax(scores, 1, output_type=tf.int32)
            return place + 1, word, h, words.write(place, word)

        start = (tf.constant(0), tf.zeros([BATCH], tf.int32), tf.zeros([BATCH, SIZE]), words)
        fetched = tf.while_loop(lambda i, *_: i < 50, body, start)[3].stack()
        session = v1.Session(config=one_thread(v1))
        session.run(v1.global_variables_initializer())
    return lambda: session.run(fetched)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "GRU layer, step in a function": lambda tf: layer(tf, "GRU"),
    "LSTM layer, step in a function": lambda tf: layer(tf, "LSTM"),
    "dynamic LSTM, forward": lambda tf: dynamic(tf, False),
    "dynamic LSTM, training step": lambda tf: dynamic(tf, True),
    "unrolled LSTM, training step": unrolled,
    "greedy decoding, 50 words": decoding,
}
