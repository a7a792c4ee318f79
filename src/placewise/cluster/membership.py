"""Who is there: the tasks of a cluster that a session uses, and their devices."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from placewise import messages
from placewise.cluster.channels import WORKER, Peer
from placewise.cluster.settings import read_settings
from placewise.cluster.task import Task, TaskDevice, remote_device
from placewise.cluster.wire import message
from placewise.core.errors import DeadlineExceededError, OpError, UnavailableError, hint
from placewise.core.log import get_logger
from placewise.devices.names import parse as parse_device
from placewise.messages.decoding import parsed_message

_ASK_SECONDS = 10.0  # between two lines in the log that say whom a session waits for


def cluster_def(jobs: dict[str, dict[int, str]]) -> Any:
    """Return the tasks of a cluster, with their addresses, as a ClusterDef."""
    made = messages.ClusterDef()
    for name, members in jobs.items():
        job = made.job.add(name=name)
        for index, address in members.items():
            job.tasks[index] = address
    return made


def jobs_of(raw: bytes) -> dict[str, dict[int, str]]:
    """Return the tasks of a ClusterDef by job and number."""
    cluster = parsed_message(messages.ClusterDef, raw, "The cluster of a request")
    return {job.name: dict(job.tasks) for job in cluster.job}


@dataclass
class Member:
    """A task, and its devices as a session sees them."""

    name: str
    incarnation: int
    devices: list[TaskDevice]


def find_members(task: Task, config: Any) -> list[Member]:
    """Return the tasks that a session with a ConfigProto uses, its own first; waits for them.

    As in TensorFlow, a session begins when all tasks are there that `device_filters` leave.
    """
    filters = list(config.device_filters) if config is not None else []
    members = [Member(task.name, task.incarnation, list(task.devices))]
    waiting = {
        name: address
        for name, address in task.tasks().items()
        if name != task.name and is_wanted(name, filters)
    }
    end = time.monotonic() + read_settings().start_seconds
    peers = {name: task.peer(name) for name in waiting}
    replies = _asked(peers, end)
    for name, reply in replies.items():
        members.append(Member(name, reply.incarnation, list(map(remote_device, reply.devices))))
    return members


def _asked(peers: dict[str, Peer], end: float) -> dict[str, Any]:
    """Return what each task says of itself; all are asked at the same time."""
    replies: dict[str, Any] = {}
    while len(replies) < len(peers):
        waiting = {name: peer for name, peer in peers.items() if name not in replies}
        left = end - time.monotonic()
        if left <= 0:
            raise _not_there(waiting)
        seconds, request = min(left, _ASK_SECONDS), message("DescribeRequest")()
        calls = {
            name: peer.start(f"/{WORKER}/Describe", request, seconds, wait=True)
            for name, peer in waiting.items()
        }
        for name, call in calls.items():
            try:
                replies[name] = peers[name].finish(call)
            except (DeadlineExceededError, UnavailableError):
                get_logger().warning(_still_waiting(peers[name]))
    return {name: replies[name] for name in peers}


def _still_waiting(peer: Peer) -> str:
    """Return TensorFlow's line about a task that is awaited, and how to go on without it.

    TensorFlow prints it by default. A worker that starts after another has finished would
    otherwise wait without a word.
    """
    name = peer.name.replace("/task:", "/replica:0/task:")
    return hint(
        f"CreateSession still waiting for response from worker: {name}",
        f"nothing answers at {peer.address}: it has not started, or has finished",
        "ConfigProto(device_filters=[...]) names the only tasks that a session waits for",
    )


def _not_there(waiting: dict[str, Peer]) -> OpError:
    shown = ", ".join(f"{name} at {peer.address}" for name, peer in sorted(waiting.items()))
    return DeadlineExceededError(
        None,
        None,
        hint(
            f"The session waited too long for {shown}",
            "start those tasks, or leave them out with ConfigProto(device_filters=[...])",
            "PLACEWISE_CLUSTER_START_TIMEOUT sets how many seconds a session waits",
        ),
    )


def is_wanted(task: str, filters: list[str]) -> bool:
    """Return whether a session may use a task: no filters, or one that allows it."""
    if not filters:
        return True
    job, _, index = task.removeprefix("/job:").partition("/task:")
    for text in filters:
        spec = parse_device(text)
        if spec.job in (None, job) and spec.task in (None, int(index)):
            return True
    return False
