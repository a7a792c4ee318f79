"""Where a thread stands: the line of the program, the op, and the function it waits in.

Read from the frames of the thread. Only the frames that hold an op or a plan are asked for a local
variable, and no frame is kept.
"""

from __future__ import annotations

import linecache
import re
from types import FrameType
from typing import Any, NamedTuple

from placewise.devices.origin import PLAN_FILE, Origin, is_of_library, is_of_program

_BIND = re.compile(r"ops[\\/]declare\.py:(\w+)$")  # the file name of the lines of an op
_REPLICA = re.compile(r"(?:^|/)replica_(\d+)/")
_PLAN_CALLER = re.compile(r"planning[\\/]errors\.py$")
_LONGEST_TEXT = 80


class PlanStep(NamedTuple):
    """The operation of a session or function that is being run."""

    type: str
    name: str
    device: str
    origin: str

    def __str__(self) -> str:
        where = f" on {_short(self.device)}" if self.device else ""
        made = f" (defined at {self.origin})" if self.origin else ""
        return f"{self.type} '{self.name}'{where}{made}"


class Position(NamedTuple):
    """Where a thread stands."""

    line: Origin | None  # the innermost of the program itself, or of a library
    function: str
    text: str  # of the line
    is_in_program: bool  # False: only libraries run in this thread
    op: str  # "" outside of ops
    waits_in: str  # the innermost function of a library below that line, such as Queue.get
    replica: int | None
    # Differs when the program has moved on: its line with what that calls, then the lines of plans.
    key: tuple[Any, ...]

    def __str__(self) -> str:
        if self.line is None:
            return self.waits_in or "no line of Python"
        shown = f": {self.text}" if self.text else ""
        inside = "" if self.function == "<module>" else f" in {self.function}"
        waits = f" [{self.waits_in}]" if self.waits_in and self.is_in_program else ""
        return f"{self.line}{inside}{shown}{waits}"

    def with_op(self) -> str:
        """Return the line, and the op after it."""
        return f"{self}, in op {self.op}" if self.op else str(self)


def position_of(frame: FrameType | None) -> Position:
    """Return where the thread of an innermost frame stands."""
    top = frame
    own: FrameType | None = None
    library: FrameType | None = None
    step: PlanStep | None = None
    op, plans, inner = "", [], []
    plan: FrameType | None = None
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if own is None and is_of_program(file):
            own = frame
        elif library is None and is_of_library(file):
            library = frame
        if not op and (bound := _BIND.search(file)):
            op = bound[1]
        if file == PLAN_FILE:
            plan = frame
            plans.append((id(code), frame.f_lineno))
        elif plan is not None and step is None and _PLAN_CALLER.search(file):
            step = _step(plan, frame)
            plan = None
        if own is None:
            inner.append(id(code))
        frame = frame.f_back
    stands = own or library
    line = None if stands is None else Origin(stands.f_code.co_filename, stands.f_lineno)
    return Position(
        line,
        "" if stands is None else stands.f_code.co_qualname.removesuffix(".<locals>"),
        "" if line is None else _text(line),
        own is not None,
        op if step is None or op == step.type else (f"{op} of {step}" if op else str(step)),
        _waits_in(top, own),
        _replica(step),
        ((line, *inner), *plans),
    )


def _step(plan: FrameType, caller: FrameType) -> PlanStep | None:
    """Return the operation at whose line a plan stands; `caller` knows the plan's program."""
    # Loads torch, which a program that runs a plan has done long ago.
    from placewise.memory.resident import locals_of  # noqa: PLC0415

    program = locals_of(caller).get("program")
    step = getattr(program, "steps", {}).get(plan.f_lineno)
    if step is None or step.op is None:
        return None
    op = step.op
    return PlanStep(op.type, op.name, step.device.name, str(op.origin or ""))


def _replica(step: PlanStep | None) -> int | None:
    named = None if step is None else _REPLICA.search(step.name)
    return None if named is None else int(named[1])


def _text(line: Origin) -> str:
    text = linecache.getline(line.file, line.line).strip()
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def _waits_in(frame: FrameType | None, own: FrameType | None) -> str:
    """Return the function of Python's library that was called last from elsewhere.

    Queue.get, say: what it calls itself, such as Condition.wait, says less.
    """
    name = ""
    while frame is not None and frame is not own and _is_standard(frame.f_code.co_filename):
        name = frame.f_code.co_qualname
        frame = frame.f_back
    return name


def _is_standard(file: str) -> bool:
    return is_of_library(file) and "-packages" not in file


def _short(device: str) -> str:
    return device.rpartition("/device:")[2] or device
