"""Random numbers: the same as TensorFlow's, as fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}
MILLION = 1_000_000


def uniform(tf: Any) -> Callable[[], object]:
    """Draw a million uniform numbers."""
    return lambda: tf.random.uniform([MILLION]).numpy()


def normal(tf: Any) -> Callable[[], object]:
    """Draw a million normal numbers."""
    return lambda: tf.random.normal([MILLION]).numpy()


def truncated(tf: Any) -> Callable[[], object]:
    """Draw a million truncated normal numbers."""
    return lambda: tf.random.truncated_normal([MILLION]).numpy()


def dropout(tf: Any) -> Callable[[], object]:
    """Drop half of a million numbers."""
    numbers = tf.ones([1000, 1000])
    return lambda: tf.nn.dropout(numbers, 0.5).numpy()


def categorical(tf: Any) -> Callable[[], object]:
    """Draw 16 classes of 1,000 for each of 64 rows."""
    logits = tf.constant(np.random.RandomState(0).randn(64, 1000), tf.float32)
    return lambda: tf.random.categorical(logits, 16).numpy()


def shuffle(tf: Any) -> Callable[[], object]:
    """Shuffle a million numbers."""
    numbers = tf.range(MILLION)
    return lambda: tf.random.shuffle(numbers).numpy()


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "uniform of 1M": uniform,
    "normal of 1M": normal,
    "truncated normal of 1M": truncated,
    "dropout of 1M": dropout,
    "categorical 64 x 1,000, 16 draws": categorical,
    "shuffle of 1M": shuffle,
}
