"""Local search: from a placement to one that fits, and from one that fits to a quicker one.

Work is counted in tasks looked at, not in seconds, so that a result does not depend on the speed of
the machine. Candidates are tried in a fixed order; the first that is better is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from placewise.placement.automatic.clustering import Clusters
from placewise.placement.automatic.memory import overflow, peaks, profiles
from placewise.placement.automatic.problem import Problem
from placewise.placement.automatic.timing import critical_path, step_seconds, timing

_LEAST_GAIN = 1e-6  # of the step: below that a move is no gain but rounding
_CANDIDATES = 24  # clusters of a full card that are tried elsewhere
_SWAPS = 4
_PROFILE_VISITS = 300  # what computing the memory of a placement costs beside its tasks


class Effort:
    """How many tasks a search may still look at."""

    def __init__(self, visits: int) -> None:
        self.left = visits

    def spend(self, visits: int) -> bool:
        """Take so many from what is left; False: there is nothing left."""
        self.left -= visits
        return self.left >= 0


class Search:
    """Moves of clusters between devices."""

    def __init__(self, problem: Problem, clusters: Clusters, effort: Effort) -> None:
        self.problem, self.clusters, self.effort = problem, clusters, effort
        self.resident = [
            sum(problem.tasks[task].resident_bytes for task in tasks) for tasks in clusters.tasks
        ]

    def _moved(self, placed: list[int], moves: dict[int, int]) -> list[int]:
        result = list(placed)
        for cluster, device in moves.items():
            for task in self.clusters.tasks[cluster]:
                result[task] = device
        return result

    def _device(self, placed: list[int], cluster: int) -> int:
        return placed[self.clusters.tasks[cluster][0]]

    # To fit.

    def repair(self, placed: list[int]) -> list[int]:
        """Return a placement that exceeds the limits less, if one is found not at all."""
        excess = overflow(self.problem, peaks(self.problem, placed))
        while excess:
            better = self._relieved(placed, excess)
            if better is None:
                break
            placed, excess = better
        return placed

    def _relieved(self, placed: list[int], excess: int) -> tuple[list[int], int] | None:
        """Return the best placement that is one move or swap away, with its excess."""
        held = profiles(self.problem, placed)
        most = held.max(axis=1)
        over = [int(most[d]) - self.problem.limit(d) for d in range(self.problem.device_count)]
        full = max(self.problem.choices, key=lambda device: (over[device], -device))
        moment = int(held[full].argmax())
        best: tuple[list[int], int] | None = None
        for moves in self._relief(placed, full, over, moment):
            if not self.effort.spend(_PROFILE_VISITS + self.problem.count // 4):
                break
            other = self._moved(placed, moves)
            left = overflow(self.problem, peaks(self.problem, other))
            if left < (excess if best is None else best[1]):
                best = (other, left)
                if not left:
                    break
        return best

    def _relief(
        self, placed: list[int], full: int, over: list[int], moment: int
    ) -> Iterator[dict[int, int]]:
        """Yield moves off a full device: what it holds at its peak, best matches first."""
        needed = over[full]
        at_peak = self._held_at(placed, full, moment)
        # What just suffices first, then what is too small, the largest of it first.
        by_match = sorted(
            at_peak,
            key=lambda c: (at_peak[c] < needed, abs(at_peak[c] - needed), c),
        )
        devices = sorted(
            (device for device in self.problem.choices if device != full),
            key=lambda device: (over[device], device),
        )
        for cluster in by_match[:_CANDIDATES]:
            for device in devices:
                yield {cluster: device}
        for cluster in by_match[:_CANDIDATES]:
            for device in devices:
                there = [
                    other
                    for other in self.clusters.movable()
                    if self._device(placed, other) == device
                    and self.resident[other] < at_peak[cluster]
                ]
                there.sort(key=lambda other: (-self.resident[other], other))
                for other in there[:_SWAPS]:
                    yield {cluster: device, other: full}

    def _held_at(self, placed: list[int], device: int, moment: int) -> dict[int, int]:
        """Return the bytes that each movable cluster holds on a device at a moment."""
        problem, of_task = self.problem, self.clusters.of_task
        low, high = moment * problem.per_moment, (moment + 1) * problem.per_moment
        held: dict[int, int] = {}
        for cluster in self.clusters.movable():
            if self._device(placed, cluster) == device and self.resident[cluster]:
                held[cluster] = self.resident[cluster]
        home_bytes = problem.home_bytes
        for tensor, readers in enumerate(problem.readers):
            maker = problem.tensor_maker[tensor]
            cluster = of_task[maker]
            if (
                placed[maker] == device
                and self.clusters.fixed[cluster] is None
                and maker < high
                and (readers[-1] if readers else maker) >= low
                and home_bytes[tensor]
            ):
                held[cluster] = held.get(cluster, 0) + int(home_bytes[tensor])
        return held

    # To be quick.

    def improve(self, placed: list[int], seconds: float) -> tuple[list[int], float]:
        """Return a placement within the limits that is at least as quick."""
        while True:
            better = self._quicker(placed, seconds)
            if better is None:
                return placed, seconds
            placed, seconds = better

    def _quicker(self, placed: list[int], seconds: float) -> tuple[list[int], float] | None:
        """Return the first placement that is one move away and quicker."""
        tried: set[tuple[tuple[int, int], ...]] = set()
        for moves in self._candidates(placed):
            key = tuple(sorted(moves.items()))
            if not moves or key in tried:
                continue
            tried.add(key)
            if not self.effort.spend(len(self.problem.timed) + _PROFILE_VISITS // 4):
                return None
            other = self._moved(placed, moves)
            duration = step_seconds(self.problem, other)
            if duration >= seconds * (1 - _LEAST_GAIN):
                continue
            if not overflow(self.problem, peaks(self.problem, other)):
                return other, duration
            swapped = self._swapped(placed, moves, seconds)
            if swapped is not None:
                return swapped
        return None

    def _swapped(
        self, placed: list[int], moves: dict[int, int], seconds: float
    ) -> tuple[list[int], float] | None:
        """Return a quicker placement in which something makes room for a move."""
        ((cluster, device), *others) = moves.items()
        if others:
            return None
        here = self._device(placed, cluster)
        there = [
            other
            for other in self.clusters.movable()
            if self._device(placed, other) == device and other != cluster
        ]
        wanted = self.resident[cluster]
        there.sort(key=lambda other: (abs(self.resident[other] - wanted), other))
        for other in there[:_SWAPS]:
            if not self.effort.spend(len(self.problem.timed) + _PROFILE_VISITS // 4):
                return None
            changed = self._moved(placed, {cluster: device, other: here})
            duration = step_seconds(self.problem, changed)
            if duration < seconds * (1 - _LEAST_GAIN) and not overflow(
                self.problem, peaks(self.problem, changed)
            ):
                return changed, duration
        return None

    def _candidates(self, placed: list[int]) -> Iterator[dict[int, int]]:
        """Yield moves of what the duration hangs on: copies first, then long stretches of work."""
        path = critical_path(timing(self.problem, placed))[::-1]
        of_task, fixed = self.clusters.of_task, self.clusters.fixed
        # Stretches of the path that stay on one device.
        stretches: list[tuple[int, list[int]]] = []
        for task in path:
            device = placed[task]
            if not stretches or stretches[-1][0] != device:
                stretches.append((device, []))
            cluster = of_task[task]
            if fixed[cluster] is None and cluster not in stretches[-1][1]:
                stretches[-1][1].append(cluster)
        choices = set(self.problem.choices)
        for (here, first), (there, second) in pairwise(stretches):
            if second and here in choices:
                yield {second[0]: here}
                yield dict.fromkeys(second, here)
            if first and there in choices:
                yield {first[-1]: there}
                yield dict.fromkeys(first, there)
        for here, clusters in stretches:
            for device in self.problem.choices:
                if device != here:
                    # Half a stretch shares the work; single clusters are tried at last.
                    yield dict.fromkeys(clusters[: len(clusters) // 2], device)
                    yield dict.fromkeys(clusters[len(clusters) // 2 :], device)
        durations = self.problem.seconds
        weight = {
            cluster: -sum(durations[task][placed[task]] for task in self.clusters.tasks[cluster])
            for _, clusters in stretches
            for cluster in clusters
        }
        for cluster in sorted(weight, key=lambda number: (weight[number], number)):
            for device in self.problem.choices:
                if device != self._device(placed, cluster):
                    yield {cluster: device}


def is_within(problem: Problem, placed: list[int]) -> bool:
    """Return whether no device exceeds its limit."""
    held = profiles(problem, placed).max(axis=1)
    return bool(np.all(held <= np.array(problem.limits, dtype=np.int64)))
