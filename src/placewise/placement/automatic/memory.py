"""How many bytes each device holds at most, by the lifetimes of tensors in the order of the step.

A tensor lives on the device of its maker from then on until the last task there has read it, and
until it was copied away. A copy is made for the first reader on a device and lives until the last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from placewise.placement.automatic.problem import Problem

Ints = NDArray[np.int64]


def profiles(problem: Problem, placed: list[int]) -> Ints:
    """Return the bytes held on each device (row) at each moment (column)."""
    devices, moments = problem.device_count, problem.moments
    home = np.array(placed, dtype=np.int64)
    changes = _Changes(problem)
    everywhere = np.arange(problem.count, dtype=np.int64)
    changes.add(home, everywhere, everywhere, problem.scratch)
    if len(problem.bytes_array):
        _add_tensors(problem, home, changes)
    held = np.cumsum(changes.by_moment.reshape(devices, moments + 1), axis=1)[:, :moments]
    resident = np.zeros(devices, dtype=np.int64)
    np.add.at(resident, home, problem.resident)
    result: Ints = held + resident[:, None]
    return result


class _Changes:
    """By how much the bytes held on each device change from moment to moment."""

    def __init__(self, problem: Problem) -> None:
        self._row, self._per_moment = problem.moments + 1, problem.per_moment
        self.by_moment: Ints = np.zeros(problem.device_count * self._row, dtype=np.int64)

    def add(self, device: Ints, first: Ints, last: Ints, nbytes: Ints) -> None:
        """Hold bytes on devices, each from the first to the last position."""
        begin = device * self._row + first // self._per_moment
        end = device * self._row + last // self._per_moment + 1
        np.add.at(self.by_moment, begin, nbytes)
        np.add.at(self.by_moment, end, -nbytes)


def _add_tensors(problem: Problem, home: Ints, changes: _Changes) -> None:
    devices, tensors = problem.device_count, len(problem.bytes_array)
    maker_home = home[problem.maker_array]
    key = problem.pair_tensor * devices + home[problem.pair_reader]
    firsts: Ints = np.full(tensors * devices, problem.count, dtype=np.int64)
    lasts: Ints = np.full(tensors * devices, -1, dtype=np.int64)
    np.minimum.at(firsts, key, problem.pair_reader)
    np.maximum.at(lasts, key, problem.pair_reader)
    first, last = firsts.reshape(tensors, devices), lasts.reshape(tensors, devices)
    number = np.arange(tensors)
    # Until when it is needed at home: its readers there, and the moment of each copy.
    left_at = np.where(last >= 0, first, -1)
    left_at[number, maker_home] = last[number, maker_home]
    end = np.maximum(left_at.max(axis=1), problem.maker_array)
    changes.add(maker_home, problem.maker_array, end, problem.home_bytes)
    is_copied = last >= 0
    is_copied[number, maker_home] = False
    which, where = np.nonzero(is_copied)
    changes.add(where, first[which, where], last[which, where], problem.bytes_array[which])


def peaks(problem: Problem, placed: list[int]) -> list[int]:
    """Return the most bytes each device holds at once."""
    return [int(peak) for peak in profiles(problem, placed).max(axis=1)]


def overflow(problem: Problem, peak_bytes: list[int]) -> int:
    """Return by how many bytes all devices together exceed their limits."""
    return sum(max(0, peak - problem.limit(device)) for device, peak in enumerate(peak_bytes))
