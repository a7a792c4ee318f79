"""Broadcasting as such: broadcast_to, and the shapes that two shapes broadcast to."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, TensorShape, as_shape, broadcast, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.values import Content, from_numpy
from placewise.ops.work import view_work


@op("BroadcastTo(input: T, shape: Tidx) -> output: T", host=("shape",), Tidx=INDEX, result="view")
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Return `input` repeated along dimensions of size 1, and missing ones in front, to `shape`."""
    return broadcast_to.bind(input, shape, name)


@broadcast_to.shape
def broadcast_to_shape(input: Static, shape: Static) -> Dims:
    target = from_value(shape)
    if target is None or input.shape is None:
        return target
    if len(input.shape) > len(target):
        raise ValueError(f"Shape must be at most rank {len(target)} but is rank {len(input.shape)}")
    for given, wanted in zip(reversed(input.shape), reversed(target), strict=False):
        if given not in (None, 1) and wanted is not None and given != wanted:
            raise ValueError(f"Dimensions must be equal, but are {given} and {wanted}")
    return target


@broadcast_to.kernel
def broadcast_to_kernel(input: Any, shape: np.ndarray[Any, Any]) -> Any:
    if shape.ndim > 1:
        raise invalid(
            f"shape must be a vector of {{int32,int64}}, got shape {bracketed(shape.shape)}"
        )
    target = tuple(shape.reshape(-1).tolist())
    if target and min(target) < 0:  # torch reads -1 as: keep
        raise invalid(f"Dimension {min(target)} must be >= 0")
    return np.broadcast_to(input, target) if is_text(input) else input.expand(target)


@broadcast_to.error
def broadcast_to_error(input: Content, shape: np.ndarray[Any, Any]) -> str:
    target = shape.reshape(-1).tolist()
    if len(input.shape) > len(target):
        return (
            f"Rank of input ({len(input.shape)}) must be no greater than rank of output shape "
            f"({len(target)})."
        )
    try:
        np.broadcast_shapes(tuple(input.shape), tuple(target))
    except ValueError:
        return f"Incompatible shapes: {bracketed(input.shape)} vs. {bracketed(target)}"
    return (
        f"Unable to broadcast tensor of shape {bracketed(input.shape)} to tensor of shape "
        f"{bracketed(target)}"
    )


@broadcast_to.gradient
def broadcast_to_gradient(call: Call, dy: Tensor) -> Any:
    return sum_to_shape_of(dy, call.inputs[0]), None


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """Return the TensorShape that two shapes broadcast to, as far as it is known."""
    x, y = as_shape(shape_x), as_shape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    try:
        return TensorShape._of(broadcast(x._dims, y._dims))
    except ValueError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each "
            f"dimension pair they are either equal or one of them is 1. Received: {x} and {y}."
        ) from None


@op(
    "BroadcastArgs(s0: T, s1: T) -> r0: T",
    host=("s0", "s1", "r0"),
    T=INDEX,
    differentiable=False,
    static="shapes",
    work=view_work,
    default_types={"T": dtypes.int32},
)
def broadcast_dynamic_shape(
    shape_x: TensorLike, shape_y: TensorLike, name: str | None = None
) -> Any:
    """Return, as an integer vector, the shape that two shape vectors broadcast to."""
    return broadcast_dynamic_shape.bind(shape_x, shape_y, name)


@broadcast_dynamic_shape.shape
def broadcast_args_shape(s0: Static, s1: Static) -> Dims:
    if s0.shape is None or s1.shape is None or None in s0.shape or None in s1.shape:
        return (None,)
    return (max(s0.shape[0] or 0, s1.shape[0] or 0),)


@broadcast_dynamic_shape.kernel
def broadcast_args_kernel(s0: np.ndarray[Any, Any], s1: np.ndarray[Any, Any]) -> Any:
    for index, each in enumerate((s0, s1)):
        if each.ndim != 1:
            raise invalid(f"In[{index}] must be a vector.{bracketed(each.shape)}")
    try:
        result = broadcast(tuple(s0.tolist()), tuple(s1.tolist()))
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {bracketed(s0.tolist())} vs. {bracketed(s1.tolist())}"
        ) from None
    return from_numpy(np.asarray(result, s0.dtype))


broadcast_gradient_args = define(
    "BroadcastGradientArgs(s0: T, s1: T) -> r0: T, r1: T",
    host=("s0", "s1", "r0", "r1"),
    T=INDEX,
    differentiable=False,
    doc="Return the axes along which each of two shapes is repeated when they broadcast.",
    work=view_work,
    default_types={"T": dtypes.int32},
)


@broadcast_gradient_args.shape
def broadcast_gradient_args_shape(s0: Static, s1: Static) -> list[Dims]:
    return [(None,), (None,)]


@broadcast_gradient_args.kernel
def broadcast_gradient_args_kernel(s0: np.ndarray[Any, Any], s1: np.ndarray[Any, Any]) -> Any:
    for at, shape in enumerate((s0, s1)):
        if shape.ndim != 1:
            raise invalid(f"In[{at}] must be a vector.{bracketed(shape.shape)}")
    rank = max(s0.size, s1.size)
    padded = [[1] * (rank - s.size) + s.tolist() for s in (s0, s1)]
    axes: tuple[list[int], list[int]] = ([], [])
    for axis, (a, b) in enumerate(zip(*padded, strict=True)):
        if a != b and 1 not in (a, b):
            raise invalid(
                f"Incompatible shapes: {bracketed(s0.tolist())} vs. {bracketed(s1.tolist())}"
            )
        if np.array_equal(s0, s1):
            continue
        if a == 1:
            axes[0].append(axis)
        if b == 1:
            axes[1].append(axis)
    return tuple(from_numpy(np.asarray(each, s0.dtype)) for each in axes)
