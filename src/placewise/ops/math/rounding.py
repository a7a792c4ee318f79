"""Rounding to whole numbers, and the next number a float can hold."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, INDEX
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import zeros_like
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import broadcast_shape, incompatible_shapes, unary
from placewise.ops.math.unbroadcast import sum_to_shape_of


def no_gradient(call: Call, dy: Tensor) -> Any:
    """Gradient rule of steps: None, as nothing flows through them."""
    return None


_round = unary(
    "Round",
    torch.round,
    FLOATS | INDEX,
    public="round",
    gradient=no_gradient,
    doc="Return the nearest whole number; halves go to the even one.",
    in_place=(torch.round_,),
)


def round(x: TensorLike, name: str | None = None) -> Any:
    """Return the nearest whole number; halves go to the even one."""
    x = convert_to_tensor(x)
    return x if x.dtype.is_integer else _round(x, name)


rint = unary(
    "Rint",
    torch.round,
    FLOATS,
    public="rint",
    gradient=no_gradient,
    doc="Return the nearest whole number; halves go to the even one.",
    in_place=(torch.round_,),
)
floor = unary(
    "Floor",
    torch.floor,
    FLOATS,
    public="floor",
    gradient=no_gradient,
    doc="Return the largest whole number not above x.",
    in_place=(torch.floor_,),
)
ceil = unary(
    "Ceil",
    torch.ceil,
    FLOATS,
    public="ceil",
    gradient=no_gradient,
    doc="Return the smallest whole number not below x.",
    in_place=(torch.ceil_,),
)


@op(
    "NextAfter(x1: T, x2: T) -> output: T",
    T=frozenset({dtypes.float32, dtypes.float64}),
    elementwise=True,
    default_types={"T": dtypes.float32},
)
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Any:
    """Return the number next to x1 on the way to x2."""
    return nextafter.bind(x1, x2, name)


nextafter.shape(broadcast_shape)
nextafter.kernel(torch.nextafter)
nextafter.error(incompatible_shapes)


@nextafter.gradient
def nextafter_gradient(call: Call, dy: Tensor) -> Any:
    return sum_to_shape_of(dy, call.inputs[0]), zeros_like(call.inputs[1])
