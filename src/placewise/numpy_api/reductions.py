"""Sums, means and their like along axes, sorting and running totals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.core.arguments import AxisLike, DTypeLike, TensorLike
from placewise.core.tensor import Tensor
from placewise.numpy_api.promotion import asarray, inexact, together


def _widened(a: Any, dtype: Any, floats: bool = False) -> Any:
    """Return an array as NumPy sums it: small integers as wide ones, if no dtype is asked for."""
    made = asarray(a, dtype)
    if dtype is None:
        if floats:
            return inexact(made)
        if made.dtype.is_bool or (made.dtype.is_integer and made.dtype.size < 8):
            wide = tf.uint64 if made.dtype.is_unsigned else tf.int64
            return tf.cast(made, wide)
    return made


def _reduced(compute: Callable[..., Any], name: str, kind: Callable[..., Any] = asarray) -> Any:
    def reduce(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
        return compute(kind(a), axis=axis, keepdims=bool(keepdims))

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Return NumPy's `{name}` along `axis`."
    return reduce


def _largest(a: Tensor, axis: int, keepdims: bool) -> Any:
    compute = tf.reduce_any if a.dtype.is_bool else tf.reduce_max
    return compute(a, axis=axis, keepdims=keepdims)


def _smallest(a: Tensor, axis: int | None, keepdims: bool) -> Any:
    compute = tf.reduce_all if a.dtype.is_bool else tf.reduce_min
    return compute(a, axis=axis, keepdims=keepdims)


def _booleans(a: Tensor) -> Any:
    return asarray(a, bool)


all = _reduced(lambda *a, **k: tf.reduce_all(*a, **k), "all", _booleans)
any = _reduced(lambda *a, **k: tf.reduce_any(*a, **k), "any", _booleans)
max = _reduced(_largest, "max")
min = _reduced(_smallest, "min")
std = _reduced(lambda *a, **k: tf.math.reduce_std(*a, **k), "std", inexact)
ptp = _reduced(
    lambda a, axis, keepdims: _largest(a, axis, keepdims) - _smallest(a, axis, keepdims), "ptp"
)


def _no_out(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


def amax(a: TensorLike, axis: AxisLike | None = None, out: Any = None, keepdims: Any = None) -> Any:
    """Return the largest elements along `axis`."""
    _no_out(out)
    return max(a, axis, keepdims)


def amin(a: TensorLike, axis: AxisLike | None = None, out: Any = None, keepdims: Any = None) -> Any:
    """Return the smallest elements along `axis`."""
    _no_out(out)
    return min(a, axis, keepdims)


def sum(
    a: Any, axis: AxisLike | None = None, dtype: Any = None, keepdims: bool | None = None
) -> Any:
    """Return the sum along `axis`."""
    return tf.reduce_sum(_widened(a, dtype), axis, bool(keepdims))


def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Return the product along `axis`."""
    return tf.reduce_prod(_widened(a, dtype), axis, bool(keepdims))


def mean(
    a: Any, axis: AxisLike | None = None, dtype: Any = None, out: Any = None, keepdims: Any = None
) -> Any:
    """Return the mean along `axis`."""
    _no_out(out)
    return tf.reduce_mean(_widened(a, dtype, floats=True), axis, bool(keepdims))


