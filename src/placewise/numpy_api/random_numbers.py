"""Random numbers as NumPy's older functions give them."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.core.arguments import TensorLike
from placewise.numpy_api.promotion import DEFAULT_FLOAT, asarray


def _size(size: Any) -> Any:
    if size is None:
        return []
    return [size] if np.isscalar(size) else size


def seed(s: int) -> None:
    """Begin the random numbers anew."""
    tf.random.set_seed(int(s))


def rand(*size: int) -> Any:
    """Return numbers from 0 to before 1."""
    return uniform(0.0, 1.0, size)


def random(size: TensorLike | None = None) -> Any:
    """Return numbers from 0 to before 1."""
    return uniform(0.0, 1.0, size)


def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: Any = None) -> Any:
    """Return numbers from `low` to before `high`."""
    kind = DEFAULT_FLOAT
    first, last = asarray(low, kind), asarray(high, kind)
    if size is None:
        size = tf.broadcast_static_shape(first.shape, last.shape)
    return tf.random.uniform(_size(size), first, last, kind)


def randn(*args: int) -> Any:
    """Return numbers of the normal distribution."""
    return standard_normal(args)


def standard_normal(size: TensorLike | None = None) -> Any:
    """Return numbers of the normal distribution."""
    return tf.random.normal(_size(size), dtype=DEFAULT_FLOAT)


def poisson(lam: TensorLike = 1.0, size: TensorLike | None = None) -> Any:
    """Return counts of the Poisson distribution."""
    if size is None and not np.isscalar(lam):
        return tf.random.poisson([], asarray(lam, DEFAULT_FLOAT), tf.int64)
    return tf.random.poisson(_size(size), asarray(lam, DEFAULT_FLOAT), tf.int64)


def randint(
    low: int, high: int | None = None, size: TensorLike | None = None, dtype: Any = np.int64
) -> Any:
    """Return integers from `low` to before `high`; from 0 to before `low` if that is all."""
    kind = tf.as_dtype(np.dtype(getattr(dtype, "as_numpy_dtype", dtype)))
    if high is None:
        low, high = 0, low
    wide = kind if kind in (tf.int32, tf.int64) else tf.int64
    return tf.cast(tf.random.uniform(_size(size), low, high, wide), kind)
