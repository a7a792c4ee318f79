"""Long runs in one process: resident memory must not grow."""

from __future__ import annotations

import gc
import resource
from collections.abc import Callable
from pathlib import Path

import placewise as tf

_tf1 = tf.compat.v1


def resident_bytes() -> int:
    """Return the memory that the process has in RAM."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def growth(work: Callable[[], None], count: int) -> float:
    """Return by which part memory grows from a fifth of `count` calls to all of them."""
    for _ in range(count // 5):
        work()
    gc.collect()
    before = resident_bytes()
    for _ in range(count - count // 5):
        work()
    gc.collect()
    return resident_bytes() / before - 1


def grown(work: Callable[[], None], count: int) -> list[str]:
    """Return a complaint if memory grows by a hundredth or more.

    What leaks grows again. Python's table of interned names, made larger once by 2 MB, does not.
    """
    part = growth(work, count)
    if part >= 0.01:
        part = growth(work, count)
    return [f"resident memory grew by {part:.1%}"] if part >= 0.01 else []


def ops() -> None:
    """Run a hundred eager ops."""
    x = tf.ones([10, 10])
    for _ in range(50):
        x = tf.nn.relu(x + 1.0) if x.shape[0] else x


def graph() -> None:
    """Make a graph, run it in a session, and drop both."""
    with tf.Graph().as_default(), _tf1.Session() as session:
        x = _tf1.placeholder(tf.float32, [None, 4])
        w = _tf1.get_variable("w", [4, 2])
        session.run(w.initializer)
        session.run(tf.nn.softmax(tf.matmul(x, w)), {x: [[1.0] * 4]})


def model() -> None:
    """Build a Keras model, call it, and drop it."""
    keras = tf.keras
    made = keras.Sequential(
        [keras.layers.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(2)]
    )
    made(tf.ones([1, 4]))
    keras.backend.clear_session()
