"""Functions that are integrals: Dawson's, exponential, Fresnel's, Spence's.

torch has none of them: they are computed in float64, by series near zero and by other sums away
from it.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from placewise.ops.array.where import where
from placewise.ops.convert import scalar
from placewise.ops.math.arithmetic import multiply, square, subtract
from placewise.ops.math.comparison import equal
from placewise.ops.math.division import real_divide
from placewise.ops.math.exponential import exp, log
from placewise.ops.math.special import in_float64, special
from placewise.ops.math.trigonometric import cos, sin

_EULER = 0.57721566490153286061


def dawsn_kernel(x: Any) -> Any:
    """Rybicki's sum over a grid of Gaussians; near zero, where it cancels, the power series."""
    step = 0.25
    nearest = 2 * torch.round(0.5 * x / step)
    nearest = torch.where(torch.isfinite(nearest), nearest, torch.zeros_like(nearest))
    away = x - nearest * step
    total = torch.zeros_like(x)
    for n in range(-27, 28, 2):
        total = total + torch.exp(-((away - n * step) ** 2)) / (n + nearest)
    value = total / math.sqrt(math.pi)
    small = x.abs() < 0.2
    near = torch.where(small, x, torch.zeros_like(x))
    series = torch.ones_like(x)
    for n in range(12, 0, -1):
        series = 1 - 2 * near * near / (2 * n + 1) * series
    value = torch.where(small, near * series, value)
    return torch.where(torch.isinf(x), torch.zeros_like(x), value)


dawsn = special(
    "Dawsn",
    in_float64(dawsn_kernel),
    lambda x, y: subtract(scalar(1, x.dtype), multiply(scalar(2, x.dtype), multiply(x, y))),
    "Return Dawson's integral of x.",
    "dawsn",
)


def expint_kernel(x: Any) -> Any:
    """Sum the power series up to 40; beyond, the asymptotic one up to its smallest term."""
    large = x > 40
    near = torch.where(large | ~(x > 0), torch.ones_like(x), x)
    term, series = torch.ones_like(x), torch.zeros_like(x)
    for n in range(1, 160):
        term = term * near / n
        series = series + term / n
    value = _EULER + torch.log(near) + series
    far = torch.where(large, x, torch.full_like(x, 50.0))
    term, tail = torch.ones_like(x), torch.ones_like(x)
    for n in range(1, 40):
        term = term * n / far
        tail = tail + term
    value = torch.where(large, torch.exp(far) / far * tail, value)
    value = torch.where(x == 0, torch.full_like(x, -torch.inf), value)
    undefined = (x < 0) | torch.isnan(x) | torch.isinf(x)
    return torch.where(undefined, torch.full_like(x, torch.nan), value)


expint = special(
    "Expint",
    in_float64(expint_kernel),
    lambda x, y: real_divide(exp(x), x),
    "Return the exponential integral of x.",
    "expint",
)


def _fresnel(x: Any) -> tuple[Any, Any]:
    """Return Fresnel's sine and cosine integrals."""
    size = x.abs()
    far = size > 1.5
    near = torch.where(far, torch.ones_like(x), size)
    angle = math.pi / 2 * near * near
    square_angle = angle * angle
    cosine_term, sine_term = near, near * angle
    cosine, sine = cosine_term.clone(), sine_term / 3
    for n in range(1, 16):
        cosine_term = -cosine_term * square_angle / ((2 * n - 1) * (2 * n))
        sine_term = -sine_term * square_angle / ((2 * n) * (2 * n + 1))
        cosine = cosine + cosine_term / (4 * n + 1)
        sine = sine + sine_term / (4 * n + 3)
    distance = torch.where(far, size, torch.full_like(x, 4.0))
    # The two slow parts are integrals of a Gaussian over 1 + v^4: even sums converge at once.
    s, step = distance * math.sqrt(math.pi / 2), 0.25
    f, g = torch.full_like(x, 0.5), torch.zeros_like(x)
    for n in range(1, 28):
        v = n * step
        weight = math.exp(-v * v) / (1 + (v / s) ** 4)
        f, g = f + weight, g + v * v * weight
    front = math.sqrt(2) / math.pi * step / s
    f, g = front * f, front * g / (s * s)
    # The angle modulo a full turn, taken before it loses its digits.
    turn = math.pi / 2 * torch.remainder(distance * distance, 4)
    far_cosine = 0.5 + f * torch.sin(turn) - g * torch.cos(turn)
    far_sine = 0.5 - f * torch.cos(turn) - g * torch.sin(turn)
    infinite = torch.isinf(x)
    half = torch.full_like(x, 0.5)
    found = []
    for nearby, faraway in ((sine, far_sine), (cosine, far_cosine)):
        value = torch.where(infinite, half, torch.where(far, faraway, nearby))
        value = torch.where(torch.isnan(x), x, value)
        found.append(torch.where(x < 0, -value, value))
    return found[0], found[1]


def _turned(x: Any) -> Any:
    return multiply(scalar(math.pi / 2, x.dtype), square(x))


def _cosine_of(x: Any) -> Any:
    return cos(_turned(x))


def _sine_of(x: Any) -> Any:
    return sin(_turned(x))


fresnel_cos = special(
    "FresnelCos",
    in_float64(lambda x: _fresnel(x)[1]),
    lambda x, y: _cosine_of(x),
    "Return Fresnel's cosine integral of x.",
    "fresnel_cos",
)
fresnel_sin = special(
    "FresnelSin",
    in_float64(lambda x: _fresnel(x)[0]),
    lambda x, y: _sine_of(x),
    "Return Fresnel's sine integral of x.",
    "fresnel_sin",
)


def _dilogarithm(x: Any) -> Any:
    """Return the sum of x^n / n^2 for |x| up to a half."""
    power, total = torch.ones_like(x), torch.zeros_like(x)
    for n in range(1, 60):
        power = power * x
        total = total + power / (n * n)
    return total


def spence_kernel(x: Any) -> Any:
    """Bring the argument to [0, 1.5] and sum the dilogarithm around 1 or around 0."""
    turned = x > 1.5
    t = torch.where(turned, 1 / x, x)
    low = t < 0.5
    around_one = _dilogarithm(torch.where(low, torch.zeros_like(t), 1 - t))
    inner = torch.where(low & (t > 0), t, torch.full_like(t, 0.25))
    around_zero = math.pi**2 / 6 - torch.log(inner) * torch.log1p(-inner) - _dilogarithm(inner)
    value = torch.where(low, around_zero, around_one)
    value = torch.where(t == 0, torch.full_like(t, math.pi**2 / 6), value)
    value = torch.where(turned, -0.5 * torch.log(x) ** 2 - value, value)
    undefined = (x < 0) | torch.isnan(x) | torch.isinf(x)
    return torch.where(undefined, torch.full_like(x, torch.nan), value)


def spence_slope(x: Any, y: Any) -> Any:
    one = scalar(1, x.dtype)
    at_one = equal(x, one)
    safe = where(at_one, scalar(2, x.dtype), x)
    return where(at_one, scalar(-1, x.dtype), real_divide(log(safe), subtract(one, safe)))


spence = special(
    "Spence", in_float64(spence_kernel), spence_slope, "Return Spence's integral of x.", "spence"
)
