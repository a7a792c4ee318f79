"""Special functions: error functions, gamma and beta functions, zeta."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import (
    bracketed,
    broadcast_shape,
    incompatible_shapes,
    named,
    summed_back,
    unary,
)
from placewise.ops.math.arithmetic import multiply, negative, square, subtract
from placewise.ops.math.elementary import by_size
from placewise.ops.math.exponential import exp, log, log1p
from placewise.ops.math.incomplete import incomplete_beta, lower_gamma_slope
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.work import transcendental_work

WIDE = frozenset({dtypes.float32, dtypes.float64})
_NARROW = (torch.float16, torch.bfloat16)


def widened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that computes 16-bit floats in float32, for which torch has the function."""

    def kernel(*values: Any) -> Any:
        kind = values[0].dtype
        if kind in _NARROW:
            return function(*[value.float() for value in values]).to(kind)
        return function(*values)

    return kernel


def in_float64(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that computes in float64 and rounds the result."""

    def kernel(*values: Any) -> Any:
        kind = values[0].dtype
        return function(*[value.double() for value in values]).to(kind)

    return kernel


def special(
    name: str,
    function: Callable[..., Any],
    gradient: Callable[..., Any],
    doc: str,
    public: str,
    **facts: Any,
) -> Bind:
    """Declare a special function of one number; `gradient(x, y)` is its slope."""

    def rule(call: Call, dy: Tensor) -> Any:
        return multiply(dy, gradient(call.inputs[0], call.output))

    facts = {"work": transcendental_work, **facts}
    return unary(name, function, FLOATS, doc=doc, public=public, gradient=rule, **facts)


def pair(
    signature: str,
    function: Callable[..., Any],
    gradient: Callable[..., Any],
    doc: str,
    public: str,
) -> Bind:
    """Declare a special function of two numbers that broadcast."""
    made = named(
        define(signature, T=WIDE, doc=doc, elementwise=True, work=transcendental_work), public, doc
    )
    made.shape(broadcast_shape)
    made.kernel(function)
    made.error(incompatible_shapes)
    made.gradient(summed_back(gradient))
    return made


def _times(number: float, x: Tensor) -> Any:
    return multiply(scalar(number, x.dtype), x)


erf = special(
    "Erf",
    by_size(torch.erf),
    lambda x, y: _times(2 / math.sqrt(math.pi), exp(negative(square(x)))),
    "Return the error function of x.",
    "erf",
    in_place=(by_size(torch.erf_, in_place=True),),
    sparse_values=True,
)
erfc = special(
    "Erfc",
    torch.erfc,
    lambda x, y: _times(-2 / math.sqrt(math.pi), exp(negative(square(x)))),
    "Return 1 - erf(x), exact also for large x.",
    "erfc",
    in_place=(torch.erfc_,),
)
erfinv = special(
    "Erfinv",
    widened(torch.erfinv),
    lambda x, y: _times(math.sqrt(math.pi) / 2, exp(square(y))),
    "Return the number whose error function is x.",
    "erfinv",
)
ndtri = special(
    "Ndtri",
    widened(torch.special.ndtri),
    lambda x, y: _times(math.sqrt(2 * math.pi), exp(_times(0.5, square(y)))),
    "Return the quantile of the standard normal distribution.",
    "ndtri",
)


def erfcinv(x: TensorLike, name: str | None = None) -> Any:
    """Return the number whose complementary error function is x."""
    x = convert_to_tensor(x)
    half = scalar(0.5, x.dtype)
    return multiply(negative(ndtri(multiply(half, x))), scalar(math.sqrt(0.5), x.dtype), name)


lgamma = special(
    "Lgamma",
    widened(torch.lgamma),
    lambda x, y: digamma(x),
    "Return the logarithm of the absolute value of the gamma function.",
    "lgamma",
)


def digamma_kernel(x: torch.Tensor) -> Any:
    # At 0 TensorFlow has a pole of no sign.
    return torch.where(
        x == 0, torch.full((), math.nan, dtype=x.dtype, device=x.device), torch.digamma(x)
    )


digamma: Bind = special(
    "Digamma",
    widened(digamma_kernel),
    lambda x, y: polygamma(scalar(1, x.dtype), x),
    "Return the slope of lgamma.",
    "digamma",
)


def zeta_kernel(x: torch.Tensor, q: torch.Tensor) -> Any:
    value = torch.special.zeta(x, q)
    # All terms are 0 for a large order; torch divides the second of them by the first.
    value = value.masked_fill(torch.isnan(value) & (x > 1) & (q > 1), 0.0)
    # At a pole only an even order has one limit from both sides; torch says infinity for all.
    is_odd = (q <= 0) & (q == torch.floor(q)) & (torch.remainder(x, 2) != 0)
    value = value.masked_fill((is_odd & (x > 1) & torch.isfinite(x)) | torch.isnan(x), math.nan)
    return value.masked_fill(((x > 1) & (q == math.inf)) | ((x == math.inf) & (q > 1)), 0.0)


def zeta_gradient(call: Any, dy: Tensor) -> Any:
    x, q = call.inputs
    slope = multiply(negative(x), zeta(subtract(x, scalar(-1, x.dtype)), q))
    return None, multiply(dy, slope)


zeta = pair(
    "Zeta(x: T, q: T) -> z: T",
    zeta_kernel,
    zeta_gradient,
    "Return the Hurwitz zeta function.",
    "zeta",
)


def polygamma_kernel(a: torch.Tensor, x: torch.Tensor) -> Any:
    order = a + 1
    sign = torch.where(torch.remainder(order, 2) == 0, 1.0, -1.0).to(a.dtype)
    higher = sign * torch.exp(torch.lgamma(order)) * zeta_kernel(order, x)
    value = torch.where(a == 0, digamma_kernel(x), higher)
    proper = (a == torch.floor(a)) & (a >= 0)
    return torch.where(proper, value, torch.full((), math.nan, dtype=a.dtype, device=a.device))


def polygamma_gradient(call: Any, dy: Tensor) -> Any:
    a, x = call.inputs
    return None, multiply(dy, polygamma(subtract(a, scalar(-1, a.dtype)), x))


polygamma: Bind = pair(
    "Polygamma(a: T, x: T) -> z: T",
    polygamma_kernel,
    polygamma_gradient,
    "Return the a-th derivative of digamma.",
    "polygamma",
)


def _off_range(a: torch.Tensor, x: torch.Tensor, value: torch.Tensor) -> Any:
    """Put in what TensorFlow says where the incomplete gamma functions are not defined."""
    undefined = (a <= 0) | (x < 0) | torch.isnan(a) | torch.isnan(x)
    both = (a == math.inf) & (x == math.inf)
    return value.masked_fill(undefined, math.nan).masked_fill(both, 0.0)


def igamma_kernel(a: torch.Tensor, x: torch.Tensor) -> Any:
    a, x = torch.broadcast_tensors(a, x)
    return _off_range(a, x, torch.special.gammainc(a, x)).masked_fill(x == 0, 0.0)


def igammac_kernel(a: torch.Tensor, x: torch.Tensor) -> Any:
    a, x = torch.broadcast_tensors(a, x)
    return _off_range(a, x, torch.special.gammaincc(a, x))


def _density(a: Tensor, x: Tensor) -> Any:
    """Return the slope of igamma in x: the density of the gamma distribution."""
    power = multiply(subtract(a, scalar(1, a.dtype)), log(x))
    return exp(subtract(subtract(power, x), lgamma(a)))


def igamma_gradient(call: Any, dy: Tensor) -> Any:
    a, x = call.inputs
    return multiply(dy, igamma_grad_a(a, x)), multiply(dy, _density(a, x))


def igammac_gradient(call: Any, dy: Tensor) -> Any:
    da, dx = igamma_gradient(call, dy)
    return negative(da), negative(dx)


igamma = pair(
    "Igamma(a: T, x: T) -> z: T",
    igamma_kernel,
    igamma_gradient,
    "Return the lower incomplete gamma function, from 0 to 1.",
    "igamma",
)
igammac = pair(
    "Igammac(a: T, x: T) -> z: T",
    igammac_kernel,
    igammac_gradient,
    "Return the upper incomplete gamma function, from 1 to 0.",
    "igammac",
)


def igamma_grad_a_kernel(a: torch.Tensor, x: torch.Tensor) -> Any:
    a, x = torch.broadcast_tensors(a, x)
    # The function is 1 at infinity, whatever `a` is.
    is_end = torch.isinf(x) & (x > 0) & torch.isfinite(a) & (a > 0)
    return torch.where(is_end, torch.zeros_like(x), lower_gamma_slope(a, x))


igamma_grad_a = named(
    define("IgammaGradA(a: T, x: T) -> z: T", T=WIDE, differentiable=False),
    "igamma_grad_a",
    "Return the slope of igamma in its first argument.",
)
igamma_grad_a.shape(broadcast_shape)
igamma_grad_a.error(incompatible_shapes)
igamma_grad_a.kernel(in_float64(igamma_grad_a_kernel))

betainc = named(
    define("Betainc(a: T, b: T, x: T) -> z: T", T=WIDE),
    "betainc",
    "Return the regularized incomplete beta function.",
)


@betainc.shape
def betainc_shape(a: Static, b: Static, x: Static) -> Dims:
    known = [each.shape for each in (a, b, x) if each.shape != ()]
    return broadcast(*known) if known else ()


def betainc_kernel(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> Any:
    for one, two, names in ((a, b, "a and b"), (a, x, "a and x"), (b, x, "b and x")):
        if one.dim() and two.dim() and one.shape != two.shape:
            raise invalid(
                f"Shapes of {names} are inconsistent: {bracketed(one.shape)} vs. "
                f"{bracketed(two.shape)}"
            )
    return incomplete_beta(*torch.broadcast_tensors(a, b, x))


betainc.kernel(in_float64(betainc_kernel))


@betainc.gradient
def betainc_gradient(call: Call, dy: Tensor) -> Any:
    a, b, x = call.inputs
    one = scalar(1, x.dtype)
    log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    slope = exp((b - one) * log1p(-x) + (a - one) * log(x) - log_beta)
    return None, None, sum_to_shape_of(dy * slope, x)


def lbeta(x: TensorLike, name: str | None = None) -> Any:
    """Return the logarithm of the absolute value of the beta function of each row."""
    x = convert_to_tensor(x)
    total = reduce_sum(x, [-1])
    return subtract(reduce_sum(lgamma(x), [-1]), lgamma(total), name)
