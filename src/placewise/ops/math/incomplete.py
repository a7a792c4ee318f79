"""Incomplete gamma and beta functions where torch has none: series and continued fractions.

All take and give float64 torch tensors of one shape.
"""

from __future__ import annotations

from typing import Any

import torch

_STEPS = 2000
_SMALL = 1e-15
# How many steps a device makes before it is asked whether they were enough: the data decide how
# many are needed, and each answer is waited for.
_STEPS_UNSEEN = 64


def _is_enough(done: torch.Tensor, step: int) -> bool:
    """Return whether all elements are done; of a device only after many steps."""
    if not done.is_cpu and step % _STEPS_UNSEEN:
        return False
    return bool(done.all())


def lower_gamma_slope(a: torch.Tensor, x: torch.Tensor) -> Any:
    """Return the derivative in `a` of the regularized lower incomplete gamma function."""
    proper = (a > 0) & (x > 0)
    safe_a = torch.where(proper, a, torch.ones_like(a))
    safe_x = torch.where(proper, x, torch.ones_like(x))
    by_fraction = (safe_x > 1) & (safe_x > safe_a)
    series = _series_slope(safe_a, torch.where(by_fraction, safe_a, safe_x))
    fraction = _fraction_slope(safe_a, torch.where(by_fraction, safe_x, safe_a + 2))
    slope = torch.where(by_fraction, fraction, series)
    slope = torch.where((x == 0) & (a > 0), torch.zeros_like(slope), slope)
    bad = (a <= 0) | (x < 0) | torch.isnan(a) | torch.isnan(x)
    return torch.where(bad, torch.full_like(slope, torch.nan), slope)


def _series_slope(a: torch.Tensor, x: torch.Tensor) -> Any:
    """Differentiate x^a e^-x / Gamma(a+1) * sum of x^n / ((a+1)...(a+n)), term by term."""
    term, term_slope = torch.ones_like(a), torch.zeros_like(a)
    total, total_slope = term.clone(), term_slope.clone()
    for n in range(1, _STEPS):
        ratio = x / (a + n)
        term_slope = term_slope * ratio - term * ratio / (a + n)
        term = term * ratio
        total = total + term
        total_slope = total_slope + term_slope
        if _is_enough(term_slope.abs() <= _SMALL * total_slope.abs(), n):
            break
    front = torch.exp(a * torch.log(x) - x - torch.lgamma(a + 1))
    return front * (total * (torch.log(x) - torch.digamma(a + 1)) + total_slope)


def _fraction_slope(a: torch.Tensor, x: torch.Tensor) -> Any:
    """Differentiate the continued fraction of the upper function; the lower has its negative."""
    y, z = 1 - a, x + 2 - a
    p_old, q_old = torch.ones_like(x), x.clone()
    p, q = x + 1, z * x
    dp_old, dq_old, dp, dq = (torch.zeros_like(x), torch.zeros_like(x), torch.zeros_like(x), -x)
    value, slope = p / q, (dp * q - p * dq) / (q * q)
    done = torch.zeros_like(x, dtype=torch.bool)  # once near its limit, a slope may still tremble
    for n in range(1, _STEPS):
        y, z = y + 1, z + 2
        product = y * n
        p_new, q_new = p * z - p_old * product, q * z - q_old * product
        dp_new = dp * z - p - dp_old * product + p_old * n
        dq_new = dq * z - q - dq_old * product + q_old * n
        value = p_new / q_new
        new_slope = (dp_new - value * dq_new) / q_new
        # Of two Python numbers torch would make float32, in which 1e-100 is 0.
        scale = torch.ones_like(x).masked_fill_(q_new.abs() > 1e100, 1e-100)
        p_old, q_old, dp_old, dq_old = p * scale, q * scale, dp * scale, dq * scale
        p, q, dp, dq = p_new * scale, q_new * scale, dp_new * scale, dq_new * scale
        done = done | ((new_slope - slope).abs() <= _SMALL * new_slope.abs())
        slope = new_slope
        if _is_enough(done, n):
            break
    front = torch.exp(a * torch.log(x) - x - torch.lgamma(a))
    return -front * (value * (torch.log(x) - torch.digamma(a)) + slope)


def incomplete_beta(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> Any:
    """Return the regularized incomplete beta function by Lentz's continued fraction."""
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    half = torch.full_like(x, 0.5)
    one = torch.ones_like(x)
    a_safe, b_safe = torch.where(inside, a, one), torch.where(inside, b, one)
    x_safe = torch.where(inside, x, half)
    swap = x_safe > (a_safe + 1) / (a_safe + b_safe + 2)
    p, q = torch.where(swap, b_safe, a_safe), torch.where(swap, a_safe, b_safe)
    at = torch.where(swap, 1 - x_safe, x_safe)
    log_front = (
        torch.lgamma(p + q)
        - torch.lgamma(p)
        - torch.lgamma(q)
        + p * torch.log(at)
        + q * torch.log1p(-at)
    )
    value = torch.exp(log_front) * _beta_fraction(p, q, at) / p
    value = torch.where(swap, 1 - value, value)
    # As in TensorFlow, the ends of the interval need no number there: a or b may be NaN.
    proper = ~((a <= 0) | (b <= 0))
    value = torch.where(inside, value, torch.full_like(value, torch.nan))
    value = torch.where(proper & (x == 0), torch.zeros_like(value), value)
    return torch.where(proper & (x == 1), one, value)


def _beta_fraction(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> Any:
    tiny = torch.full_like(x, 1e-300)

    def away_from_zero(v: torch.Tensor) -> Any:
        return torch.where(v.abs() < 1e-300, tiny, v)

    c, done = torch.ones_like(x), torch.zeros_like(x, dtype=torch.bool)
    d = 1 / away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / away_from_zero(1 + step * d)
            c = away_from_zero(1 + step / c)
            result = result * d * c
        done = done | ((d * c - 1).abs() < _SMALL)
        if _is_enough(done, m):
            break
    return result
