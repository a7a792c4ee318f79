"""Tasks and devices as arrays: what the search reads many times, computed once.

A *cluster* is a set of tasks that move together. `hard` clusters are colocation groups; `clusters`
joins more of them (`clustering.py`). Devices are numbers here, in the order they were listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from placewise.placement.automatic.tasks import DeviceLimit, Link, LinkBetween, Task

_MOST_MOMENTS = 4096


class Problem:
    """Tasks, tensors, devices and links by number."""

    def __init__(
        self, tasks: Sequence[Task], devices: Sequence[DeviceLimit], link_between: LinkBetween
    ) -> None:
        self.tasks, self.devices = tasks, devices
        self.count, self.device_count = len(tasks), len(devices)
        self.choices = [number for number, device in enumerate(devices) if device.is_choice]
        self.links = _links(devices, link_between)
        missing = float("inf")
        self.seconds = [
            [task.seconds.get(device.kind, missing) for device in devices] for task in tasks
        ]
        numbers = {device.name: number for number, device in enumerate(devices)}
        self.timed = [number for number, task in enumerate(tasks) if task.in_step]
        self.fixed = [None if task.device is None else numbers[task.device] for task in tasks]
        self._number_tensors()
        # Positions of long steps are rounded to moments, so that a profile of memory stays short.
        # An interval covers every moment it touches: rounding never hides a byte.
        self.per_moment = max(1, -(-self.count // _MOST_MOMENTS))
        self.moments = self.count // self.per_moment + 1
        self.limits = [
            np.iinfo(np.int64).max if device.limit_bytes is None else device.limit_bytes
            for device in devices
        ]

    def _number_tensors(self) -> None:
        first: list[int] = []  # number of a task's first tensor
        self.tensor_bytes: list[int] = []
        self.tensor_maker: list[int] = []
        for number, task in enumerate(self.tasks):
            first.append(len(self.tensor_bytes))
            self.tensor_bytes.extend(task.outputs)
            self.tensor_maker.extend([number] * len(task.outputs))
        self.reads: list[tuple[int, ...]] = [
            tuple(dict.fromkeys(first[source] + output for source, output in task.inputs))
            for task in self.tasks
        ]
        self.readers: list[list[int]] = [[] for _ in self.tensor_bytes]
        for number, tensors in enumerate(self.reads):
            for tensor in tensors:
                self.readers[tensor].append(number)
        self._order_tasks()
        # The same as arrays, for what is computed over all tensors at once.
        self.bytes_array = np.array(self.tensor_bytes, dtype=np.int64)
        self.maker_array = np.array(self.tensor_maker, dtype=np.int64)
        # At home a variable's content takes no more than the variable itself.
        self.home_bytes = np.array(
            [
                0 if self.tasks[maker].is_state else size
                for size, maker in zip(self.tensor_bytes, self.tensor_maker, strict=True)
            ],
            dtype=np.int64,
        )
        pairs = [
            (tensor, reader) for tensor, all_of in enumerate(self.readers) for reader in all_of
        ]
        self.pair_tensor = np.array([pair[0] for pair in pairs], dtype=np.int64)
        self.pair_reader = np.array([pair[1] for pair in pairs], dtype=np.int64)
        self.resident = np.array([task.resident_bytes for task in self.tasks], dtype=np.int64)
        self.scratch = np.array([task.scratch_bytes for task in self.tasks], dtype=np.int64)

    def _order_tasks(self) -> None:
        """Note who waits for whom within the step, for its timing."""
        self.makes: list[list[int]] = [[] for _ in self.tasks]
        for tensor, maker in enumerate(self.tensor_maker):
            self.makes[maker].append(tensor)
        in_step = [task.in_step for task in self.tasks]
        self.timed_readers = [
            [reader for reader in readers if in_step[reader] and in_step[maker]]
            for readers, maker in zip(self.readers, self.tensor_maker, strict=True)
        ]
        self.followers: list[list[int]] = [[] for _ in self.tasks]
        for number in self.timed:
            for source in self.tasks[number].after:
                if in_step[source]:
                    self.followers[source].append(number)
        self.waiting = [0] * self.count  # for how many tensors and tasks each one waits
        for readers in (*self.timed_readers, *self.followers):
            for reader in readers:
                self.waiting[reader] += 1

    def limit(self, device: int) -> int:
        """Return how many bytes a device may hold."""
        return int(self.limits[device])


def _links(devices: Sequence[DeviceLimit], link_between: LinkBetween) -> list[list[Any]]:
    none = Link(0.0, float("inf"))
    return [[none if a is b else link_between(a.name, b.name) for b in devices] for a in devices]
