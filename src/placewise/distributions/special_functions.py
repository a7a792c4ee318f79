"""The normal distribution function and its logarithm, exact far out in the tails."""

from __future__ import annotations

import math
from typing import Any

from placewise.core.dtypes import float64
from placewise.ops.array.creation import ones_like
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import maximum, minimum, square
from placewise.ops.math.comparison import greater, less
from placewise.ops.math.exponential import log
from placewise.ops.math.special import erf, erfc

_TERMS = 3  # of the asymptotic series, as TensorFlow has by default


def ndtr(x: Any) -> Any:
    """Return the probability that a standard normal variable is at most `x`."""
    x = convert_to_tensor(x)
    scaled = x * math.sqrt(0.5)
    size = absolute(scaled)
    tails = where(greater(scaled, 0.0), 2.0 - erfc(size), erfc(size))
    return 0.5 * where(less(size, math.sqrt(0.5)), 1.0 + erf(scaled), tails)


def log_ndtr(x: Any) -> Any:
    """Return the logarithm of `ndtr(x)`.

    Far below zero the probability is no float any more: there the series
    `-x**2 / 2 - log(-x) - log(sqrt(2 pi)) + log(1 - 1/x**2 + 3/x**4 - ...)` is used, far above zero
    `-ndtr(-x)`.
    """
    x = convert_to_tensor(x)
    lower, upper = (-20.0, 8.0) if x.dtype is float64 else (-10.0, 5.0)
    # Each branch gets values in its own range: gradients of the others must not be NaN.
    middle = log(ndtr(maximum(x, lower)))
    return where(
        greater(x, upper),
        -ndtr(-x),
        where(greater(x, lower), middle, _lower_tail(minimum(x, lower))),
    )


def _lower_tail(x: Any) -> Any:
    squared = square(x)
    scale = -0.5 * squared - log(-x) - 0.5 * math.log(2.0 * math.pi)
    series, power = ones_like(x), squared
    for term in range(1, _TERMS + 1):
        odd = math.prod(range(1, 2 * term, 2))
        series = series + (-odd if term % 2 else odd) / power
        power = power * squared
    return scale + log(series)
