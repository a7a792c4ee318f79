"""Fills a `Recording` while a program runs.

A recorder is a log of `eager.observe`, so it hears of the same ops and copies as `record()`, with
the same reasons. It listens to ops only during the runs that `Sampling` chooses; in between the
program takes its fast paths, and only the beginnings and ends of runs are seen (`watch.unit`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import get_ident
from time import perf_counter_ns
from typing import Any

from placewise.core.runtime import State, runtime
from placewise.core.scope import Unit, watch
from placewise.devices.origin import user_line
from placewise.eager import observe
from placewise.eager.log import Copy, Entry, Executed, Log
from placewise.profiler.contents import Makers
from placewise.profiler.copy_ends import connect
from placewise.profiler.memory_curve import MemoryCurve
from placewise.profiler.nodes import NodeTable
from placewise.profiler.recording import CopyRun, OpRun, Recording
from placewise.profiler.runs import RunTable
from placewise.profiler.sampling import Sampling


@dataclass(slots=True)
class Recorders(State):
    """The recorders that are on, and who heard of runs before the first of them."""

    active: list[Recorder] = field(default_factory=list)
    before: Callable[[Unit], None] | None = None
    before_copied: Callable[[Any, Any], None] | None = None


_recorders = runtime.state(Recorders)


def _heard(unit: Unit) -> None:
    if _recorders.before is not None:
        _recorders.before(unit)
    for recorder in _recorders.active:
        recorder.unit(unit)


def _copied(content: Any, copy: Any) -> None:
    if _recorders.before_copied is not None:
        _recorders.before_copied(content, copy)
    for recorder in _recorders.active:
        recorder.copied(content, copy)


class Recorder(Log):
    """Records what runs between `start` and `stop`."""

    is_quiet = True

    def __init__(self, sampling: Sampling | None = None) -> None:
        super().__init__()
        self.recording = Recording(main_thread=get_ident())
        self._sampling = sampling or Sampling()
        self._nodes = NodeTable(self.recording)
        self._runs = RunTable(self.recording)
        self._memory = MemoryCurve(self.recording)
        self._makers = Makers()
        self._unfinished: dict[int, list[CopyRun]] = {}  # copies, by thread
        self._loose = 0  # ops in a row outside of runs
        # Threads that want ops to be heard. Others are heard meanwhile, too.
        self._wanting: set[int] = set()
        self._attached: ExitStack | None = None
        self._lock = threading.RLock()

    # Beginning and end.

    def start(self) -> None:
        """Begin to record."""
        if not _recorders.active:
            _recorders.before, watch.unit = watch.unit, _heard
            _recorders.before_copied, watch.copied = watch.copied, _copied
        _recorders.active = [*_recorders.active, self]
        self._memory.sample_all(perf_counter_ns())
        self._want(True)

    def stop(self) -> Recording:
        """Record no more, and return what was recorded."""
        now = perf_counter_ns()
        with self._lock:
            self._wanting.clear()
            self._attach()
        _recorders.active = [one for one in _recorders.active if one is not self]
        if not _recorders.active:
            watch.unit, _recorders.before = _recorders.before, None
            watch.copied, _recorders.before_copied = _recorders.before_copied, None
        for thread in list(self._unfinished):
            self._finish_copies(thread, now)
        self._memory.sample_all(now)
        self._runs.finish(now)
        self.recording.ended = now
        connect(self.recording)
        return self.recording

    def _want(self, wants: bool) -> None:
        """Let this thread's ops be heard, or not."""
        thread = get_ident()
        if (thread in self._wanting) is wants:
            return
        with self._lock:
            (self._wanting.add if wants else self._wanting.discard)(thread)
            self._attach()

    def _attach(self) -> None:
        if self._wanting and self._attached is None:
            self._attached = ExitStack()
            self._attached.enter_context(observe.recording(self))
        elif not self._wanting and self._attached is not None:
            self._attached.close()
            self._attached = None

    # Runs, calls and tapes.

    def unit(self, unit: Unit) -> None:
        """Hear of the beginning or the end of a run, a call or a tape."""
        now = perf_counter_ns()
        if unit.kind == "tape":
            if not self._runs.is_inside():
                self._finish_copies(get_ident(), now)
                self._begin(unit, now)
            return
        if not unit.is_end:
            if self._runs.enter():
                self._finish_copies(get_ident(), now)
                self._begin(unit, now)
        elif self._runs.leave():
            self._finish_copies(get_ident(), now)
            self._runs.end(now, unit.failed)
            (self._memory.sample_all if self._attached else self._memory.sample_often)(now)
            if get_ident() != self.recording.main_thread:
                self._want(False)  # a thread may end without another sign

    def _begin(self, unit: Unit, now: int) -> None:
        group = self._runs.group_of(unit, lambda: str(user_line() or ""))
        wants = self._sampling.wants(group.count + 1, group.ops, len(self.recording.ops))
        self._loose = 0
        self._want(wants)
        self._runs.begin(unit, now, wants)

    # Ops and copies.

    def ran(self, entry: Entry, executed: Executed) -> None:
        """Add an op that ran."""
        now, thread = perf_counter_ns(), get_ident()
        since = executed.since or now
        self._finish_copies(thread, since)
        run = self._runs.current()
        with self._lock:
            node = self._nodes.number(entry, executed, self._runs.group_number(), self._makers)
            number = len(self.recording.ops)
            self.recording.ops.append(OpRun(node, since, now, run, thread))
        known = self.recording.nodes[node]
        known.count += 1
        known.total_ns += now - since
        for content in executed.outputs:
            self._makers.add(content, number)
        self._memory.sample(entry.device, now)
        if run < 0:
            self._loose += 1
            if self._loose >= self._sampling.most_loose:
                self._note_loose()

    def moved(self, copy: Copy, content: Any) -> None:
        """Add a copy that begins now: it ends when the thread does the next thing."""
        now, thread = perf_counter_ns(), get_ident()
        self._finish_copies(thread, now)
        run = self._runs.current()
        maker = self._makers.number(content)
        item = CopyRun(copy, now, now, run, thread, maker)
        self.recording.copies.append(item)
        self._unfinished.setdefault(thread, []).append(item)

    def copied(self, content: Any, copy: Any) -> None:
        """Let a copy count as made by the op that made the original."""
        if self._attached is not None:
            number = self._makers.number(content)
            if number >= 0:
                self._makers.add(copy, number)

    def _finish_copies(self, thread: int, now: int) -> None:
        for item in self._unfinished.pop(thread, ()):
            item.finish = now

    def _note_loose(self) -> None:
        self._want(False)
        self._loose = 0
        note = (
            f"Ops outside of session runs, functions and tapes were recorded up to "
            f"{self._sampling.most_loose} in a row; those after them are missing."
        )
        if note not in self.recording.notes:
            self.recording.notes.append(note)
