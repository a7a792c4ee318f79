"""Samples by rejection: every sample has a stretch of counters of its own, drawn from in turn.

`Draws` follows many samples at once; a round of a rejection method works on those that are not
done yet, so the number of array operations depends on the unluckiest sample only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.ops.random.philox import Array, Philox
from placewise.ops.random.samples import RESERVED, normal64, uniform64

# More rounds than any distribution here needs; parameters that never accept end in NaN.
ROUNDS = 4096


class Draws:
    """The generators of a set of samples: uniform and normal doubles, two from each block.

    Both kinds read the same counter but keep what is left of a block apart, last first.
    """

    def __init__(self, generator: Philox, samples: Array, reserved: int = RESERVED) -> None:
        self._generator = generator
        self._base = samples.astype(np.uint64) * np.uint64(reserved)
        self._used = np.zeros(len(samples), np.uint64)
        self._left = {make: np.zeros(len(samples), bool) for make in (uniform64, normal64)}
        self._kept = {make: np.zeros(len(samples)) for make in (uniform64, normal64)}

    def _next(self, make: Callable[..., Any], who: Array) -> Array:
        left, kept = self._left[make], self._kept[make]
        result = kept[who]
        fresh = who[~left[who]]
        if len(fresh):
            block = make(self._generator.words_at(self._base[fresh] + self._used[fresh]))
            self._used[fresh] += np.uint64(1)
            kept[fresh] = block[:, 0]
            result[~left[who]] = block[:, 1]
        left[who] = ~left[who]
        return result

    def uniform(self, who: Array) -> Array:
        """Return the next uniform double of each of the samples `who` (indices)."""
        return self._next(uniform64, who)

    def normal(self, who: Array) -> Array:
        """Return the next normal double of each of the samples `who` (indices)."""
        return self._next(normal64, who)
