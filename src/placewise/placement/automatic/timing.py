"""How long a step takes: each device runs what is ready, in the order in which it became so.

So does TensorFlow's executor, and the timeline of `placewise.cost`, whose simpler form this is: an
update of a variable runs before what comes later on the same device, if it is ready before.
Devices run beside each other. A tensor is copied once per device that reads it, as soon as it is
computed, while the devices go on. A device sends one tensor at a time, and receives one.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from placewise.placement.automatic.problem import Problem


class Timing(NamedTuple):
    """When each task ends, and the task or copy that it waited for."""

    seconds: float
    finish: list[float]
    # The task that each one had to wait for last: (task, whether for a copy); None: for nobody.
    waited_for: list[tuple[int, bool] | None]


def step_seconds(problem: Problem, placed: list[int]) -> float:
    """Return the duration of a step."""
    return timing(problem, placed).seconds


def timing(problem: Problem, placed: list[int]) -> Timing:
    """Return the duration of a step with what each task waited for."""
    # One long loop: the search calls it thousands of times.
    count = problem.device_count
    finish, ready = [0.0] * problem.count, [0.0] * problem.count
    waited: list[tuple[int, bool] | None] = [None] * problem.count
    free, sends, receives = [0.0] * count, [0.0] * count, [0.0] * count
    before = [-1] * count  # the task that ran last on each device
    waiting = list(problem.waiting)
    seconds, links, sizes = problem.seconds, problem.links, problem.tensor_bytes
    makes, timed_readers, followers = problem.makes, problem.timed_readers, problem.followers
    heap = [(0.0, number) for number in problem.timed if not waiting[number]]
    while heap:
        start, number = heapq.heappop(heap)
        device = placed[number]
        if free[device] >= start:
            start = free[device]
            if before[device] >= 0:
                waited[number] = (before[device], False)
        end = finish[number] = free[device] = start + seconds[number][device]
        before[device] = number
        for tensor in makes[number]:
            arrived: dict[int, float] = {}
            for reader in timed_readers[tensor]:
                target = placed[reader]
                time = end
                if target != device:
                    time = arrived.get(target, -1.0)
                    if time < 0.0:
                        link = links[device][target]
                        begin = max(end, sends[device], receives[target])
                        time = begin + link[0] + sizes[tensor] / link[1]
                        arrived[target] = sends[device] = receives[target] = time
                if time > ready[reader]:
                    ready[reader] = time
                    waited[reader] = (number, target != device)
                waiting[reader] -= 1
                if not waiting[reader]:
                    heapq.heappush(heap, (ready[reader], reader))
        for reader in followers[number]:
            if end > ready[reader]:
                ready[reader] = end
                waited[reader] = (number, False)
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(heap, (ready[reader], reader))
    return Timing(max(free, default=0.0), finish, waited)


def critical_path(result: Timing) -> list[int]:
    """Return the tasks that the duration hangs on, last first."""
    if not result.finish:
        return []
    task = max(range(len(result.finish)), key=lambda number: (result.finish[number], -number))
    path = [task]
    while (cause := result.waited_for[task]) is not None:
        task = cause[0]
        path.append(task)
    return path
