"""Means and variances, also weighted or from sums gathered before."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import bfloat16, float16, float32
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import shape_of, squeeze
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.math.arithmetic import add, multiply, square, squared_difference, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.division import reciprocal, reciprocal_no_nan
from placewise.ops.math.reduction import axes_or_all, reduce_mean, reduce_prod, reduce_sum


def _squeezed(value: Any, axes: Any, rank: int | None) -> Any:
    listed = np.asarray(axes).reshape(-1).tolist()
    return squeeze(value, listed) if listed else value


def moments(
    x: TensorLike,
    axes: Any,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return mean and variance of `x` along `axes`. `shift` is not used, as in TensorFlow 2."""
    x = convert_to_tensor(x)
    wide = cast(x, float32) if x.dtype in (float16, bfloat16) else x
    axes = axes_or_all(wide, axes)
    mean = reduce_mean(wide, axes, keepdims=True, name=name or "mean")
    apart = squared_difference(wide, stop_gradient(mean))
    variance = reduce_mean(apart, axes, keepdims=True, name="variance")
    if not keepdims:
        mean = _squeezed(mean, axes, None)
        variance = _squeezed(variance, axes, None)
    if wide is not x:
        return cast(mean, x.dtype), cast(variance, x.dtype)
    return mean, variance


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return mean and variance of `x` along `axes`, where each element counts as often as told."""
    x = convert_to_tensor(x)
    weights = convert_to_tensor(frequency_weights)
    kind = x.dtype
    narrow = kind in (float16, bfloat16)
    if narrow:
        x = cast(x, float32)
    if weights.dtype is not x.dtype:
        weights = cast(weights, x.dtype)
    axes = axes_or_all(x, axes)
    weighted_sum = reduce_sum(multiply(weights, x), axes, keepdims=True, name=name)
    ones = add(weights, multiply(x, scalar(0, x.dtype)))  # weights in the shape of x
    total = reduce_sum(ones, axes, keepdims=True)
    divisor = reciprocal_no_nan(total)  # where nothing counts, mean and variance are 0
    mean = multiply(weighted_sum, divisor)
    spread = reduce_sum(multiply(weights, squared_difference(x, mean)), axes, keepdims=True)
    variance = multiply(spread, divisor)
    if not keepdims:
        mean, variance = _squeezed(mean, axes, None), _squeezed(variance, axes, None)
    if narrow:
        return cast(mean, kind), cast(variance, kind)
    return mean, variance


def sufficient_statistics(
    x: TensorLike,
    axes: AxisLike,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return count, sum and sum of squares of `x` along `axes`, after `shift` was taken off."""
    x = convert_to_tensor(x)
    axes = list(dict.fromkeys(np.asarray(axes).reshape(-1).tolist()))
    shape = x._shape_tuple
    for axis in axes:
        if shape is not None and not -len(shape) <= axis < len(shape):
            raise ValueError(f"Invalid reduction dimension {axis} for input with {len(shape)} dims")
    if shape is not None and all(shape[axis] is not None for axis in axes):
        count: Any = convert_to_tensor(float(np.prod([shape[axis] for axis in axes])), x.dtype)
    else:
        count = reduce_prod(cast(gather(shape_of(x), axes), x.dtype))
    if shift is None:
        values, squares = x, square(x)
    else:
        shift = convert_to_tensor(shift)
        values, squares = subtract(x, shift), squared_difference(x, shift)
    sums = reduce_sum(values, axes, keepdims=keepdims, name=name)
    return count, sums, reduce_sum(squares, axes, keepdims=keepdims), shift


def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None,
    name: str | None = None,
) -> Any:
    """Return mean and variance from what `sufficient_statistics` gave."""
    divisor = reciprocal(convert_to_tensor(counts))
    if shift is None:
        mean = shifted = multiply(mean_ss, divisor)
    else:
        shifted = multiply(mean_ss, divisor)
        mean = add(shifted, shift)
    return mean, subtract(multiply(variance_ss, divisor), square(shifted), name)
