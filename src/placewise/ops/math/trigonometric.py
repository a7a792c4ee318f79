"""Sines and their relatives, circular and hyperbolic, with their inverses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core.dtypes import FLOATS, FLOATS_COMPLEX
from placewise.core.tensor import Tensor
from placewise.ops.convert import scalar
from placewise.ops.declare import Bind, Call, define
from placewise.ops.facts import BY_KERNEL
from placewise.ops.families import (
    broadcast_shape,
    incompatible_shapes,
    named,
    summed_back,
    unary,
)
from placewise.ops.math.arithmetic import add, conjugate, multiply, negative, square, subtract
from placewise.ops.math.division import gradient_op, real_divide, reciprocal
from placewise.ops.math.elementary import by_size
from placewise.ops.math.exponential import sqrt
from placewise.ops.work import transcendental_work


def _one(x: Any) -> Any:
    return scalar(1, x.dtype)


def _function(
    name: str, function: Callable[..., Any], gradient: Callable[..., Any], doc: str, **facts: Any
) -> Bind:
    """Declare a function of one number; `gradient(x, y, dy)` gets both sides conjugated."""

    def rule(call: Call, dy: Tensor) -> Any:
        return gradient(conjugate(call.inputs[0]), conjugate(call.output), dy)

    public = name.lower()
    facts = {"work": transcendental_work, **facts}
    return unary(name, function, FLOATS_COMPLEX, public=public, gradient=rule, doc=doc, **facts)


sin = _function(
    "Sin",
    by_size(torch.sin),
    lambda x, y, dy: multiply(dy, cos(x)),
    "Return the sine of x.",
    in_place=(by_size(torch.sin_, in_place=True),),
    scalar=BY_KERNEL,
    sparse_values=True,
)
cos: Bind = _function(
    "Cos",
    by_size(torch.cos),
    lambda x, y, dy: negative(multiply(dy, sin(x))),
    "Return the cosine of x.",
    in_place=(by_size(torch.cos_, in_place=True),),
    scalar=BY_KERNEL,
)
tan = _function(
    "Tan",
    torch.tan,
    lambda x, y, dy: multiply(dy, square(reciprocal(cos(x)))),
    "Return the tangent of x.",
    sparse_values=True,
)
asin = _function(
    "Asin",
    torch.asin,
    lambda x, y, dy: multiply(dy, reciprocal(sqrt(subtract(_one(x), square(x))))),
    "Return the angle whose sine is x.",
    sparse_values=True,
)
acos = _function(
    "Acos",
    torch.acos,
    lambda x, y, dy: negative(multiply(dy, reciprocal(sqrt(subtract(_one(x), square(x)))))),
    "Return the angle whose cosine is x.",
)
atan = _function(
    "Atan",
    torch.atan,
    lambda x, y, dy: multiply(dy, reciprocal(add(_one(x), square(x)))),
    "Return the angle whose tangent is x.",
    sparse_values=True,
)
sinh = _function(
    "Sinh", torch.sinh, lambda x, y, dy: multiply(dy, cosh(x)), "Return the hyperbolic sine of x."
)
cosh: Bind = _function(
    "Cosh", torch.cosh, lambda x, y, dy: multiply(dy, sinh(x)), "Return the hyperbolic cosine of x."
)
asinh = _function(
    "Asinh",
    torch.asinh,
    lambda x, y, dy: real_divide(dy, cosh(y)),
    "Return the number whose hyperbolic sine is x.",
    sparse_values=True,
)
acosh = _function(
    "Acosh",
    torch.acosh,
    lambda x, y, dy: real_divide(dy, sinh(y)),
    "Return the number whose hyperbolic cosine is x.",
)
atanh = _function(
    "Atanh",
    torch.atanh,
    lambda x, y, dy: multiply(dy, reciprocal(subtract(_one(x), square(x)))),
    "Return the number whose hyperbolic tangent is x.",
    sparse_values=True,
)


def tanh_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> Any:
    return dy * (1 - y * y) if y.is_complex() else torch.ops.aten.tanh_backward(dy, y)


def tanh_grad_gradient(call: Call, ddy: Tensor) -> Any:
    y, dy = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    first = multiply(multiply(ddy, scalar(-2, y.dtype)), multiply(dy, y))
    return first, tanh_grad(y, ddy)


tanh_grad = gradient_op(
    "TanhGrad",
    tanh_grad_kernel,
    tanh_grad_gradient,
    "Return the gradient of tanh from its result.",
    scalar=BY_KERNEL,
)
tanh = unary(
    "Tanh",
    by_size(torch.tanh),
    FLOATS_COMPLEX,
    public="tanh",
    gradient=lambda call, dy: tanh_grad(conjugate(call.output), dy),
    doc="Return the hyperbolic tangent of x.",
    in_place=(by_size(torch.tanh_, in_place=True),),
    scalar=BY_KERNEL,
    sparse_values=True,
    work=transcendental_work,
)


def atan2_gradient(call: Any, dy: Tensor) -> Any:
    y, x = call.inputs
    share = real_divide(dy, add(square(x), square(y)))
    return multiply(x, share), negative(multiply(y, share))


atan2 = named(
    define(
        "Atan2(y: T, x: T) -> z: T",
        T=FLOATS,
        result="whole",
        elementwise=True,
        work=transcendental_work,
    ),
    "atan2",
    "Return the angle of the point (x, y), from -pi to pi.",
)
atan2.shape(broadcast_shape)
atan2.kernel(torch.atan2)
atan2.error(incompatible_shapes)
atan2.gradient(summed_back(atan2_gradient))
