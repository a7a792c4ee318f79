"""What this process does now: training steps counted, and the phase it is in.

Others read it from a thread of their own (`placewise top`, stall detection), so writing costs next
to nothing and takes no lock. `activity.steps` counts training steps: runs of a session and calls of
a `tf.function` that change a trainable variable, and eager calls of `GradientTape.gradient`. Two
threads that count at the same moment may count once.
"""

from __future__ import annotations

import threading
import time
from contextlib import ContextDecorator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from placewise.core.progress import Count, Painter, Work
from placewise.core.runtime import State, runtime

PhaseName = Literal["tracing", "planning", "compiling", "saving", "restoring", "checking"]


class Phase(NamedTuple):
    """What a thread does for a while instead of training; `since` is by `time.monotonic`."""

    name: str
    thread: int
    since: float
    what: str = ""
    counted: Count | None = None


@dataclass(slots=True)
class Activity(State):
    """The steps so far, and the phases of all threads, the latest last."""

    steps: int = 0
    phases: list[Phase] = field(default_factory=list)


activity = runtime.state(Activity)


def _works() -> list[Work]:
    """Return the phases of the thread that began first, for the line on the terminal."""
    phases = list(activity.phases)
    return [
        Work(phase.name, phase.what, phase.since, phase.counted)
        for phase in phases
        if phase.thread == phases[0].thread
    ]


_painter = Painter(_works)


class phase(ContextDecorator):  # noqa: N801 - used as `with phase("saving"):` and `@phase("saving")`
    """Say what this thread does for a block, or for each call of the decorated function.

    `what` it is done to, how much there is of it in `total`. The block counts up what it gets. A
    terminal shows it when it takes long (`core/progress.py`).
    """

    def __init__(
        self, name: PhaseName, what: str = "", total: int = 0, in_bytes: bool = False
    ) -> None:
        self._name, self._what = name, what
        self._total, self._in_bytes = total, in_bytes

    def __enter__(self) -> Count:
        count = Count(self._total, self._in_bytes)
        thread, now = threading.get_ident(), time.monotonic()
        activity.phases.append(Phase(self._name, thread, now, self._what, count))
        _painter.begin()
        return count

    def __exit__(self, *exception: object) -> None:
        # Blocks of one thread nest, and other threads have entries of their own.
        thread = threading.get_ident()
        for place in range(len(activity.phases) - 1, -1, -1):
            entry = activity.phases[place]
            if entry.thread == thread and entry.name == self._name:
                activity.phases.remove(entry)
                _painter.end()
                return


def current_phase() -> Phase | None:
    """Return the phase that was entered last and still lasts; None outside of all."""
    phases = activity.phases[-1:]
    return phases[0] if phases else None
