"""The tasks that `--cluster` names, and the machine and address of each."""

from __future__ import annotations

import re
import socket
from typing import NamedTuple

from placewise.cli.errors import UnusableError

_FIRST_PORT = 2222
_MOST_TASKS = 9999  # of one machine
_ENTRY = re.compile(r"\s*([A-Za-z]\w*)\s*(?:=\s*(\d{1,4}))?\s*", re.ASCII)
_HOST = re.compile(r"([\w.-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?", re.ASCII)
# The order of ranks, as MultiWorkerMirroredStrategy counts them; jobs of other names come last.
_ORDER = ("chief", "master", "worker", "evaluator", "ps")


class Task(NamedTuple):
    """A task of a cluster: its job and number, and where it listens."""

    job: str
    number: int
    address: str
    host: str | None = None  # of `--hosts`; None: this machine

    @property
    def name(self) -> str:
        """What messages and prefixes of lines call it."""
        return f"{self.job} {self.number}"


def parse_cluster(text: str) -> dict[str, int]:
    """Return how many tasks each job has.

    >>> parse_cluster("ps=2,worker=4,chief")
    {'ps': 2, 'worker': 4, 'chief': 1}
    """
    counts: dict[str, int] = {}
    for entry in text.split(","):
        match = _ENTRY.fullmatch(entry)
        if match is None or match[2] == "0":
            raise UnusableError(
                f"--cluster {text}: {entry.strip()!r} is no job; write ps=2,worker=4"
            )
        if match[1] in counts:
            raise UnusableError(f"--cluster {text}: job {match[1]} is there twice")
        counts[match[1]] = int(match[2] or 1)
    return counts


def local_tasks(counts: dict[str, int]) -> list[Task]:
    """Return the tasks on free ports of this machine, in the order of their ranks."""
    tasks = sum(counts.values())
    if tasks > _MOST_TASKS:
        raise UnusableError(f"{tasks} tasks are too many for this machine: {_MOST_TASKS} may be")
    ports = free_ports(tasks)
    return [
        Task(job, index, f"localhost:{port}")
        for (job, index), port in zip(_numbered(counts), ports, strict=True)
    ]


def tasks_on(hosts: str, counts: dict[str, int]) -> list[Task]:
    """Return the tasks dealt to machines in turn, parameter servers first.

    A machine's tasks have ports from 2222 on, or from the one given with its name, so that the same
    words give the same cluster on every machine.
    """
    machines = [_machine(entry, hosts) for entry in hosts.split(",")]
    used = [0] * len(machines)
    tasks = {}
    in_turn = sorted(_numbered(counts), key=lambda task: task[0] != "ps")
    for position, task in enumerate(in_turn):
        number = position % len(machines)
        host, port = machines[number]
        tasks[task] = Task(*task, f"{host}:{port + used[number]}", host)
        used[number] += 1
    return [tasks[task] for task in _numbered(counts)]


def _machine(entry: str, hosts: str) -> tuple[str, int]:
    match = _HOST.fullmatch(entry.strip())
    if match is None:
        raise UnusableError(f"--hosts {hosts}: {entry.strip()!r} is neither HOST nor HOST:PORT")
    return match[1], int(match[2] or _FIRST_PORT)


def _numbered(counts: dict[str, int]) -> list[tuple[str, int]]:
    def rank(job: str) -> int:
        return _ORDER.index(job) if job in _ORDER else len(_ORDER)

    jobs = sorted(counts, key=rank)
    return [(job, index) for job in jobs for index in range(counts[job])]


def addresses(tasks: list[Task]) -> dict[str, list[str]]:
    """Return the addresses of all tasks, by job, as TF_CONFIG has them."""
    jobs: dict[str, list[str]] = {}
    for task in tasks:
        jobs.setdefault(task.job, []).append(task.address)
    return jobs


def share_of(task: Task, tasks: list[Task]) -> tuple[int, int] | None:
    """Return which of how many parts of its machine's GPUs a task has; None: it needs no GPU."""
    if task.job == "ps":
        return None
    beside = [other for other in tasks if other.host == task.host and other.job != "ps"]
    return beside.index(task), len(beside)


def free_ports(count: int) -> list[int]:
    """Return ports that nobody uses at this moment."""
    holders: list[socket.socket] = []
    try:
        for _ in range(count):
            holders.append(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            holders[-1].bind(("127.0.0.1", 0))
        return [holder.getsockname()[1] for holder in holders]
    except OSError as error:
        raise UnusableError(
            f"{count} tasks are too many for this machine: {error.strerror} after {len(holders)}"
        ) from None
    finally:
        for holder in holders:
            holder.close()
