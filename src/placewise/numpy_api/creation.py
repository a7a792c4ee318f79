"""New arrays: filled, spaced, diagonal, triangular."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.numpy_api.promotion import (
    DEFAULT_FLOAT,
    asarray,
    inexact,
    result_type,
)


def _dtype(dtype: Any) -> Any:
    return (
        DEFAULT_FLOAT
        if dtype is None
        else tf.as_dtype(np.dtype(getattr(dtype, "as_numpy_dtype", dtype)))
    )


def _like(a: Any, dtype: Any) -> Any:
    made = asarray(a)
    return made, made.dtype if dtype is None else _dtype(dtype)


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Return zeros."""
    return tf.zeros(asarray(shape, tf.int32) if not np.isscalar(shape) else [shape], _dtype(dtype))


def ones(shape: Any, dtype: Any = float) -> Any:
    """Return ones."""
    return tf.ones(asarray(shape, tf.int32) if not np.isscalar(shape) else [shape], _dtype(dtype))


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Any:
    """Return an array of that shape: of zeros."""
    return zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: DTypeLike | None = None) -> Any:
    """Return an array filled with a value."""
    value = asarray(fill_value, dtype)
    return tf.broadcast_to(value, asarray(shape, tf.int32) if not np.isscalar(shape) else [shape])


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Return zeros of the shape of `a`."""
    return tf.zeros_like(*_like(a, dtype))


def ones_like(a: Any, dtype: Any = None) -> Any:
    """Return ones of the shape of `a`."""
    return tf.ones_like(*_like(a, dtype))


def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Return zeros of the shape of `a`."""
    return zeros_like(a, dtype)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: ShapeLike | None = None,
) -> Any:
    """Return an array of the shape of `a` filled with a value."""
    if order != "K" or not subok:
        raise ValueError("Non-standard orders and subok=False are not supported.")
    made, kind = _like(a, dtype)
    return tf.broadcast_to(asarray(fill_value, kind), tf.shape(made) if shape is None else shape)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Any:  # noqa: N803
    """Return ones on the k-th diagonal, zeros elsewhere."""
    rows, columns = int(N), int(N if M is None else M)
    kind = _dtype(dtype)
    if k == 0:
        return tf.eye(rows, columns, dtype=kind)
    at = tf.range(columns)[None, :] - tf.range(rows)[:, None]
    return tf.cast(tf.equal(at, k), kind)


