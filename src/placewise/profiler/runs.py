"""The runs of sessions and calls of functions in a recording, and in which of them a thread is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

from placewise.core.scope import Unit
from placewise.profiler.recording import Group, Recording, Run

_MOST_RUNS = 20_000  # of all groups; after that only detailed ones are kept, and the sums


class _Place(threading.local):
    """Where this thread is."""

    def __init__(self) -> None:
        self.depth = 0
        self.run = -1
        self.group = -1
        self.began = 0
        self.ops_before = 0


class RunTable:
    """Groups runs by their plan or function."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._numbers: dict[int, tuple[Any, int]] = {}  # by the id of a plan or function
        self._place = _Place()
        self._lock = threading.Lock()

    # Where this thread is.

    def is_inside(self) -> bool:
        """Return whether this thread is in a run or call."""
        return self._place.depth > 0

    def enter(self) -> bool:
        """Go into a run or call; return whether it is the outermost."""
        self._place.depth += 1
        return self._place.depth == 1

    def leave(self) -> bool:
        """Leave a run or call; return whether it was the outermost."""
        self._place.depth = max(self._place.depth - 1, 0)
        return self._place.depth == 0

    def current(self) -> int:
        """Return the run that this thread is in, -1 if it is in none."""
        return self._place.run

    def group_number(self) -> int:
        """Return the group of that run."""
        return self._place.group

    # Runs.

    def group_of(self, unit: Unit, line: Callable[[], str]) -> Group:
        """Return the group that a run belongs to; `line` is asked if it is new."""
        with self._lock:
            return self._recording.groups[self._number(unit, line)]

    def _number(self, unit: Unit, line: Callable[[], str] = str) -> int:
        # Every tape is another object: they are told apart by nothing.
        key = 0 if unit.kind == "tape" else id(unit.what)
        known = self._numbers.get(key)
        if known is not None and (key == 0 or known[0]() is unit.what):
            return known[1]
        number = len(self._recording.groups)
        self._recording.groups.append(Group(unit.kind, _label(unit), line()))
        self._numbers[key] = (ref(unit.what), number)
        return number

    def begin(self, unit: Unit, now: int, is_detailed: bool) -> None:
        """Begin a run in this thread."""
        place, recording = self._place, self._recording
        if unit.kind == "tape":
            self._end_tape(now)
        with self._lock:
            number = self._number(unit)
            group = recording.groups[number]
            group.count += 1
            place.group, place.began, place.ops_before = number, now, len(recording.ops)
            place.run = -1
            if is_detailed or len(recording.runs) < _MOST_RUNS:
                place.run = len(recording.runs)
                thread = threading.get_ident()
                recording.runs.append(
                    Run(number, group.count, now, is_detailed=is_detailed, thread=thread)
                )

    def _end_tape(self, now: int) -> None:
        """A tape's step lasts until the next tape."""
        place, groups = self._place, self._recording.groups
        if place.group >= 0 and groups[place.group].kind == "tape":
            self.end(now, False)

    def end(self, now: int, failed: bool) -> None:
        """End the run of this thread."""
        place, recording = self._place, self._recording
        if place.group < 0:
            return
        group, elapsed = recording.groups[place.group], now - place.began
        with self._lock:
            group.total_ns += elapsed
            group.longest_ns = max(group.longest_ns, elapsed)
            group.shortest_ns = min(group.shortest_ns or elapsed, elapsed)
            if place.run >= 0:
                run = recording.runs[place.run]
                run.finish, run.failed = now, failed
                if run.is_detailed:
                    group.ops = max(group.ops, len(recording.ops) - place.ops_before)
        place.run = place.group = -1

    def finish(self, now: int) -> None:
        """End what has not ended: the last tape, and what an error has left."""
        self._end_tape(now)
        for run in self._recording.runs:
            run.finish = run.finish or now


def _label(unit: Unit) -> str:
    if unit.kind == "tape":
        return "GradientTape"
    if unit.kind == "session":
        return "Session.run"
    return str(getattr(unit.what, "called", "function")).removeprefix("__inference_")
