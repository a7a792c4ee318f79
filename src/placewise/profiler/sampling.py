"""Which runs are recorded op by op: the first of each kind, then ever fewer.

All other runs have only their duration recorded, which is how recording stays cheap in a program
that repeats one step thousands of times.
"""

from __future__ import annotations

from dataclasses import dataclass

_FIRST = 3


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much is recorded in detail."""

    most_ops: int = 60_000  # op runs of all detailed runs together
    most_loose: int = 5_000  # op runs in a row outside of runs, calls and tapes
    every_run: bool = False

    def wants(self, number: int, ops: int, recorded: int) -> bool:
        """Return whether run `number` of its kind is recorded in detail.

        `ops`: how many a run of that kind has, as far as known; `recorded`: how many were recorded.

        >>> [number for number in range(1, 40) if Sampling().wants(number, 10, 0)]
        [1, 2, 3, 4, 8, 16, 32]
        """
        if recorded and recorded + ops > self.most_ops:
            return False
        return self.every_run or number <= _FIRST or number & (number - 1) == 0


EVERYTHING = Sampling(most_ops=400_000, most_loose=400_000, every_run=True)
