"""Which tasks move together: colocation groups first, then what is better not taken apart.

Baechi (SoCC 2020) found that placing single operations makes too many copies, and joins forward
with backward operations and chains. So does this, and it joins layers with their variables. Joined
clusters are capped, so that they stay small against a card and towers stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from placewise.placement.automatic.problem import Problem

_PARTS_OF_LIMIT = 4  # a joined cluster takes at most this part of the smallest card
_PARTS_OF_STEP = 4  # and at most a card's share of the step, divided by this


@dataclass(slots=True)
class Clusters:
    """Tasks that move together. Clusters are numbered by their first task."""

    of_task: list[int]
    tasks: list[list[int]]
    fixed: list[int | None]  # the device of clusters that have no choice

    def movable(self) -> list[int]:
        """Return the clusters that have a choice."""
        return [cluster for cluster, device in enumerate(self.fixed) if device is None]


class _Union:
    """Sets of tasks that grow together."""

    def __init__(self, problem: Problem) -> None:
        self.parent = list(range(problem.count))
        self.fixed = list(problem.fixed)
        self.bytes = [task.resident_bytes for task in problem.tasks]
        for tensor, size in enumerate(problem.home_bytes.tolist()):
            self.bytes[problem.tensor_maker[tensor]] += size
        slowest = problem.choices or list(range(problem.device_count))
        self.seconds = [
            min(durations[device] for device in slowest) for durations in problem.seconds
        ]

    def find(self, task: int) -> int:
        parent = self.parent
        while parent[task] != task:
            parent[task] = parent[parent[task]]
            task = parent[task]
        return task

    def join(self, a: int, b: int) -> None:
        a, b = sorted((self.find(a), self.find(b)))
        if a == b:
            return
        self.parent[b] = a
        if self.fixed[a] is None:
            self.fixed[a] = self.fixed[b]
        self.bytes[a] += self.bytes[b]
        self.seconds[a] += self.seconds[b]

    def clusters(self) -> Clusters:
        numbers: dict[int, int] = {}
        of_task: list[int] = []
        tasks: list[list[int]] = []
        fixed: list[int | None] = []
        for task in range(len(self.parent)):
            root = self.find(task)
            number = numbers.setdefault(root, len(numbers))
            if number == len(tasks):
                tasks.append([])
                fixed.append(self.fixed[root])
            tasks[number].append(task)
            of_task.append(number)
        return Clusters(of_task, tasks, fixed)


def grouped(problem: Problem) -> Clusters:
    """Return the clusters that colocation makes."""
    return _grouped(problem).clusters()


def _grouped(problem: Problem) -> _Union:
    union = _Union(problem)
    leaders: dict[object, int] = {}
    for number, task in enumerate(problem.tasks):
        if task.group is None:
            continue
        leader = leaders.setdefault(task.group, number)
        asked = {union.fixed[union.find(leader)], union.fixed[number]} - {None}
        if len(asked) > 1:
            raise ValueError(f"The tasks of group {task.group!r} must run on different devices")
        union.join(leader, number)
    return union


def joined(problem: Problem) -> Clusters:
    """Return larger clusters: layers with their variables, backward with forward, chains."""
    union = _grouped(problem)
    limits = [problem.limit(device) for device in problem.choices]
    most_bytes = min(limits, default=0) // _PARTS_OF_LIMIT
    total = sum(
        union.seconds[union.find(task)] for task in range(problem.count) if union.find(task) == task
    )
    most_seconds = total / (max(1, len(problem.choices)) * _PARTS_OF_STEP)

    def join(a: int, b: int) -> None:
        a, b = union.find(a), union.find(b)
        if a == b or union.fixed[a] is not None or union.fixed[b] is not None:
            return
        if union.bytes[a] + union.bytes[b] > most_bytes:
            return
        if union.seconds[a] + union.seconds[b] > most_seconds:
            return
        union.join(a, b)

    for number, task in enumerate(problem.tasks):
        if task.is_state:
            continue
        for tensor in problem.reads[number]:
            maker = problem.tensor_maker[tensor]
            if problem.tasks[maker].is_state:
                join(maker, number)
    for number, task in enumerate(problem.tasks):
        if task.partner is not None:
            join(task.partner, number)
    for readers, maker in zip(problem.readers, problem.tensor_maker, strict=True):
        if len(readers) == 1:
            join(maker, readers[0])
    return union.clusters()
