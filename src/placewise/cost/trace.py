"""What a program executed in one step: ops and copies in the order of their issue, as data.

A dry run writes a trace; `timeline` computes when each event would run on a machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from placewise.ops.work import Work


@dataclass(frozen=True, slots=True)
class OpEvent:
    """One executed op. `inputs` are the numbers of the events that made what it reads."""

    number: int  # its position in the trace
    op: str  # type, e.g. "MatMul"
    name: str  # in the graph; empty in eager mode
    device: str  # "GPU:0"
    work: Work
    inputs: tuple[int, ...] = ()
    line: str = ""  # of the user's program
    requested: str = ""
    reason: str = ""  # of its placement
    fell_back: bool = False  # it does not run on the kind of device that it would prefer
    is_eager: bool = False  # issued one by one by Python, not by a session or function


@dataclass(frozen=True, slots=True)
class CopyEvent:
    """Bytes that went from one device to another. `kind` as in `eager.log.Copy`."""

    number: int
    source: str
    target: str
    nbytes: int
    kind: str = "copy"
    inputs: tuple[int, ...] = ()
    reader: str = ""  # the op it is made for
    tensor: str = ""
    members: tuple[str, ...] = ()  # of an all-reduce (kind "all_reduce"): the devices it sums over


@dataclass(slots=True)
class Trace:
    """The events of one step."""

    events: list[OpEvent | CopyEvent] = field(default_factory=list)
    batch: int | None = None  # samples of all devices together, where a batch was recognised
