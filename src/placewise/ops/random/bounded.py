"""Normal samples between bounds of one's own: which method TensorFlow takes, and its samples.

Plain normals are drawn and rejected where the bounds leave much of them, uniforms where the bounds
are close together, and shifted exponentials in the tail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.ops.random.philox import Array, Philox
from placewise.ops.random.samples import normal32, normal64, uniform32, uniform64

# Beyond this many deviations on one side, plain normals are taken often enough.
_WIDE = 1.3
# Samples that TensorFlow's op draws as one batch when all share the same parameters.
BATCH = 100


def bounded_normal(
    generator: Philox, count: int, mean: Any, stddev: Any, low: Any, high: Any
) -> tuple[Array, int]:
    """Return `count` samples and the number of blocks they took; parameters are NumPy scalars."""
    if not (stddev > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
        raise invalid("Invalid parameters")
    kind = type(mean)
    if np.isneginf(low) or high < mean:
        # Mirrored: the bound that matters becomes the lower one.
        low, high, stddev = high, low, -stddev
    with np.errstate(all="ignore"):
        least, most = kind((low - mean) / stddev), kind((high - mean) / stddev)
        root = np.sqrt(least * least + kind(4))
        cutoff = kind(2) * np.exp(kind(0.5) + least * (least - root) / kind(4)) / (least + root)
        if (least < -kind(_WIDE) and most >= 0) or (most > kind(_WIDE) and least <= 0):
            draw, blocks = _normals(least, most), 1
        elif most - least < cutoff:
            draw, blocks = _uniforms(least, most - least), 2
        else:
            draw, blocks = _tails(least, most, (least + root) / kind(2)), 1
        found, used = _first(generator, count, draw, blocks, 2 if kind is np.float64 else 4)
        return found * stddev + mean, used


def _first(
    generator: Philox, count: int, draw: Callable[[Array], Any], blocks: int, size: int
) -> tuple[Array, int]:
    """Return the first `count` accepted samples of `draw`, and how many blocks that took."""
    parts: list[Array] = []
    used = missing = 0
    missing = count
    while missing > 0:
        steps = missing // size + missing // (2 * size) + 8
        drawn, accepted = draw(generator.words(steps * blocks, used))
        places = np.nonzero(accepted.reshape(-1))[0][:missing]
        parts.append(drawn.reshape(-1)[places])
        missing -= len(places)
        last = steps if missing else int(places[-1]) // accepted.shape[1] + 1
        used += last * blocks
        if used > 1000 * (count + 10):
            raise invalid("TruncatedNormal randn rejection sampler exceeded maximum iterations")
    return np.concatenate(parts) if parts else np.empty(0), used


def _uniform_of(kind: type) -> Callable[[Array], Array]:
    return uniform64 if kind is np.float64 else uniform32


def _normals(least: TensorLike, most: TensorLike) -> Callable[[Array], Any]:
    def draw(words: Array) -> Any:
        z = normal64(words) if type(least) is np.float64 else normal32(words)
        return z, (z >= least) & (z <= most)

    return draw


def _uniforms(least: Any, width: Any) -> Callable[[Array], Any]:
    kind = type(least)
    peak = kind(0) if least < 0 else least * least

    def draw(words: Array) -> Any:
        both = _uniform_of(kind)(words)
        z = both[0::2] * width + least
        return z, both[1::2] <= np.exp((peak - z * z) / kind(2))

    return draw


def _tails(least: Any, most: Any, alpha: Any) -> Callable[[Array], Any]:
    kind = type(least)

    def draw(words: Array) -> Any:
        both = _uniform_of(kind)(words)
        z = -np.log(both[:, 0::2]) / alpha + least
        x = alpha - z if least < alpha else np.full_like(z, least - alpha)
        return z, (both[:, 1::2] <= np.exp(-x * x / kind(2))) & (z < most)

    return draw
