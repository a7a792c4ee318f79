"""Cards that are filled cluster by cluster: does one more fit, and what it would exceed.

Conservative while other clusters have no device yet: a tensor is taken to live at home until its
last reader anywhere. `memory.profiles` computes the exact figures of a finished placement.
"""

from __future__ import annotations

import numpy as np

from placewise.placement.automatic.clustering import Clusters
from placewise.placement.automatic.memory import Ints
from placewise.placement.automatic.problem import Problem


class Shapes:
    """What each cluster holds over time, and what it reads from others."""

    def __init__(self, problem: Problem, clusters: Clusters) -> None:
        self.problem, self.clusters = problem, clusters
        count = len(clusters.tasks)
        self.resident = [0] * count
        for task, cluster in enumerate(clusters.of_task):
            self.resident[cluster] += problem.tasks[task].resident_bytes
        held: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
        # (the other cluster, first moment, last moment, bytes)
        self.incoming: list[list[tuple[int, int, int, int]]] = [[] for _ in range(count)]
        self.outgoing: list[list[tuple[int, int, int, int]]] = [[] for _ in range(count)]
        per = problem.per_moment
        home_bytes = problem.home_bytes.tolist()
        for tensor, readers in enumerate(problem.readers):
            maker = problem.tensor_maker[tensor]
            own = clusters.of_task[maker]
            last = readers[-1] if readers else maker
            if home_bytes[tensor]:
                held[own].append((maker // per, last // per, home_bytes[tensor]))
            spans: dict[int, tuple[int, int]] = {}
            for reader in readers:
                other = clusters.of_task[reader]
                if other != own:
                    first = spans[other][0] if other in spans else reader // per
                    spans[other] = (first, reader // per)
            size = problem.tensor_bytes[tensor]
            for other, (first, last) in spans.items():
                self.incoming[other].append((own, first, last, size))
                self.outgoing[own].append((other, first, last, size))
        for task, number in enumerate(clusters.of_task):
            scratch = problem.tasks[task].scratch_bytes
            if scratch:
                held[number].append((task // per, task // per, scratch))
        self.spans, self.own = [], []
        for number, tasks in enumerate(clusters.tasks):
            low = tasks[0] // per
            high = max([tasks[-1] // per, *(last for _, last, _ in held[number])])
            self.spans.append((low, high + 1))
            self.own.append(_profile(held[number], low, high + 1))


def _profile(intervals: list[tuple[int, int, int]], low: int, high: int) -> Ints:
    change = np.zeros(high - low + 1, dtype=np.int64)
    for first, last, size in intervals:
        change[first - low] += size
        change[last - low + 1] -= size
    result: Ints = np.cumsum(change)[:-1]
    return result


class Filling:
    """Devices with the clusters put on them so far."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes, self.problem = shapes, shapes.problem
        self.held = np.zeros((self.problem.device_count, self.problem.moments), dtype=np.int64)
        self.resident = [0] * self.problem.device_count
        self.device_of: list[int | None] = [None] * len(shapes.clusters.tasks)
        self.fits = True
        for cluster, device in enumerate(shapes.clusters.fixed):
            if device is not None:
                self.put(cluster, device)

    def excess(self, cluster: int, device: int) -> int:
        """Return by how many bytes a cluster would make a device exceed its limit."""
        shapes = self.shapes
        low, high = shapes.spans[cluster]
        profile = self.held[device, low:high] + shapes.own[cluster]
        for other, first, last, size in shapes.incoming[cluster]:
            home = self.device_of[other]
            if home is not None and home != device:
                profile[first - low : last + 1 - low] += size
        most = max(int(profile.max()), int(self.held[device].max()))
        total = most + self.resident[device] + shapes.resident[cluster]
        return total - self.problem.limit(device)

    def put(self, cluster: int, device: int) -> None:
        """Put a cluster on a device."""
        shapes = self.shapes
        low, high = shapes.spans[cluster]
        self.device_of[cluster] = device
        self.resident[device] += shapes.resident[cluster]
        self.held[device, low:high] += shapes.own[cluster]
        for other, first, last, size in shapes.incoming[cluster]:
            home = self.device_of[other]
            if home is not None and home != device:
                self.held[device, first : last + 1] += size
        for other, first, last, size in shapes.outgoing[cluster]:
            home = self.device_of[other]
            if home is not None and home != device:
                self.held[home, first : last + 1] += size

    def force(self, cluster: int) -> int:
        """Put a cluster that fits nowhere where it exceeds the limit least; return the device."""
        choices = self.problem.choices
        device = min(choices, key=lambda number: (self.excess(cluster, number), number))
        self.fits = False
        self.put(cluster, device)
        return device

    def placed(self) -> list[int]:
        """Return the device of each task."""
        return [self.device_of[cluster] or 0 for cluster in self.shapes.clusters.of_task]
