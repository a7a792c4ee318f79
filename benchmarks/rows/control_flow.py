"""Loops, branches and mapped functions, in functions and eagerly; calls of small models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}


def counting(tf: Any) -> Callable[[], object]:
    """Count to 10,000 in a loop of a function."""

    @tf.function
    def count() -> Any:
        return tf.while_loop(lambda i, _: i < 10_000, lambda i, x: (i + 1, x + 0.5), (0, 0.0))

    return count


def converted(tf: Any) -> Callable[[], object]:
    """Run Python's `for` and `if` over 2,000 numbers in a function."""
    numbers = tf.range(2000)

    @tf.function
    def total() -> Any:
        result = 0
        for number in numbers:
            if number % 2 == 0:
                result += number
            else:
                result -= 1
        return result

    return total


def eager_loop(tf: Any) -> Callable[[], object]:
    """Count to 1,000 in a loop that runs at once."""
    return lambda: tf.while_loop(lambda i: i < 1000, lambda i: (i + 1,), (tf.constant(0),))


def mapped(tf: Any) -> Callable[[], object]:
    """Map a function over 1,000 rows, in a function."""
    rows = tf.ones([1000, 8])
    return tf.function(lambda: tf.map_fn(lambda row: tf.reduce_sum(row) * row, rows))


def scanned(tf: Any) -> Callable[[], object]:
    """Scan 1,000 rows, in a function."""
    rows = tf.ones([1000, 8])
    return tf.function(lambda: tf.scan(lambda before, row: before * 0.5 + row, rows))


def loop_gradient(tf: Any) -> Callable[[], object]:
    """Take the gradient of a loop of 200 steps."""
    x = tf.Variable(tf.ones([8]))

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = x * 1.0
            for _ in tf.range(200):
                y = tf.tanh(y * 1.01)
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, x)

    return step


def jacobian(tf: Any) -> Callable[[], object]:
    """Take a Jacobian of 16 by 16 numbers, eagerly."""
    matrix = tf.constant(np.random.RandomState(0).randn(16, 16).astype("f"))
    x = tf.ones([16])

    def call() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.linalg.matvec(matrix, x))
        return tape.jacobian(y, x)

    return call


def model(tf: Any) -> Any:
    """Return a small model that was called."""
    layers = tf.keras.layers
    made = tf.keras.Sequential(
        [layers.Dense(32, "relu"), layers.Dense(32, "relu"), layers.Dense(1)]
    )
    made.compile("adam", "mse")
    made(tf.ones([1, 16]))
    return made


def predicted(tf: Any) -> Callable[[], object]:
    """Predict one sample as a batch."""
    made, x = model(tf), np.ones([1, 16], "f")
    return lambda: made.predict_on_batch(x)


def called(tf: Any) -> Callable[[], object]:
    """Call a function of a model with one sample."""
    made, x = model(tf), tf.ones([1, 16])
    function = tf.function(lambda x: made(x))
    return lambda: function(x)


def trained(tf: Any) -> Callable[[], object]:
    """Train on one sample as a batch."""
    made, x, y = model(tf), np.ones([1, 16], "f"), np.ones([1, 1], "f")
    return lambda: made.train_on_batch(x, y)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "while_loop to 10,000, function": counting,
    "for and if over 2,000 numbers, function": converted,
    "while_loop to 1,000, eager": eager_loop,
    "map_fn over 1,000 rows, function": mapped,
    "scan over 1,000 rows, function": scanned,
    "gradient of a loop of 200, function": loop_gradient,
    "jacobian of 16 x 16, eager": jacobian,
    "small model, predict_on_batch of one": predicted,
    "small model, a call in a function": called,
    "small model, train_on_batch of one": trained,
}
