"""How a gamma sample changes with its shape parameter, at a fixed place in the distribution.

That is -(dP/d alpha) / (dP/dx) with P the regularized lower incomplete gamma function; P is taken
as a power series below its middle and as a continued fraction above, both differentiated term by
term.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

Array = np.ndarray[Any, Any]
_TERMS = 2000
_PRECISION = 2.3e-16


def sample_derivative(alpha: Array, sample: Array) -> Array:
    """Return d sample / d alpha, element by element, of float64."""
    result = np.full(alpha.shape, np.nan)
    good = (alpha > 0) & (sample >= 0) & np.isfinite(alpha) & np.isfinite(sample)
    result[good & (sample == 0)] = 0.0
    good &= sample > 0
    low = good & ((sample <= 1) | (sample <= alpha))
    high = good & ~low
    with np.errstate(all="ignore"):
        result[low] = _by_series(alpha[low], sample[low])
        result[high] = _by_fraction(alpha[high], sample[high])
    return result


def _digamma(x: Array) -> Array:
    return torch.digamma(torch.from_numpy(x)).numpy()


def _by_series(a: Array, x: Array) -> Array:
    """P = x^a e^-x / gamma(a + 1) * sum of x^n / ((a+1)...(a+n))."""
    r, term, total = a.copy(), np.ones_like(a), np.ones_like(a)
    slope, slopes = np.zeros_like(a), np.zeros_like(a)
    for _ in range(_TERMS):
        r += 1
        slope = x / r * (slope - term / r)
        term = term * (x / r)
        total += term
        slopes += slope
        if (np.abs(slope) <= _PRECISION * np.abs(slopes)).all():
            break
    # d log P / d a times P / density; the density is x^(a-1) e^-x / gamma(a)
    log_slope = np.log(x) - _digamma(a + 1) + slopes / total
    return -log_slope * total * x / a


def _by_fraction(a: Array, x: Array) -> Array:
    """1 - P = x^a e^-x / gamma(a) * continued fraction, and likewise its derivative."""
    y, z, c = 1 - a, x + 1 - a + 1, np.zeros_like(a)
    before, p = np.ones_like(a), x + 1
    below, q = x.copy(), z * x
    d_before, d_p = np.zeros_like(a), np.zeros_like(a)
    d_below, d_q = np.zeros_like(a), -x
    value = p / q
    slope = (d_p - value * d_q) / q
    for _ in range(_TERMS):
        c += 1
        y += 1
        z += 2
        yc = y * c
        next_p, next_q = p * z - before * yc, q * z - below * yc
        d_next_p = d_p * z - p - d_before * yc + before * c
        d_next_q = d_q * z - q - d_below * yc + below * c
        last = slope
        value = next_p / next_q
        slope = (d_next_p - value * d_next_q) / next_q
        before, p, below, q = p, next_p, q, next_q
        d_before, d_p, d_below, d_q = d_p, d_next_p, d_q, d_next_q
        scale = np.where(np.abs(p) > 4503599627370496.0, 1 / 4503599627370496.0, 1.0)
        before, p, below, q = before * scale, p * scale, below * scale, q * scale
        d_before, d_p = d_before * scale, d_p * scale
        d_below, d_q = d_below * scale, d_q * scale
        if (np.abs(slope - last) <= _PRECISION * np.abs(slope)).all():
            break
    result: Array = x * ((np.log(x) - _digamma(a)) * value + slope)
    return result
