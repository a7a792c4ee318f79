"""How values are counted for a histogram summary: in TensorFlow's fixed, growing buckets."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

_LARGEST = sys.float_info.max


@functools.cache
def bucket_limits() -> np.ndarray[Any, Any]:
    """Return the upper ends of all buckets: each a tenth wider than the one nearer to zero."""
    positive = []
    limit = 1.0e-12
    while limit < 1.0e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(_LARGEST)
    return np.array([*(-each for each in reversed(positive)), 0.0, *positive])


def fill(histogram: Any, values: np.ndarray[Any, Any]) -> None:
    """Put the counts, the extremes and the sums of `values` (finite) into a HistogramProto."""
    flat = values.astype(np.float64).ravel()
    histogram.min = float(flat.min()) if flat.size else _LARGEST
    histogram.max = float(flat.max()) if flat.size else -_LARGEST
    histogram.num = float(flat.size)
    if flat.size:
        # One after the other, as TensorFlow adds them: the last bits depend on it.
        histogram.sum = float(np.add.accumulate(flat)[-1])
        with np.errstate(over="ignore"):
            histogram.sum_squares = float(np.add.accumulate(flat * flat)[-1])
    limits, counts = _merged(flat)
    histogram.bucket_limit.extend(limits)
    histogram.bucket.extend(counts)


def _merged(flat: np.ndarray[Any, Any]) -> tuple[list[float], list[float]]:
    """Return limits and counts of the buckets; neighbours that are empty are one."""
    if not flat.size:
        return [_LARGEST], [0.0]
    limits = bucket_limits()
    counts = _counts(flat, limits)
    is_there = counts > 0
    is_there[:-1] |= is_there[1:]  # of empty ones the last before another
    is_there[-1] = True
    return limits[is_there].tolist(), counts[is_there].astype(np.float64).tolist()


def _counts(flat: np.ndarray[Any, Any], limits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return how many values are in each bucket; the largest of all numbers is in the last."""
    if flat.size < limits.size:  # then it takes longer to look for the limits among the values
        numbers = np.searchsorted(limits, flat, side="right")
        return np.bincount(np.minimum(numbers, limits.size - 1), minlength=limits.size)
    below = np.searchsorted(np.sort(flat), limits, side="left")
    below[-1] = flat.size
    return np.diff(below, prepend=0)
