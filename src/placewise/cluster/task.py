"""A task that this process serves: its devices, the state that sessions share, its steps."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field
from typing import Any

from placewise.cluster.channels import Peer
from placewise.cluster.rendezvous import Rendezvous
from placewise.cluster.wire import message
from placewise.core.cancellation import Cancellation
from placewise.core.errors import AbortedError, InvalidArgumentError
from placewise.core.runtime import State, runtime
from placewise.devices.device import Device
from placewise.devices.inventory import devices_for
from placewise.devices.local_devices import shown_limit_bytes
from placewise.devices.names import is_host_kind
from placewise.memory import ledgers
from placewise.ops.values import Handle


@dataclass(slots=True)
class Tasks(State):
    """The tasks that servers of this process serve, by target, for sessions of this process."""

    by_target: dict[str, Task] = field(default_factory=dict)


tasks = runtime.state(Tasks)


def task_name(job: str, task: int) -> str:
    """Return a task as errors name it."""
    return f"/job:{job}/task:{task}"


def task_of(device: str) -> str:
    """Return the task that a full device name is of."""
    job, task = "localhost", "0"
    for word in device.split("/"):
        if word.startswith("job:"):
            job = word[4:]
        elif word.startswith("task:"):
            task = word[5:]
    return f"/job:{job}/task:{task}"


class TaskDevice(Device):
    """A device under the name of its task; `order` is 0 for those a session prefers."""

    __slots__ = ("order", "task")

    order: int
    task: str


class Task:
    """The devices, state and steps of one task, and the way to the other tasks of its cluster."""

    def __init__(
        self, cluster: dict[str, dict[int, str]], job: str, index: int, config: Any
    ) -> None:
        self.cluster, self.job, self.index = cluster, job, index
        self.name = task_name(job, index)
        self.address = cluster[job][index]
        self.target = f"grpc://{self.address}"
        self.incarnation = secrets.randbits(63)
        self.config = config
        held = devices_for(config)
        self._claim = ledgers.claim(held)
        ledgers.attach(held)
        self.devices = tuple(renamed(device, self.name, 0) for device in held)
        self.handles: dict[Any, Handle] = {}  # resource containers, shared by all sessions
        self.lock = threading.RLock()
        self.rendezvous = Rendezvous()
        self.steps: dict[int, Cancellation] = {}  # those that run now
        self._peers: dict[str, Peer] = {}
        self.worker: Any = None  # what runs parts here; set by it

    @property
    def host(self) -> Any:
        """The CPU: where tensors arrive and leave."""
        return next(device for device in self.devices if device.is_host)

    def join(self, cluster: dict[str, dict[int, str]], job: str, index: int) -> None:
        """Become a task of another cluster, if this one is called otherwise or lacks tasks of it.

        A server that was started for itself serves in whatever cluster an eager program makes of
        it. The devices stay the same objects: state that is on them is still there.
        """
        wanted = {(name, number) for name, members in cluster.items() for number in members}
        known = {(name, number) for name, members in self.cluster.items() for number in members}
        if (job, index) == (self.job, self.index) and wanted <= known:
            return
        if index not in cluster.get(job, {}):
            raise InvalidArgumentError(None, None, f"The cluster has no {task_name(job, index)}.")
        with self.lock:
            self.cluster, self.job, self.index = cluster, job, index
            self.name = task_name(job, index)
            self._peers.clear()
            for device in self.devices:
                device.name = f"/job:{job}/replica:0/task:{index}{device.local_name}"
                device.task = self.name

    def tasks(self) -> dict[str, str]:
        """Return all tasks of the cluster by name, with their addresses."""
        return {
            task_name(job, index): address
            for job, members in self.cluster.items()
            for index, address in members.items()
        }

    def peer(self, name: str) -> Peer:
        """Return the way to another task."""
        with self.lock:
            peer = self._peers.get(name)
            if peer is None:
                peer = self._peers[name] = Peer(name, self.tasks()[name])
            return peer

    def reset(self, containers: list[str]) -> None:
        """Drop the state in some containers; in all if none is named."""
        with self.lock:
            for key in [key for key in self.handles if not containers or key[1] in containers]:
                handle = self.handles.pop(key)
                if hasattr(handle.value, "cancel_waiting"):
                    handle.value.cancel_waiting()

    def abort(self, step: int, problem: Exception) -> None:
        """End a step here: what runs of it, and all who wait for its tensors."""
        cancellation = self.steps.get(step)
        if cancellation is not None:
            cancellation.cancel(problem)
        self.rendezvous.abort(step, problem)

    def describe(self) -> list[Any]:
        """Return the devices as messages."""
        return [describe(device) for device in self.devices]

    def close(self) -> None:
        """End all steps and let the state go."""
        tasks.by_target.pop(self.target, None)
        self.rendezvous.close()
        for step in list(self.steps):
            self.abort(step, _ended(self.name))
        self.reset([])
        ledgers.close(self._claim)


def _ended(name: str) -> Exception:
    return AbortedError(None, None, f"Task {name} ended.")


def renamed(device: Device, task: str, order: int) -> TaskDevice:
    """Return a device of this machine under the name of a task."""
    result = TaskDevice.__new__(TaskDevice)
    for slot in Device.__slots__:
        setattr(result, slot, getattr(device, slot))
    job, _, index = task.removeprefix("/job:").partition("/task:")
    result.name = f"/job:{job}/replica:0/task:{index}{device.local_name}"
    result.order, result.task = order, task
    return result


def describe(device: TaskDevice) -> Any:
    """Return a device as a message."""
    return message("Device")(
        name=device.name,
        kind=device.kind,
        memory_limit_bytes=shown_limit_bytes(device),
        incarnation=device.incarnation,
        description=device.description,
        unsupported_types=sorted(device.unsupported_types),
        has_own_memory=device.has_own_memory,
    )


def remote_device(described: Any) -> TaskDevice:
    """Return a device of another task, as placement needs it; nothing runs on it here."""
    result = TaskDevice.__new__(TaskDevice)
    for slot in Device.__slots__:
        setattr(result, slot, None)
    result.kind, result.name = described.kind, described.name
    result.is_host = is_host_kind(described.kind)
    _, _, index = described.name.rpartition(":")
    result.index = int(index) if index.isdigit() else 0
    result.local_name = f"/device:{described.kind}:{index}"
    result.has_own_memory, result.has_contents = described.has_own_memory, True
    result.torch_device = "cpu"
    result.unsupported_types = frozenset(described.unsupported_types)
    result.incarnation, result.description = described.incarnation, described.description
    result.simulated = False
    result.order, result.task = 1, task_of(described.name)
    return result
