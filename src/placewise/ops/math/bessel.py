"""Bessel functions of the orders 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core.tensor import Tensor
from placewise.ops.array.where import where
from placewise.ops.convert import scalar
from placewise.ops.declare import Bind
from placewise.ops.math.arithmetic import add, multiply, negative, sign, subtract
from placewise.ops.math.comparison import equal
from placewise.ops.math.division import divide_no_nan_op, real_divide, reciprocal
from placewise.ops.math.special import special, widened


def _half_at_zero(x: Tensor, slope: Tensor) -> Any:
    """Return a slope that is 1/2 where x is 0, where its formula divides by 0."""
    return where(equal(x, scalar(0, x.dtype)), scalar(0.5, x.dtype), slope)


def _bessel(
    name: str, function: Callable[..., Any], gradient: Callable[..., Any], what: str, **facts: Any
) -> Bind:
    public = "bessel_" + name.removeprefix("Bessel").lower()
    doc = f"Return the {what}."
    return special(name, widened(function), gradient, doc, public, **facts)


bessel_i0 = _bessel(
    "BesselI0",
    torch.special.i0,
    lambda x, y: bessel_i1(x),
    "modified Bessel function of the first kind, order 0",
)
bessel_i0e = _bessel(
    "BesselI0e",
    torch.special.i0e,
    lambda x, y: subtract(bessel_i1e(x), multiply(sign(x), y)),
    "Bessel function I0 times exp(-|x|)",
    sparse_values=True,
)
bessel_i1: Bind = _bessel(
    "BesselI1",
    torch.special.i1,
    lambda x, y: _half_at_zero(x, subtract(bessel_i0(x), divide_no_nan_op(y, x))),
    "modified Bessel function of the first kind, order 1",
)


def i1e_slope(x: Tensor, y: Tensor) -> Any:
    rest = multiply(y, sign(x))
    return _half_at_zero(x, subtract(bessel_i0e(x), add(rest, divide_no_nan_op(y, x))))


bessel_i1e: Bind = _bessel(
    "BesselI1e",
    torch.special.i1e,
    i1e_slope,
    "Bessel function I1 times exp(-|x|)",
    sparse_values=True,
)
bessel_j0 = _bessel(
    "BesselJ0",
    torch.special.bessel_j0,
    lambda x, y: negative(bessel_j1(x)),
    "Bessel function of the first kind, order 0",
)
bessel_j1: Bind = _bessel(
    "BesselJ1",
    torch.special.bessel_j1,
    lambda x, y: _half_at_zero(x, subtract(bessel_j0(x), divide_no_nan_op(y, x))),
    "Bessel function of the first kind, order 1",
)


def _infinite_below(function: Callable[..., Any]) -> Any:
    """TensorFlow's K functions are infinite, not undefined, for negative numbers.

    Nor are they for the smallest ones, where torch's polynomials multiply infinity by zero.
    """

    def kernel(x: Any) -> Any:
        y = function(x)
        return y.masked_fill_((x < 0) | (torch.isnan(y) & (x < 1)), torch.inf)

    return kernel


bessel_k0 = _bessel(
    "BesselK0",
    _infinite_below(torch.special.modified_bessel_k0),
    lambda x, y: negative(bessel_k1(x)),
    "modified Bessel function of the second kind, order 0",
)
bessel_k0e = _bessel(
    "BesselK0e",
    _infinite_below(torch.special.scaled_modified_bessel_k0),
    lambda x, y: subtract(y, bessel_k1e(x)),
    "Bessel function K0 times exp(x)",
)
bessel_k1: Bind = _bessel(
    "BesselK1",
    _infinite_below(torch.special.modified_bessel_k1),
    lambda x, y: subtract(negative(bessel_k0(x)), real_divide(y, x)),
    "modified Bessel function of the second kind, order 1",
)
bessel_k1e: Bind = _bessel(
    "BesselK1e",
    _infinite_below(torch.special.scaled_modified_bessel_k1),
    lambda x, y: subtract(multiply(y, subtract(scalar(1, x.dtype), reciprocal(x))), bessel_k0e(x)),
    "Bessel function K1 times exp(x)",
)


def _pole_below(function: Callable[..., Any]) -> Any:
    def kernel(x: Any) -> Any:
        return function(x).masked_fill_(x < 0, -torch.inf)

    return kernel


bessel_y0 = _bessel(
    "BesselY0",
    _pole_below(torch.special.bessel_y0),
    lambda x, y: negative(bessel_y1(x)),
    "Bessel function of the second kind, order 0",
)
bessel_y1: Bind = _bessel(
    "BesselY1",
    _pole_below(torch.special.bessel_y1),
    lambda x, y: subtract(bessel_y0(x), real_divide(y, x)),
    "Bessel function of the second kind, order 1",
)
