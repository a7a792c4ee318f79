"""Servers of this process, which sessions reach by their targets; they share the state there.

A cluster whose tasks all live in this process runs on this machine's devices: each task has all of
them, under its own job and task. Tasks elsewhere cannot be reached yet, and are refused by name.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Any

from placewise.core.errors import NotFoundError, UnimplementedError, hint
from placewise.core.runtime import State, runtime
from placewise.devices.device import Device
from placewise.ops.values import Handle

_TASK = re.compile(r"/job:([A-Za-z][\w]*)(?:/replica:\d+)?(?:/task:(\d+))?")
_lock = threading.Lock()


@dataclass(slots=True)
class Servers(State):
    """The servers of this process that sessions find, by target."""

    tasks: dict[str, ServedTask] = field(default_factory=dict)


_servers = runtime.state(Servers)


class ServedTask:
    """A task that a server of this process serves: its cluster, its state, its devices."""

    def __init__(self, tasks: dict[str, dict[int, str]], job: str, task: int, target: str) -> None:
        self.tasks, self.job, self.task, self.target = tasks, job, task, target
        self.handles: dict[Any, Handle] = {}

    def start(self) -> None:
        """Register the task by its target, for sessions; tasks of one cluster share their state."""
        with _lock:
            for other in _servers.tasks.values():
                if other.tasks == self.tasks:
                    self.handles = other.handles
            _servers.tasks[self.target] = self

    def stop(self) -> None:
        """Unregister the task."""
        with _lock:
            _servers.tasks.pop(self.target, None)

    def is_here(self, job: str, task: int) -> bool:
        """Return whether this process runs a task.

        True if one of its servers serves the task, or if no other process computes: then it keeps
        the variables of the parameter servers too.
        """
        if (job, task) == (self.job, self.task):
            return True
        served = any(
            (server.job, server.task) == (job, task) and server.tasks == self.tasks
            for server in list(_servers.tasks.values())
        )
        computing = sum(len(tasks) for name, tasks in self.tasks.items() if name != "ps")
        return served or (computing == 1 and self.job != "ps")

    def devices(self, devices: tuple[Device, ...]) -> tuple[Device, ...]:
        """Return this machine's devices under each task that is here, the own task's first."""
        here = [
            (job, task)
            for job, tasks in self.tasks.items()
            for task in tasks
            if self.is_here(job, task)
        ]
        here.sort(key=lambda place: (place != (self.job, self.task), place))
        return tuple(
            _renamed(device, job, task, order)
            for order, (job, task) in enumerate(here)
            for device in devices
        )

    def check(self, operations: list[Any]) -> None:
        """Raise UnimplementedError for an operation asked to run in another process."""
        for requested in {op.device for op in operations if op.device}:
            match = _TASK.match(requested)
            if match is None or match[1] not in self.tasks:
                continue
            job, task = match[1], int(match[2] or 0)
            if task not in self.tasks[job] or self.is_here(job, task):
                continue
            raise UnimplementedError(
                None,
                None,
                hint(
                    f"Task /job:{job}/task:{task} at {self.tasks[job][task]} runs in another "
                    "process, which this one cannot reach yet",
                    f"requested '{requested}'",
                    "let one process serve all tasks of the cluster, or use one worker",
                ),
            )


def _renamed(device: Device, job: str, task: int, order: int) -> Device:
    renamed = Device.__new__(Device)
    for slot in Device.__slots__:
        setattr(renamed, slot, getattr(device, slot))
    renamed.name = f"/job:{job}/replica:0/task:{task}{device.local_name}"
    renamed.order = order
    return renamed


def served(target: str) -> ServedTask | None:
    """Return the task that a session's target means; None for this process without a cluster."""
    text = target.decode() if isinstance(target, bytes) else target
    if not text or text == "local":
        return None
    if not isinstance(text, str):
        raise TypeError(f"`target` must be a string, but got {type(target)}")
    task = _servers.tasks.get(text)
    if task is not None:
        return task
    if text.startswith("grpc://"):
        known = ", ".join(_servers.tasks) or "none"
        raise UnimplementedError(
            None,
            None,
            hint(
                f"No server of this process has the target {text}, and sessions in other "
                "processes cannot be reached yet",
                f"servers here: {known}",
                "make a tf.train.Server in this process and give its target",
            ),
        )
    raise NotFoundError(
        None,
        None,
        f'No session factory registered for the given session options: {{target: "{text}" '
        "config: } Registered factories are {DIRECT_SESSION, GRPC_SESSION}.",
    )
