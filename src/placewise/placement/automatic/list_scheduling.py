"""m-ETF and m-SCT: list schedulers that keep to memory limits (Baechi, SoCC 2020).

*Earliest task first* takes, of all tasks whose inputs are there, the one that can start first, on
the device where it can. *Small communication time* keeps the most expensive copy local: each task
has at most one favourite child, for which its device is kept free as long as the copy to another
would take. The favourites of the paper come from a linear program; here each is the reader of the
costliest tensor, which is what the program's solution is rounded to in the usual case.
A cluster gets its device with its first task, if the device has room for all of it.
"""

from __future__ import annotations

import heapq

from placewise.placement.automatic.filling import Filling, Shapes
from placewise.placement.automatic.tasks import Task


def earliest_task_first(shapes: Shapes) -> Filling:
    """Return the placement of m-ETF."""
    return _Scheduler(shapes, {}).run()


def small_communication_time(shapes: Shapes) -> Filling:
    """Return the placement of m-SCT."""
    return _Scheduler(shapes, _favourites(shapes)).run()


def _favourites(shapes: Shapes) -> dict[int, int]:
    """Return task → its favourite child; a child is the favourite of one task only."""
    problem = shapes.problem
    edges = sorted(
        (-problem.tensor_bytes[tensor], problem.tensor_maker[tensor], reader)
        for tensor, readers in enumerate(problem.readers)
        for reader in readers
    )
    favourites: dict[int, int] = {}
    taken: set[int] = set()
    for size, maker, reader in edges:
        if size and maker not in favourites and reader not in taken:
            favourites[maker] = reader
            taken.add(reader)
    return favourites


def _is_there(task: Task) -> bool:
    is_free = not any(task.seconds.values())
    return task.is_state and is_free and not task.inputs and not task.after


class _Scheduler:
    def __init__(self, shapes: Shapes, favourites: dict[int, int]) -> None:
        self.problem, self.clusters = shapes.problem, shapes.clusters
        self.filling = Filling(shapes)
        self.favourites = favourites
        self.free = [0.0] * self.problem.device_count
        self.finish = [0.0] * self.problem.count
        self.device_of_task = [-1] * self.problem.count
        self.full: set[tuple[int, int]] = set()  # (cluster, device): it only gets worse
        self.kept: dict[int, tuple[int, float]] = {}  # device → (child, until when)

    def run(self) -> Filling:
        problem = self.problem
        waiting = [
            len(reads) + len(problem.tasks[number].after)
            for number, reads in enumerate(problem.reads)
        ]
        following: list[list[int]] = [[] for _ in range(problem.count)]
        for number, reads in enumerate(problem.reads):
            for tensor in reads:
                following[problem.tensor_maker[tensor]].append(number)
            for source in problem.tasks[number].after:
                following[source].append(number)
        # State is there before the step: it waits for nobody's turn, and goes with its readers.
        state = {number for number, task in enumerate(problem.tasks) if _is_there(task)}
        for number in state:
            for reader in following[number]:
                waiting[reader] -= 1
        ready = [
            (0.0, number)
            for number in range(problem.count)
            if not waiting[number] and number not in state
        ]
        heapq.heapify(ready)
        while ready:
            expected, task = heapq.heappop(ready)
            start, device = self._earliest(task)
            # Others ran meanwhile: it goes back if somebody else can start before it now.
            if start > expected and ready and (start, task) > ready[0]:
                heapq.heappush(ready, (start, task))
                continue
            if device is None or not self._bind(task, device):
                heapq.heappush(ready, (expected, task))
                continue
            self._execute(task, device, start)
            for reader in following[task]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    heapq.heappush(ready, (self._earliest(reader)[0], reader))
        self._place_rest()
        return self.filling

    def _place_rest(self) -> None:
        """Put what no task reads on the first device that has room."""
        filling = self.filling
        for cluster in self.clusters.movable():
            if filling.device_of[cluster] is None:
                choices = self.problem.choices
                fitting = (d for d in choices if filling.excess(cluster, d) <= 0)
                device = next(fitting, None)
                if device is None:
                    filling.force(cluster)
                else:
                    filling.put(cluster, device)

    def _earliest(self, task: int) -> tuple[float, int | None]:
        """Return when a task can start first, and where; None: its cluster fits nowhere."""
        cluster = self.clusters.of_task[task]
        bound = self.filling.device_of[cluster]
        if bound is not None:
            return max(self.free[bound], self._arrival(task, bound)), bound
        best: tuple[float, int | None] = (0.0, None)
        for device in self.problem.choices:
            if (cluster, device) in self.full:
                continue
            start = max(self.free[device], self._arrival(task, device))
            child, until = self.kept.get(device, (task, 0.0))
            if child != task:
                start = max(start, until)
            if best[1] is None or start < best[0]:
                best = (start, device)
        return best

    def _arrival(self, task: int, device: int) -> float:
        """Return when the inputs of a task are on a device."""
        problem, latest = self.problem, 0.0
        for tensor in problem.reads[task]:
            source = problem.tensor_maker[tensor]
            home: int | None = self.device_of_task[source]
            if home == -1:  # state, maybe of a cluster that has no device yet
                home = self.filling.device_of[self.clusters.of_task[source]]
            ready = self.finish[source]
            if home is not None and home != device:
                ready += problem.links[home][device].seconds(problem.tensor_bytes[tensor])
            latest = max(latest, ready)
        return latest

    def _bind(self, task: int, device: int) -> bool:
        """Put the cluster of a task on a device, if it is on none; False if it does not fit."""
        cluster, filling = self.clusters.of_task[task], self.filling
        if filling.device_of[cluster] is not None:
            return True
        if filling.excess(cluster, device) > 0:
            self.full.add((cluster, device))
            if all((cluster, other) in self.full for other in self.problem.choices):
                filling.force(cluster)
            return False
        filling.put(cluster, device)
        return True

    def _execute(self, task: int, device: int, start: float) -> None:
        self.device_of_task[task] = device
        end = start + self.problem.seconds[task][device]
        self.finish[task] = self.free[device] = end
        if self.kept.get(device, (-1, 0.0))[0] == task:
            del self.kept[device]
        child = self.favourites.get(task)
        if child is not None and len(self.problem.choices) > 1:
            size = max(
                self.problem.tensor_bytes[tensor]
                for tensor in self.problem.reads[child]
                if self.problem.tensor_maker[tensor] == task
            )
            other = next(number for number in self.problem.choices if number != device)
            self.kept[device] = (child, end + self.problem.links[device][other].seconds(size))
