"""Quantiles of a stream of weighted values, in little memory.

A summary holds some of the values in ascending order; of each it knows its weight and the least and
most weight of all values up to it. Summaries are merged and compressed, so that ranks stay within a
share `epsilon` of the total weight. All sums are float32: other sums would move boundaries.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_FLOAT = np.float32


class Summary:
    """Values in ascending order, with their weights and the bounds of their ranks."""

    def __init__(self, rows: Array | None = None) -> None:
        # One row a value: value, weight, least rank, greatest rank.
        self.rows: Array = np.zeros((0, 4), _FLOAT) if rows is None else rows

    @classmethod
    def of_values(cls, values: Array, weights: Array) -> Summary:
        """Return the exact summary of values; those without a weight do not count."""
        counts = weights > 0
        values, weights = values[counts], weights[counts]
        order = np.argsort(values, kind="stable")
        distinct, place = np.unique(values[order], return_inverse=True)
        sums = np.zeros(len(distinct), _FLOAT)
        np.add.at(sums, place, weights[order])
        greatest = np.cumsum(sums, dtype=_FLOAT)
        least = np.concatenate([np.zeros(1, _FLOAT), greatest[:-1]])[: len(sums)]
        return cls(np.stack([distinct.astype(_FLOAT), sums, least, greatest], 1))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def total_weight(self) -> float:
        """The weight of all values."""
        return float(self.rows[-1, 3]) if len(self) else 0.0

    def merge(self, other: Summary) -> Summary:
        """Return the summary of the values of both."""
        if not len(other) or not len(self):
            return self if len(self) else other
        ours = self._among(other)
        theirs = other._among(self)
        values = np.union1d(self.rows[:, 0], other.rows[:, 0])
        merged = np.zeros((len(values), 4), _FLOAT)
        merged[:, 0] = values
        at = np.searchsorted(values, self.rows[:, 0])
        merged[at, 1:] = ours
        at = np.searchsorted(values, other.rows[:, 0])
        is_common = np.isin(other.rows[:, 0], self.rows[:, 0])
        merged[at[~is_common], 1:] = theirs[~is_common]
        # A value of both has the weights and ranks of both.
        both = np.searchsorted(self.rows[:, 0], other.rows[is_common, 0])
        merged[at[is_common], 1:] = self.rows[both, 1:] + other.rows[is_common, 1:]
        return Summary(merged)

    def _among(self, other: Summary) -> Array:
        """Return weights and ranks where the values of another summary are there, too."""
        _, weight, least, greatest = other.rows.T
        before = np.searchsorted(other.rows[:, 0], self.rows[:, 0])
        next_least = np.concatenate([np.zeros(1, _FLOAT), least + weight])
        previous_greatest = np.concatenate([greatest - weight, greatest[-1:]])
        found = self.rows[:, 1:].copy()
        found[:, 1] += next_least[before]
        found[:, 2] += previous_greatest[before]
        return found

    def compress(self, size: int, epsilon: float = 0.0) -> Summary:
        """Return about `size` of the values, with ranks less exact by `epsilon` at most."""
        size = max(size, 2)
        count = len(self)
        if count <= size:
            return self
        gap = self.total_weight * max(1.0 / size, epsilon)
        _, weight, least, greatest = self.rows.T
        next_least = (least + weight).tolist()
        previous_greatest = (greatest - weight).tolist()
        kept, credit, at, last = [0], 0, 0, 1
        while at + 1 < count:
            following = at + 1
            while (
                following < count
                and credit < count
                and float(_FLOAT(previous_greatest[following] - next_least[at])) <= gap
            ):
                credit += size
                following += 1
            at = at + 1 if at == following - 1 else following - 1
            kept.append(at)
            last = at
            credit -= count
        if last + 1 != count:
            kept.append(count - 1)
        return Summary(self.rows[kept])

    def approximation_error(self) -> float:
        """Return the greatest error of a rank, as a share of the total weight."""
        if not len(self):
            return 0.0
        _, weight, least, greatest = self.rows[1:].T
        _, weight_before, least_before, _ = self.rows[:-1].T
        gaps = np.maximum(
            greatest - least - weight, greatest - weight - (least_before + weight_before)
        )
        return float(_FLOAT(gaps.max(initial=0)) / _FLOAT(self.total_weight))

    def boundaries(self, count: int) -> list[float]:
        """Return the boundaries of about `count` buckets of equal weight, ascending."""
        if not len(self):
            return []
        error = float(_FLOAT(self.approximation_error() + 1.0 / count))
        kept: list[float] = self.compress(count, error).rows[:, 0].tolist()
        return kept

    def quantiles(self, count: int) -> list[float]:
        """Return the values at `count` + 1 ranks at equal distances, some more than once."""
        if not len(self):
            return []
        values, weight, least, greatest = self.rows.T
        middles = (least + greatest).tolist()
        next_least, previous_greatest = least + weight, greatest - weight
        found, at, total = [], 0, _FLOAT(self.total_weight)
        for rank in range(count + 1):
            doubled = 2 * float(_FLOAT(rank) * total / _FLOAT(count))
            following = at + 1
            while following < len(self) and doubled >= middles[following]:
                following += 1
            at = following - 1
            is_nearer = following == len(self) or doubled < float(
                next_least[at] + previous_greatest[following]
            )
            found.append(float(values[at if is_nearer else following]))
        return found


class QuantileStream:
    """Takes in values or summaries one after another, and ends in one summary."""

    def __init__(self, epsilon: float, max_elements: int) -> None:
        self._epsilon = epsilon
        self._block = _block_size(epsilon, max_elements)
        self._capacity = min(self._block << 1, max_elements)
        self._levels: list[Summary] = []

    def push_values(self, values: Array, weights: Array) -> None:
        """Take in values with their weights."""
        counts = weights > 0
        values, weights = values[counts], weights[counts]
        for start in range(0, len(values), self._capacity):
            stop = start + self._capacity
            self.push(Summary.of_values(values[start:stop], weights[start:stop]))

    def push(self, summary: Summary) -> None:
        """Take in a summary: levels that are full are merged and handed to the next level."""
        carried = summary.compress(self._block, self._epsilon)
        if not len(carried):
            return
        level = 0
        while True:
            if len(self._levels) <= level:
                self._levels.append(Summary())
            standing = self._levels[level]
            carried = carried.merge(standing)
            if not len(standing) or len(carried) <= self._block + 1:
                self._levels[level] = carried
                return
            carried = carried.compress(self._block, self._epsilon)
            self._levels[level] = Summary()
            level += 1

    def finish(self) -> Summary:
        """Return the summary of all that came, and begin anew."""
        result = Summary()
        for summary in self._levels:
            result = result.merge(summary)
        self._levels = []
        return result


def _block_size(epsilon: float, max_elements: int) -> int:
    """Return how many values a level holds, so that all levels hold that many elements."""
    if epsilon <= 0:
        return max(max_elements, 2)
    block, levels = 2, 1
    while (1 << levels) * block < max_elements:
        block = math.ceil(levels / epsilon) + 1
        levels += 1
    return block
