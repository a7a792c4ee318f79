"""The description of a simulated cluster: a comma list of `JOB=[N x](MACHINE)[@NETWORK]`.

`ps=1x0, worker=4x(8xV100)`: a parameter server without GPUs, and four workers with eight each.
Parentheses may be left out around one entry of a machine; `worker=2` has no GPUs. `@25gbe` says
how a job's machines reach the others: Ethernet of so many Gbit/s (10gbe unless given), or
InfiniBand (`@ib100`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEGIN = re.compile(r"\s*[A-Za-z]\w*\s*=", re.ASCII)
_ENTRY = re.compile(
    r"\s*(?P<job>[A-Za-z]\w*)\s*=\s*(?:(?P<count>\d{1,4})\s*(?:[xX*]|\Z))?\s*"
    r"(?P<machine>\(.*\)|[^@()]*(?:@(?!\d+gbe|ib\d+)[^@()]*)*)"
    r"\s*(?:@\s*(?P<network>\w+)\s*)?",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_NETWORK = re.compile(r"(?P<ethernet>\d{1,4})gbe|ib(?P<infiniband>\d{1,4})", re.ASCII)
_MOST_TASKS = 255  # what the domain of a bus id has room for
# From one program to another: through the kernel and TCP, or past it.
_ETHERNET_SECONDS, _INFINIBAND_SECONDS = 50e-6, 5e-6
GRAMMAR = "JOB=[N x](MACHINE)[@NETWORK], such as ps=1x0, worker=4x(8xV100)@25gbe"


@dataclass(frozen=True, slots=True)
class Network:
    """How machines reach each other: bytes a second in one direction, and the time of a message."""

    name: str
    bandwidth: float
    latency: float


DEFAULT_NETWORK = Network("10 GbE", 10e9 / 8, _ETHERNET_SECONDS)


@dataclass(frozen=True, slots=True)
class TaskMachine:
    """A task of a simulated cluster, and the description of its machine."""

    job: str
    task: int
    machine: str
    network: Network = DEFAULT_NETWORK

    @property
    def name(self) -> str:
        """What the names of its devices begin with."""
        return f"/job:{self.job}/replica:0/task:{self.task}"


def is_cluster(text: str | None) -> bool:
    """Return whether a description is that of a cluster, not of one machine.

    >>> is_cluster("ps=1x0, worker=2x(2xV100)"), is_cluster("2xV100")
    (True, False)
    """
    return text is not None and _BEGIN.match(text) is not None


def parse_cluster_machine(text: str) -> tuple[TaskMachine, ...]:
    """Return the tasks of a described cluster, in its order.

    >>> [task.name for task in parse_cluster_machine("ps=1x0, worker=2x(4xV100)")][:2]
    ['/job:ps/replica:0/task:0', '/job:worker/replica:0/task:0']
    """
    tasks: list[TaskMachine] = []
    for entry in _entries(text):
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise ValueError(f"Cluster {text!r}: {entry.strip()!r} is not {GRAMMAR}.")
        job = match["job"]
        first = sum(task.job == job for task in tasks)
        machine = (match["machine"] or "0").strip().removeprefix("(").removesuffix(")").strip()
        network = _network(match["network"], text)
        count = int(match["count"] or 1)
        tasks += [
            TaskMachine(job, first + number, machine or "0", network) for number in range(count)
        ]
    if not 0 < len(tasks) <= _MOST_TASKS:
        raise ValueError(f"Cluster {text!r} has {len(tasks)} tasks; 1 to {_MOST_TASKS} can be.")
    return tuple(tasks)


def own_index(tasks: tuple[TaskMachine, ...]) -> int:
    """Return which task the program itself is: the chief, else the first that is no `ps`."""
    ranks = {"chief": 0, "master": 0, "ps": 2}
    return min(range(len(tasks)), key=lambda number: (ranks.get(tasks[number].job, 1), number))


def _entries(text: str) -> list[str]:
    """Return the parts of a text between commas that are in no parentheses."""
    entries, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            entries.append("")
        else:
            entries[-1] += letter
    return entries


def _network(name: str | None, text: str) -> Network:
    if name is None:
        return DEFAULT_NETWORK
    match = _NETWORK.fullmatch(name.lower())
    gigabits = int(match["ethernet"] or match["infiniband"]) if match else 0
    if match is None or not gigabits:
        raise ValueError(
            f"Cluster {text!r}: there is no network {name!r}; write 10gbe, 25gbe, 100gbe or ib100."
        )
    if match["ethernet"]:
        return Network(f"{gigabits} GbE", gigabits * 1e9 / 8, _ETHERNET_SECONDS)
    return Network(f"InfiniBand {gigabits}", gigabits * 1e9 / 8, _INFINIBAND_SECONDS)
