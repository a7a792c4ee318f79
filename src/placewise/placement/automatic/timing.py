"""How long a step takes: tasks in order on each device, copies in order on each link.

Devices run beside each other. A tensor is copied once per device that reads it, as soon as it is
computed, while the devices go on. A device sends one tensor at a time, and receives one.
"""

from __future__ import annotations

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
    finish = [0.0] * problem.count
    free = [0.0] * problem.device_count
    count = problem.device_count
    arrived: dict[int, float] = {}
    sends = [0.0] * count  # when each device has sent, and received, what it has to
    receives = [0.0] * count
    seconds, links, tasks = problem.seconds, problem.links, problem.tasks
    maker, sizes = problem.tensor_maker, problem.tensor_bytes
    reads = problem.reads
    for number in problem.timed:
        device = placed[number]
        start = free[device]
        for tensor in reads[number]:
            source = maker[tensor]
            home = placed[source]
            if home == device:
                ready = finish[source]
            else:
                key = tensor * count + device
                ready = arrived.get(key, -1.0)
                if ready < 0.0:
                    link = links[home][device]
                    begin = max(finish[source], sends[home], receives[device])
                    ready = begin + link[0] + sizes[tensor] / link[1]
                    arrived[key] = sends[home] = receives[device] = ready
            if ready > start:
                start = ready
        for source in tasks[number].after:
            if finish[source] > start:
                start = finish[source]
        free[device] = finish[number] = start + seconds[number][device]
    return max(free, default=0.0)


def timing(problem: Problem, placed: list[int]) -> Timing:
    """Return the duration of a step with what each task waited for."""
    count = problem.device_count
    finish = [0.0] * problem.count
    waited: list[tuple[int, bool] | None] = [None] * problem.count
    free = [0.0] * count
    before = [-1] * count  # the task that ran last on each device
    arrived: dict[int, float] = {}
    sends, receives = [0.0] * count, [0.0] * count
    for number in problem.timed:
        tensors = problem.reads[number]
        device = placed[number]
        start = free[device]
        cause = (before[device], False) if before[device] >= 0 else None
        for tensor in tensors:
            source = problem.tensor_maker[tensor]
            home = placed[source]
            ready = finish[source]
            if home != device:
                key = tensor * count + device
                if key not in arrived:
                    link = problem.links[home][device]
                    begin = max(ready, sends[home], receives[device])
                    end = begin + link.seconds(problem.tensor_bytes[tensor])
                    arrived[key] = sends[home] = receives[device] = end
                ready = arrived[key]
            if ready > start:
                start, cause = ready, (source, home != device)
        for source in problem.tasks[number].after:
            if finish[source] > start:
                start, cause = finish[source], (source, False)
        waited[number] = cause
        before[device] = number
        free[device] = finish[number] = start + problem.seconds[number][device]
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
