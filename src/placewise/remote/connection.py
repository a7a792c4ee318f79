"""Joining a cluster from an eager program: its tasks become devices of this process."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from placewise.cluster.channels import WORKER, Peer
from placewise.cluster.membership import cluster_def
from placewise.cluster.settings import read_settings
from placewise.cluster.task import remote_device, task_name
from placewise.cluster.wire import message
from placewise.core.errors import DeadlineExceededError, UnavailableError, hint
from placewise.core.log import get_logger
from placewise.core.runtime import State, runtime
from placewise.devices import inventory
from placewise.remote.task import Calls, RemoteTask

_SAY_SECONDS = 10.0


@dataclass(slots=True)
class Joined(State):
    """The tasks that this process has joined, by name."""

    tasks: dict[str, RemoteTask] = field(default_factory=dict)


_joined = runtime.state(Joined)


def tasks_of(job: str) -> list[RemoteTask]:
    """Return the joined tasks of a job, by number."""
    prefix = f"/job:{job}/task:"
    several = [task for name, task in _joined.tasks.items() if name.startswith(prefix)]
    return sorted(several, key=lambda task: int(task.name.rpartition(":")[2]))


def connect(
    jobs: dict[str, dict[int, str]], own: tuple[str, int], filters: dict[str, list[str]]
) -> None:
    """Join all tasks of a cluster but the own one; waits until they are there.

    `filters`: for a task, the devices that a program on it may use, as in ConfigProto.
    """
    calls = Calls()
    tasks = {
        task_name(job, index): RemoteTask(
            task_name(job, index), address, filters.get(task_name(job, index), []), calls
        )
        for job, members in jobs.items()
        for index, address in members.items()
        if (job, index) != own
    }
    others = {
        job: {index: address for index, address in members.items() if (job, index) != own}
        for job, members in jobs.items()
    }
    calls.tasks = list(tasks.values())
    for task in tasks.values():
        describe(task, read_settings().start_seconds, others)
    inventory.serve_as(*own)
    _joined.tasks = tasks
    devices = tuple(device for task in tasks.values() for device in task.devices)
    inventory.join(devices)


def describe(
    task: RemoteTask, seconds: float, jobs: dict[str, dict[int, str]] | None = None
) -> int:
    """Ask a task for its devices, waiting until it is there; return its incarnation.

    With `jobs` the task becomes one of that cluster, whatever it was called when it was started.
    """
    request = message("DescribeRequest")()
    if jobs is not None:
        job, _, index = task.name.removeprefix("/job:").partition("/task:")
        request.job, request.task = job, int(index)
        request.cluster = cluster_def(jobs).SerializeToString()
    peer = Peer(task.name, task.address)
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise DeadlineExceededError(
                None,
                None,
                hint(
                    f"Waited {seconds:g} s for {task.name} at {task.address}, which did not come",
                    "start it: tf.distribute.Server(cluster, job_name, task_index).join()",
                ),
            )
        try:
            reply = peer.call(
                f"/{WORKER}/Describe",
                request,
                timeout=min(left, _SAY_SECONDS),
                wait=True,
            )
            break
        except (UnavailableError, DeadlineExceededError):
            get_logger().info("Waiting for %s at %s", task.name, task.address)
    task.devices = [remote_device(described) for described in reply.devices]
    for order, device in enumerate(task.devices):
        device.remote, device.order = task, 1 + order
    return int(reply.incarnation)