def identity(n: int, dtype: DTypeLike = float) -> Any:
    """Return the unit matrix."""
    return eye(n, n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:  # noqa: N803
    """Return ones on and below the k-th diagonal, zeros above."""
    at = tf.range(int(N if M is None else M))[None, :] - tf.range(int(N))[:, None]
    return tf.cast(at <= k, _dtype(dtype))


def _matrix(m: Any) -> Any:
    made = asarray(m)
    if made.shape.rank is not None and made.shape.rank < 2:
        raise ValueError(f"Argument to tril and triu must have rank at least 2, got {made.shape}")
    return made


def tril(m: Any, k: int = 0) -> Any:
    """Return `m` with zeros above the k-th diagonal."""
    made = _matrix(m)
    rows, columns = made.shape[-2:]
    keep = tri(rows, columns, k, bool)
    return tf.where(keep, made, tf.zeros_like(made))


def triu(m: Any, k: int = 0) -> Any:
    """Return `m` with zeros below the k-th diagonal."""
    made = _matrix(m)
    rows, columns = made.shape[-2:]
    drop = tri(rows, columns, k - 1, bool)
    return tf.where(drop, tf.zeros_like(made), made)


def arange(
    start: TensorLike, stop: TensorLike | None = None, step: Any = 1, dtype: Any = None
) -> Any:
    """Return numbers from `start` to before `stop`, `step` apart."""
    if not step:
        raise ValueError("step must be non-zero.")
    if stop is None:
        start, stop = 0, start
    kind = result_type(start, stop, step) if dtype is None else _dtype(dtype)
    if kind.is_integer and all(isinstance(each, int) for each in (start, stop, step)):
        return tf.range(start, stop, step, kind)
    wide = kind if kind.is_floating else DEFAULT_FLOAT
    first, last, by = (tf.cast(each, wide) for each in (start, stop, step))
    return tf.cast(tf.range(first, last, by), kind)


def _real(value: TensorLike) -> Any:
    """Return an end of a range for its precision: Python's numbers give way to all others."""
    if isinstance(value, (bool, int)):
        return float(value)
    return value if isinstance(value, (float, complex)) else inexact(value)


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Return `num` numbers evenly spaced from `start` to `stop`."""
    # The default says: floating, of the precision that `start` and `stop` have.
    kind = _dtype(dtype) if dtype not in (None, float) else None
    common = result_type(_real(start), _real(stop))
    first, last = asarray(start, common), asarray(stop, common)
    step = (last - first) / max(num - 1 if endpoint else num, 1)
    if endpoint:
        made = tf.linspace(first, last, num, axis=axis)
    else:
        rank = max(first.shape.rank, last.shape.rank)
        count = tf.reshape(tf.cast(tf.range(num), first.dtype), [-1] + [1] * rank)
        made = tf.experimental.numpy.moveaxis(first + count * step, 0, axis)
    made = tf.cast(made, kind) if kind is not None else made
    return (made, step) if retstep else made


def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return `base` to the power of evenly spaced numbers."""
    powers = linspace(start, stop, num, endpoint, dtype=None, axis=axis)
    made = tf.pow(tf.cast(base, powers.dtype), powers)
    return made if dtype is None else tf.cast(made, _dtype(dtype))


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return numbers from `start` to `stop`, each the same multiple of the one before."""
    common = result_type(start, stop, float(num), asarray(0.0))
    first, last = asarray(start, common), asarray(stop, common)
    signs = tf.sign(first)
    powers = linspace(
        tf.math.log(first * signs), tf.math.log(last * signs), num, endpoint, dtype=None, axis=axis
    )
    made = signs * tf.exp(powers)
    return made if dtype is None else tf.cast(made, _dtype(dtype))


def meshgrid(*xi: Any, **kwargs: Any) -> list[Any]:
    """Return coordinates, one array for each of several vectors."""
    indexing = kwargs.pop("indexing", "xy")
    if kwargs.pop("sparse", False) or not kwargs.pop("copy", True) or kwargs:
        raise ValueError("meshgrid doesn't support setting sparse or copy.")
    return tf.meshgrid(*(asarray(each) for each in xi), indexing=indexing)


def vander(x: TensorLike, N: int | None = None, increasing: bool = False) -> Any:  # noqa: N803
    """Return the powers of each element, a column for each power."""
    made = asarray(x)
    made = tf.cast(made, tf.int64) if made.dtype.is_integer or made.dtype.is_bool else made
    if made.shape.rank != 1:
        raise ValueError(f"vander takes a vector, got shape {made.shape}")
    count = made.shape[0] if N is None else N
    if isinstance(N, (str, bytes)):
        raise TypeError(f"N must be a number, got {N!r}")
    if isinstance(N, (int, float)) and N < 0:
        raise ValueError("N must be nonnegative")
    if np.ndim(count):
        raise ValueError(f"N must be a number, got shape {np.shape(count)}")
    powers = tf.range(count) if increasing else tf.range(count - 1, -1, -1)
    return tf.pow(made[:, None], tf.cast(powers, made.dtype))


def diag(v: TensorLike, k: int = 0) -> Any:
    """Return a matrix with a diagonal, or the diagonal of a matrix."""
    made = asarray(v)
    if made.shape.rank == 2:
        return diagonal(made, k)
    if made.shape.rank != 1:
        raise ValueError("Input must be 1- or 2-d.")
    return tf.linalg.diag(made, k=k)


def diagflat(v: TensorLike, k: int = 0) -> Any:
    """Return a matrix with the elements of `v`, flat, as a diagonal."""
    return diag(tf.reshape(asarray(v), [-1]), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonal of two axes, as the last axis."""
    made = tf.experimental.numpy.moveaxis(asarray(a), (axis1, axis2), (-2, -1))
    rows, columns = made.shape[-2], made.shape[-1]
    if rows is not None and columns is not None and (offset <= -rows or offset >= columns):
        return made[..., 0, :0]
    return tf.linalg.diag_part(made, k=offset)


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Any:
    """Return the sum of a diagonal."""
    found = diagonal(a, offset, axis1, axis2)
    if found.shape.rank == 1 and dtype is None:
        return tf.reduce_sum(found)  # of a matrix, in its own dtype
    return tf.experimental.numpy.sum(found, -1, dtype)


def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """Return the indices of a diagonal."""
    if n < 0 or ndim < 0:
        raise ValueError("n and ndim must not be negative.")
    return (tf.range(n),) * ndim
