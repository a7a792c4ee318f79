"""An assignment tried on the allocator: does each tensor find a block on its card?

Bytes that fit together may still find no room, because an allocator leaves gaps and gives out
blocks that are larger than what they hold. The initialisers run first, then two steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from placewise.memory.pool import Pool
from placewise.placement.automatic.tasks import Task
from placewise.planning.automatic.costs import short_name
from placewise.planning.automatic.graph_tasks import GraphTasks


def is_served(
    graph: GraphTasks, devices: Sequence[str], free_bytes: Mapping[Any, int], spare_tensors: int
) -> bool:
    """Return whether the allocators serve a placement, with that many large tensors to spare."""
    largest = max((max(task.outputs, default=0) for task in graph.tasks if task.in_step), default=0)
    limits = {short_name(device): nbytes for device, nbytes in free_bytes.items()}
    return all(
        full_device(
            graph.tasks,
            devices,
            {name: max(0, limit - spare * largest) for name, limit in limits.items()},
        )
        is None
        for spare in range(spare_tensors + 1)
    )


def full_device(
    tasks: Sequence[Task], devices: Sequence[str], limits: Mapping[str, int]
) -> str | None:
    """Return the first device on which a tensor finds no block; None if all do."""
    replay = _Replay(tasks, devices, limits)
    return replay.run(in_step=False) or replay.run(in_step=True) or replay.run(in_step=True)


class _Replay:
    def __init__(
        self, tasks: Sequence[Task], devices: Sequence[str], limits: Mapping[str, int]
    ) -> None:
        self.tasks, self.devices = tasks, devices
        self.pools = {device: Pool(limit) for device, limit in limits.items()}
        # (task, output) → device → the task that reads it last there; a copy is made for the first.
        self.last: dict[tuple[int, int], dict[str, int]] = {}
        first: dict[tuple[int, int], dict[str, int]] = {}
        for number, task in enumerate(tasks):
            for source in task.inputs:
                self.last.setdefault(source, {})[devices[number]] = number
                first.setdefault(source, {}).setdefault(devices[number], number)
        for source, readers in self.last.items():
            home = devices[source[0]]
            copied = [number for device, number in first[source].items() if device != home]
            readers[home] = max([readers.get(home, source[0]), *copied])
        self.held: dict[tuple[int, int, str], Any] = {}

    def run(self, in_step: bool) -> str | None:
        """Run the tasks of a step, or those beside it; return the device that is full."""
        for number, task in enumerate(self.tasks):
            device = self.devices[number]
            if task.is_state:
                # Variables get their memory with the initialisers.
                if not in_step and not self._allocate(device, task.resident_bytes):
                    return device
            elif task.in_step == in_step:
                for output, size in enumerate(task.outputs):
                    if not self._hold((number, output), device, size):
                        return device
            if task.in_step == in_step:
                for source in task.inputs:
                    size = self.tasks[source[0]].outputs[source[1]]
                    is_remote = self.devices[source[0]] != device
                    if is_remote and not self._hold(source, device, size):
                        return device
                self._release(number, task)
        return None

    def _allocate(self, device: str, size: int) -> bool:
        pool = self.pools.get(device)
        return pool is None or not size or pool.allocate(size) is not None

    def _hold(self, source: tuple[int, int], device: str, size: int) -> bool:
        pool, key = self.pools.get(device), (*source, device)
        if pool is None or not size or key in self.held:
            return True
        block = self.held[key] = pool.allocate(size)
        return block is not None

    def _release(self, number: int, task: Task) -> None:
        """Free what this task is the last to need."""
        own = [(number, output) for output in range(len(task.outputs))]
        for source in (*task.inputs, *own):
            for device, last in self.last.get(source, {self.devices[source[0]]: number}).items():
                if last <= number and (*source, device) in self.held:
                    self.pools[device].free(self.held.pop((*source, device)))
