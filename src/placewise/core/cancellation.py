"""A wait that somebody else may end: a step that failed elsewhere, a session that closes.

A thread that runs for others has a `Cancellation` in its scope (`core.scope`). What waits on a
condition does so `with waking(condition)`, and asks `check` whenever it wakes up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Cancellation:
    """Whether what a thread does is still wanted; ends its waits when it is not."""

    def __init__(self) -> None:
        self.problem: Exception | None = None
        self._wakes: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    def cancel(self, problem: Exception) -> None:
        """Let every wait end with an error; the first one given stands."""
        with self._lock:
            if self.problem is not None:
                return
            self.problem = problem
            wakes = list(self._wakes)
        for wake in wakes:
            wake()

    def check(self) -> None:
        """Raise the error that ended it."""
        if self.problem is not None:
            raise self.problem

    @contextmanager
    def calling(self, wake: Callable[[], object]) -> Iterator[None]:
        """Have a function called when it is cancelled during the block, at once if it is."""
        with self._lock:
            self._wakes.append(wake)
            is_late = self.problem is not None
        try:
            if is_late:
                wake()
            yield
        finally:
            with self._lock:
                self._wakes.remove(wake)


@contextmanager
def waking(cancellation: Cancellation | None, condition: Any) -> Iterator[None]:
    """Let a condition's waiters wake up when a thread is cancelled; enter before its lock."""
    if cancellation is None:
        yield
        return

    def wake() -> None:
        with condition:
            condition.notify_all()

    with cancellation.calling(wake):
        yield
