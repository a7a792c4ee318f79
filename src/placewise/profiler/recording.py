"""What a program did, as plain data: ops, copies, runs and memory in time.

A `Recorder` fills it. The report, Chrome's trace and the planes of TensorBoard are written from it,
so that all of them show the same facts. Times are `time.perf_counter_ns`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

from placewise.eager.log import Copy


@dataclass(slots=True)
class Node:
    """An op that ran: all that is the same in each of its runs."""

    op: str  # its type
    name: str  # in its graph; in eager mode the line and the type
    device: str
    requested: str = ""
    reason: str = ""
    line: str = ""
    fused: tuple[str, ...] = ()
    fell_back: bool = False
    group: int = -1  # of `Recording.groups`; -1 outside of runs and calls
    inputs: tuple[str, ...] = ()  # "float32[32,10]", when it ran first
    outputs: tuple[str, ...] = ()
    sources: set[int] = field(default_factory=set)  # the nodes whose results it reads
    is_state: bool = False  # a variable, which is where it is and does not run
    is_eager: bool = False
    count: int = 0  # in runs that were recorded in detail
    total_ns: int = 0


class OpRun(NamedTuple):
    """One run of an op."""

    node: int
    start: int
    finish: int
    run: int  # of `Recording.runs`; -1 outside
    thread: int


@dataclass(slots=True)
class CopyRun:
    """One copy between devices."""

    copy: Copy
    start: int
    finish: int
    run: int
    thread: int
    maker: int = -1  # of `Recording.ops`: what made the value
    reader: int = -1  # and what it was copied for


@dataclass(slots=True)
class Group:
    """All runs of one plan of a session, or calls of one trace of a function."""

    kind: str  # "session", "function" or "tape"
    label: str
    line: str
    count: int = 0
    total_ns: int = 0
    shortest_ns: int = 0
    longest_ns: int = 0
    ops: int = 0  # of one run, once one was recorded


@dataclass(slots=True)
class Run:
    """One run of a session, or one call of a function."""

    group: int
    number: int  # of the group's runs, from 1
    start: int
    finish: int = 0
    is_detailed: bool = False  # its ops were recorded
    failed: bool = False
    thread: int = 0


class Sample(NamedTuple):
    """The bytes that a device has in use at a moment."""

    time: int
    nbytes: int


@dataclass(slots=True)
class Recording:
    """Everything that was recorded."""

    began: int = field(default_factory=time.perf_counter_ns)
    began_epoch_ns: int = field(default_factory=time.time_ns)
    ended: int = 0
    nodes: list[Node] = field(default_factory=list)
    ops: list[OpRun] = field(default_factory=list)
    copies: list[CopyRun] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    memory: dict[str, list[Sample]] = field(default_factory=dict)  # by device; "host" the process
    main_thread: int = 0
    notes: list[str] = field(default_factory=list)

    def epoch_ns(self, moment: int) -> int:
        """Return a moment as nanoseconds since 1970."""
        return self.began_epoch_ns + moment - self.began


def called(device: str) -> str:
    """Return what a device is called on pages and tracks: without the job, unless it is remote.

    >>> called("/job:localhost/replica:0/task:0/device:GPU:0")
    'GPU:0'
    >>> called("/job:worker/replica:0/task:1/device:GPU:0")
    'worker 1 GPU:0'
    """
    before, _, last = device.rpartition("/device:")
    parts = dict(part.partition(":")[::2] for part in before.strip("/").split("/") if part)
    job = parts.get("job", "localhost")
    return last or device if job == "localhost" else f"{job} {parts.get('task', '0')} {last}"
