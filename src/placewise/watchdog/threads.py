"""The threads of a process in lines: where each stands, and which of them the others wait for."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from types import FrameType
from typing import NamedTuple

from placewise.core.frames import current_frames
from placewise.watchdog.position import Position, position_of


class Suspect(NamedTuple):
    """The thread that should move: the main one, or the replica whose turn it is."""

    who: str
    ident: int
    native: int  # what the system calls it
    frame: FrameType | None


def suspect() -> Suspect:
    """Return the thread that should move."""
    frames = current_frames()
    for thread in threading.enumerate():
        if getattr(thread, "has_turn", False) and thread.ident is not None:
            who = str(getattr(thread, "description", thread.name))
            return Suspect(who, thread.ident, thread.native_id or 0, frames.get(thread.ident))
    main = threading.main_thread()
    ident = main.ident or 0
    return Suspect("", ident, main.native_id or 0, frames.get(ident))


def cpu_seconds(thread: Suspect) -> float:
    """Return how long a thread has computed; of the process where threads have no clocks."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # it has ended
            # The kernel's number for the clock of a thread; `pthread_getcpuclockid` may crash
            # when the thread has ended.
            return time.clock_gettime((~thread.native << 3) | 6)
    return time.process_time()


def other_threads(but: int, every: bool) -> list[str]:
    """Return a line for each thread but one; with `every` also those that only run libraries."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    lines = []
    for ident, frame in current_frames().items():
        if ident in (but, threading.get_ident()) or _is_own(ident):
            continue
        position = position_of(frame)
        if position.is_in_program or (every and _says_something(position)):
            lines.append(f"  thread {names.get(ident, ident)} is at {position.with_op()}")
    return sorted(lines)


def _says_something(position: Position) -> bool:
    return position.line is not None or bool(position.waits_in)


def _is_own(ident: int) -> bool:
    return any(
        thread.ident == ident and getattr(thread, "is_placewise", False)
        for thread in threading.enumerate()
    )
