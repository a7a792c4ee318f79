"""Eager calls: small operations, conversions to Python and NumPy, scopes, a training step."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}


def to_float(tf: Any) -> Callable[[], object]:
    """Make a Python number of a scalar."""
    scalar = tf.constant(1.5)
    return lambda: float(scalar)


def to_numpy(tf: Any) -> Callable[[], object]:
    """Make an array of a small tensor."""
    tensor = tf.ones([16])
    return lambda: tensor.numpy()


def constant(tf: Any) -> Callable[[], object]:
    """Make a tensor of a list of 100 numbers."""
    numbers = [float(i) for i in range(100)]
    return lambda: tf.constant(numbers)


def long_constant(tf: Any) -> Callable[[], object]:
    """Make a tensor of a list of 10,000 numbers."""
    numbers = [float(i) for i in range(10_000)]
    return lambda: tf.constant(numbers)


def scope(tf: Any) -> Callable[[], object]:
    """Multiply two matrices in a device scope."""
    matrix = tf.ones([16, 16])

    def call() -> Any:
        with tf.device("/CPU:0"):
            return tf.matmul(matrix, matrix)

    return call


def reshape(tf: Any) -> Callable[[], object]:
    """Change the shape of a tensor."""
    tensor = tf.ones([16, 16])
    return lambda: tf.reshape(tensor, [8, 32])


def concat(tf: Any) -> Callable[[], object]:
    """Put two tensors one behind the other."""
    tensor = tf.ones([16, 16])
    return lambda: tf.concat([tensor, tensor], 0)


def zeros(tf: Any) -> Callable[[], object]:
    """Make zeros."""
    return lambda: tf.zeros([16, 16])


def reduce_sum(tf: Any) -> Callable[[], object]:
    """Add the numbers of a matrix along an axis."""
    tensor = tf.ones([16, 16])
    return lambda: tf.reduce_sum(tensor, axis=1)


def assign(tf: Any) -> Callable[[], object]:
    """Assign to a variable."""
    variable, tensor = tf.Variable(tf.zeros([16])), tf.ones([16])
    return lambda: variable.assign(tensor)


def step(tf: Any) -> Callable[[], object]:
    """Take a step of a small network with a tape."""
    random = np.random.RandomState(0)
    sizes = [64, 64, 64, 10]
    weights = [
        tf.Variable(random.randn(a, b).astype("f") / 8) for a, b in itertools.pairwise(sizes)
    ]
    x = tf.constant(random.randn(32, 64), tf.float32)
    labels = tf.constant(random.randint(0, 10, 32))

    def call() -> None:
        with tf.GradientTape() as tape:
            h = x
            for weight in weights[:-1]:
                h = tf.nn.relu(tf.matmul(h, weight))
            logits = tf.matmul(h, weights[-1])
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        for weight, slope in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * slope)

    return call


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "float(scalar)": to_float,
    "numpy() of 16": to_numpy,
    "constant of a list of 100": constant,
    "constant of a list of 10,000": long_constant,
    "matmul 16 x 16 in tf.device": scope,
    "reshape 16 x 16": reshape,
    "concat 16 x 16": concat,
    "zeros 16 x 16": zeros,
    "reduce_sum 16 x 16": reduce_sum,
    "assign 16": assign,
    "eager MLP step": step,
}
