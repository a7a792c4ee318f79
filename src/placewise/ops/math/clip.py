"""Keeping values, or the length of vectors, within bounds."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import NUMBERS, DType
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import stack
from placewise.ops.array.shape import identity
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import maximum, minimum, zero_like
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater, is_finite, less
from placewise.ops.math.exponential import sqrt
from placewise.ops.math.logic import logical_or
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.name_scopes import in_scope
from placewise.ops.nn.losses import l2_loss
from placewise.ops.tf1_spelling import ones_like, where_tf1

_clip = define(
    "ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> output: T",
    T=NUMBERS,
    doc="Return `t` with values outside the bounds replaced by them.",
    elementwise=True,
)


@_clip.shape
def clip_by_value_shape(t: Static, clip_value_min: Static, clip_value_max: Static) -> Dims:
    for bound in (clip_value_min, clip_value_max):
        broadcast(t.shape, bound.shape)
    return t.shape


@_clip.kernel
def clip_by_value_kernel(
    t: torch.Tensor, clip_value_min: torch.Tensor, clip_value_max: torch.Tensor
) -> Any:
    for bound in (clip_value_min, clip_value_max):
        if bound.dim() and bound.shape != t.shape:
            raise invalid(clip_by_value_error(t, clip_value_min, clip_value_max))
    return torch.maximum(torch.minimum(t, clip_value_max), clip_value_min)


@_clip.error
def clip_by_value_error(
    t: torch.Tensor, clip_value_min: torch.Tensor, clip_value_max: torch.Tensor
) -> str:
    return (
        "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. "
        f"input shape: {bracketed(t.shape)}clip_value_min shape: {bracketed(clip_value_min.shape)}"
        f"clip_value_max shape: {bracketed(clip_value_max.shape)}"
    )


@_clip.gradient
def clip_by_value_gradient(call: Call, dy: Tensor) -> Any:
    x, low, high = call.inputs
    below, above, zero = less(x, low), greater(x, high), zero_like(dy)
    return (
        where(logical_or(below, above), zero, dy),
        sum_to_shape_of(where(below, dy, zero), low),
        sum_to_shape_of(where(above, dy, zero), high),
    )


def clip_by_value(
    t: Any, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """Return `t` with every element brought into a range.

    `t`: real numbers; of IndexedSlices the values are clipped.
    `clip_value_min`, `clip_value_max`: the bounds, numbers or tensors that broadcast to `t`.

    Elements outside of the range get no gradient. Raises ValueError if a bound would make the
    result larger than `t`.

    >>> tf.clip_by_value([-2.0, 0.5, 7.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    if hasattr(t, "indices") and hasattr(t, "dense_shape"):
        values = clip_by_value(t.values, clip_value_min, clip_value_max, name)
        return type(t)(values, t.indices, t.dense_shape)
    values = convert_to_tensor(t)
    below = minimum(values, _bound(clip_value_max, values.dtype))
    _fits(values, below)
    result = maximum(below, _bound(clip_value_min, values.dtype), name)
    _fits(values, result)
    return result


def _bound(value: TensorLike, dtype: DType) -> Any:
    """Return a Python number as a tensor if it can have the dtype; anything else as it is.

    In a graph a number becomes an input named after the argument by itself.
    """
    if type(value) in (int, float) and current.interpreter is Scope.eager:
        made = scalar(value, dtype)
        if made.dtype is dtype:
            return made
    return value


def _fits(values: Tensor, clipped: Tensor) -> None:
    if values._shape_tuple != clipped._shape_tuple:
        values.shape.assert_is_compatible_with(clipped.shape)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return `t`, scaled down to length `clip_norm` along `axes` where it is longer."""
    if hasattr(t, "indices") and hasattr(t, "dense_shape"):
        return type(t)(clip_by_norm(t.values, clip_norm, axes, name), t.indices, t.dense_shape)
    values = convert_to_tensor(t)
    squares = reduce_sum(values * values, axes, keepdims=True)
    positive = squares > 0
    # A zero under the root would make the gradient NaN.
    safe = where_tf1(positive, squares, ones_like(squares))
    length = where_tf1(positive, sqrt(safe), squares)
    scaled = values * clip_norm
    _fits(values, scaled)
    return identity(scaled / maximum(length, clip_norm), name)


def global_norm(t_list: TensorLike, name: str | None = None) -> Any:
    """Return the length of all tensors of a list taken as one vector; None counts for nothing."""
    with in_scope(name, "global_norm"):
        halves = [l2_loss(each) for each in _tensors(t_list) if each is not None]
        half = reduce_sum(stack(halves))
        return sqrt(half * convert_to_tensor(2.0, half.dtype), "global_norm")


def _tensors(t_list: TensorLike) -> list[Any]:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    found = []
    for index, each in enumerate(t_list):
        if each is not None and hasattr(each, "indices") and hasattr(each, "dense_shape"):
            each = each.values
        found.append(None if each is None else convert_to_tensor(each, name=f"t_{index}"))
    return found


def clip_by_global_norm(
    t_list: Any, clip_norm: TensorLike, use_norm: TensorLike | None = None, name: str | None = None
) -> Any:
    """Return a list scaled down so that its global norm is at most `clip_norm`, and that norm."""
    tensors = _tensors(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with in_scope(name, "clip_by_global_norm") as scope:
        use_norm = convert_to_tensor(use_norm)
        kind = use_norm.dtype.base_dtype
        scale: Any = clip_norm * minimum(1.0 / use_norm, convert_to_tensor(1.0, kind) / clip_norm)
        # A norm that is not finite makes every result NaN.
        scale = where_tf1(is_finite(use_norm), scale, convert_to_tensor(float("nan"), kind))
        clipped: list[Any] = []
        for index, (given, values) in enumerate(zip(t_list, tensors, strict=True)):
            if values is None:
                clipped.append(None)
                continue
            made = values * cast(scale, values.dtype)
            if current.interpreter is not Scope.eager:
                made = identity(made, f"{scope}_{index}")
            sparse = hasattr(given, "indices") and hasattr(given, "dense_shape")
            clipped.append(type(given)(made, given.indices, given.dense_shape) if sparse else made)
        return clipped, use_norm
