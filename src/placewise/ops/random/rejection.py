"""Gamma, Poisson and binomial samples, by TensorFlow's rejection methods, in double precision.

Gamma: Marsaglia and Tsang. Poisson: Knuth's product below 10, Hörmann's transformed rejection
above. Binomial: sums of geometric gaps below a mean of 10, Hörmann's BTRS above.
"""

from __future__ import annotations

import numpy as np
import torch

from placewise.ops.random.philox import Array, Philox
from placewise.ops.random.rejection_stream import ROUNDS, Draws

# Counters set aside for the gaps of a binomial sample with a mean below 10.
GAPS = 42


def _batches(count: int, size: int = 1 << 16) -> list[Array]:
    return [np.arange(i, min(i + size, count)) for i in range(0, count, size)]


def gamma(generator: Philox, alpha: Array) -> Array:
    """Return one sample per element of `alpha` (float64, flat, in order of outputs)."""
    result = np.empty(len(alpha))
    with np.errstate(all="ignore"):
        for part in _batches(len(alpha)):
            result[part] = _gamma(Draws(generator, part), alpha[part])
    return result


def _gamma(draws: Draws, alpha: Array) -> Array:
    result = np.full(len(alpha), np.nan)
    ones = np.nonzero(alpha == 1.0)[0]
    result[ones] = -np.log1p(-draws.uniform(ones))
    below = alpha < 1
    d = alpha + np.where(below, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    todo = np.nonzero((alpha != 1.0) & (d > 0))[0]
    for _ in range(ROUNDS):
        if not len(todo):
            break
        x = draws.normal(todo)
        v = 1 + c[todo] * x
        possible = v > 0
        trying, x, v = todo[possible], x[possible], v[possible]
        v = v * v * v
        u = draws.uniform(trying)
        accepted = u < 1 - 0.0331 * (x * x) * (x * x)
        accepted |= np.log(u) < 0.5 * x * x + d[trying] * (1 - v + np.log(v))
        done = trying[accepted]
        found = d[done] * v[accepted]
        small = below[done]
        if small.any():
            b = draws.uniform(done[small])
            found[small] *= np.power(b, 1 / alpha[done[small]])
        result[done] = found
        todo = np.setdiff1d(todo, done, assume_unique=True)
    return result


def poisson(generator: Philox, rate: Array, largest: float) -> Array:
    """Return one sample per element of `rate`; none is above `largest`."""
    result = np.empty(len(rate))
    with np.errstate(all="ignore"):
        for part in _batches(len(rate)):
            draws = Draws(generator, part)
            lam = rate[part]
            found = np.where(np.isposinf(lam), np.inf, np.nan)
            small, large = np.nonzero(lam < 10)[0], np.nonzero((lam >= 10) & np.isfinite(lam))[0]
            found[small] = _poisson_small(draws, small, lam)
            found[large] = _poisson_large(draws, large, lam, largest)
            result[part] = found
    return result


def _poisson_small(draws: Draws, who: Array, rate: Array) -> Array:
    bound = np.exp(-rate)
    product = np.ones(len(rate))
    x = np.zeros(len(rate))
    todo = who
    for _ in range(ROUNDS):
        if not len(todo):
            break
        product[todo] *= draws.uniform(todo)
        todo = todo[product[todo] > bound[todo]]
        x[todo] += 1
    return x[who]


def _poisson_large(draws: Draws, who: Array, rate: Array, largest: float) -> Array:
    result = np.full(len(rate), np.nan)
    log_rate = np.log(rate)
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    todo = who
    for _ in range(ROUNDS):
        if not len(todo):
            break
        u = draws.uniform(todo) - 0.5
        v = draws.uniform(todo)
        at, bt, lam = a[todo], b[todo], rate[todo]
        shifted = 0.5 - np.abs(u)
        k = np.floor((2 * at / shifted + bt) * u + lam + 0.43)
        accepted = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (bt - 2))
        s = np.log(v * inverse_alpha[todo] / (at / (shifted * shifted) + bt))
        t = -lam + k * log_rate[todo] - _lgamma(k + 1)
        accepted |= (k >= 0) & ~((shifted < 0.013) & (v > shifted)) & (s <= t)
        accepted &= k <= largest
        result[todo[accepted]] = k[accepted]
        todo = todo[~accepted]
    return result[who]


def _lgamma(x: Array) -> Array:
    return torch.lgamma(torch.from_numpy(x)).numpy()


def binomial(generator: Philox, count: Array, prob: Array) -> Array:
    """Return one sample per element of `count` and `prob` (flat, of one type)."""
    result = np.empty(len(count))
    # Which method is taken is decided in the precision of the inputs.
    with np.errstate(all="ignore"):
        means = count * np.where(prob > 0.5, 1 - prob, prob)
    count, prob = count.astype(np.float64), prob.astype(np.float64)
    with np.errstate(all="ignore"):
        for part in _batches(len(count)):
            n, p = count[part], prob[part]
            flipped = p > 0.5
            q = np.where(flipped, 1 - p, p)
            found = np.zeros(len(part))
            defined = (n > 0) & (q > 0)
            few = np.nonzero(defined & (means[part] < 10))[0]
            many = np.nonzero(defined & (means[part] >= 10))[0]
            found[few] = _inversion(Draws(generator, part, GAPS), few, n, q)
            found[many] = _btrs(Draws(generator, part), many, n, q)
            found = np.where(flipped, n - found, found)
            found[np.isnan(n) | np.isnan(p)] = np.nan
            result[part] = found
    return result


def _inversion(draws: Draws, who: Array, n: Array, p: Array) -> Array:
    total = np.zeros(len(n))
    hits = np.zeros(len(n))
    rate = np.log1p(-p)
    todo = who
    for _ in range(ROUNDS):
        if not len(todo):
            break
        total[todo] += np.ceil(np.log(draws.uniform(todo)) / rate[todo])
        todo = todo[total[todo] <= n[todo]]
        hits[todo] += 1
    return hits[who]


_TAILS = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)


def _stirling_tail(k: Array) -> Array:
    squared = (k + 1) * (k + 1)
    tail: Array = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / squared) / squared) / (k + 1)
    low = np.isfinite(k) & (k <= 9) & (k >= 0)
    tail[low] = _TAILS[k[low].astype(np.int64)]
    return tail


def _btrs(draws: Draws, who: Array, count: Array, prob: Array) -> Array:
    result = np.full(len(count), np.nan)
    todo = who
    for _ in range(ROUNDS):
        if not len(todo):
            break
        n, p = count[todo], prob[todo]
        spread = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        c = n * p + 0.5
        r = p / (1 - p)
        alpha = (2.83 + 5.1 / b) * spread
        m = np.floor((n + 1) * p)
        u = draws.uniform(todo) - 0.5
        v = draws.uniform(todo)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + c)
        accepted = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        bound = (
            (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * np.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * np.log(r * (n - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(n - m)
            - _stirling_tail(k)
            - _stirling_tail(n - k)
        )
        close = np.log(v * alpha / (a / (us * us) + b)) <= bound
        accepted |= (k >= 0) & (k <= n) & close
        result[todo[accepted]] = k[accepted]
        todo = todo[~accepted]
    return result[who]