def var(
    a: TensorLike,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: Any = None,
) -> Any:
    """Return the variance along `axis`, divided by the number of elements less `ddof`."""
    _no_out(out)
    made = inexact(a)
    working = made if dtype is None else asarray(made, dtype)
    away = working - tf.reduce_mean(working, axis, keepdims=True)
    squares = tf.math.real(away * tf.math.conj(away)) if away.dtype.is_complex else away * away
    total = tf.reduce_sum(squares, axis, bool(keepdims))
    count = tf.cast(tf.size(squares) // tf.size(tf.reduce_sum(squares, axis)), total.dtype)
    return total / (count - ddof)


def average(
    a: TensorLike, axis: Any = None, weights: TensorLike | None = None, returned: bool = False
) -> Any:
    """Return the mean along `axis`, weighted; with `returned`, the weights' sum too."""
    made = inexact(a)
    if weights is None:
        found = tf.reduce_mean(made, axis)
        count = tf.cast(tf.size(made) // tf.size(found), found.dtype)
        return (found, tf.broadcast_to(count, tf.shape(found))) if returned else found
    made, heavy = together(made, inexact(weights))
    if heavy.shape.rank != made.shape.rank:
        if axis is None or heavy.shape.rank != 1:
            raise _other_shapes(made, heavy)
        shape = [1] * made.shape.rank
        shape[axis] = -1
        heavy = tf.reshape(heavy, shape)
    elif not heavy.shape.is_compatible_with(made.shape):
        raise _other_shapes(made, heavy)
    heavy = tf.broadcast_to(heavy, tf.shape(made))
    total = tf.reduce_sum(heavy, axis)
    found = tf.reduce_sum(made * heavy, axis) / total
    return (found, total) if returned else found


def _other_shapes(made: Tensor, weights: Tensor) -> Exception:
    return tf.errors.InvalidArgumentError(
        None,
        None,
        f"weights of shape {weights.shape} do not fit a of shape {made.shape}: they must have its "
        "shape, or be a vector with one number for each position along `axis`.",
    )


def _without_nans(a: Tensor, filling: float, dtype: Any) -> Any:
    made = asarray(a, dtype)
    if not made.dtype.is_floating:
        return made
    return tf.where(tf.math.is_nan(made), tf.constant(filling, made.dtype), made)


def nansum(
    a: Any,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = False,
) -> Any:
    """Return the sum along `axis` of what is a number."""
    return sum(_without_nans(a, 0, dtype), axis, dtype, keepdims)


def nanprod(
    a: Any, axis: AxisLike | None = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Any:
    """Return the product along `axis` of what is a number."""
    return prod(_without_nans(a, 1, dtype), axis, dtype, keepdims)


def nanmean(
    a: TensorLike,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: Any = None,
) -> Any:
    """Return the mean along `axis` of what is a number."""
    made = asarray(a, dtype)
    if not made.dtype.is_floating:
        return mean(made, axis, dtype, keepdims=keepdims)
    numbers = tf.cast(tf.logical_not(tf.math.is_nan(made)), made.dtype)
    total = nansum(made, axis, dtype, keepdims)
    return total / tf.reduce_sum(numbers, axis, bool(keepdims))


def count_nonzero(a: TensorLike, axis: AxisLike | None = None) -> Any:
    """Return how many elements are not zero along `axis`."""
    return tf.math.count_nonzero(asarray(a), axis)


def _running(compute: Callable[..., Any]) -> Callable[..., Any]:
    def run(a: Tensor, axis: int | None = None, dtype: Any = None) -> Any:
        made = _widened(a, dtype)
        if axis is None:
            made, axis = tf.reshape(made, [-1]), 0
        return compute(made, axis + made.shape.rank if axis < 0 else axis)

    return run


def cumsum(a: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None) -> Any:
    """Return the running sum along `axis`."""
    return _running(lambda made, at: tf.cumsum(made, at))(a, axis, dtype)


def cumprod(a: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None) -> Any:
    """Return the running product along `axis`."""
    return _running(lambda made, at: tf.math.cumprod(made, at))(a, axis, dtype)


def _flat_if_none(a: Tensor, axis: int | None) -> tuple[Any, int]:
    made = asarray(a)
    return (
        (tf.reshape(made, [-1]), 0)
        if axis is None
        else (tf.experimental.numpy.atleast_1d(made), axis)
    )


def argmax(a: Any, axis: Any = None) -> Any:
    """Return where the largest elements are along `axis`."""
    made, at = _flat_if_none(a, axis)
    return tf.argmax(made, at)


def argmin(a: Any, axis: Any = None) -> Any:
    """Return where the smallest elements are along `axis`."""
    made, at = _flat_if_none(a, axis)
    return tf.argmin(made, at)


def _sorting(kind: str, order: Any) -> bool:
    if kind not in ("quicksort", "stable"):
        raise ValueError(f"Invalid value for argument `kind`. Received kind={kind!r}.")
    if order is not None:
        raise ValueError("The 'order' argument to sort is not supported.")
    return kind == "stable"


def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Return `a` sorted along `axis`; flat if that is None."""
    _sorting(kind, order)
    made, at = _flat_if_none(a, axis)
    return tf.sort(made, at)


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Return the order that would sort `a` along `axis`."""
    made, at = _flat_if_none(a, axis)
    return tf.cast(tf.argsort(made, at, stable=_sorting(kind, order)), tf.int64)


def size(x: Any, axis: Any = None) -> Any:
    """Return the number of elements."""
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    made = asarray(x)
    known = made.shape.num_elements()
    return tf.size(made) if known is None else known


def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Any:
    """Return the differences of neighbours along `axis`, taken `n` times."""
    made = asarray(a)
    if not made.shape.rank:
        raise ValueError("diff requires input that is at least one dimensional")
    at = operator.index(axis) % made.shape.rank
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: n={n}")
    length = made.shape[at]
    for _ in range(n if length is None or n < length else length):  # then nothing is left
        before = [slice(None)] * made.shape.rank
        after = list(before)
        before[at], after[at] = slice(None, -1), slice(1, None)
        pair = made[tuple(after)], made[tuple(before)]
        made = tf.not_equal(*pair) if made.dtype.is_bool else tf.subtract(*pair)
    return made
