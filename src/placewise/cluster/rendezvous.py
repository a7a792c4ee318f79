"""Where tensors of a step wait for the tasks that read them.

A table per step holds what was sent to each target. Whoever comes first makes the table: the step
itself, or a task that asks early. A table goes when all was read, or some time after its step ended
or failed. So what nobody reads is dropped, and a task that asks late hears why the step failed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from placewise.core.errors import AbortedError, ResourceExhaustedError

_EXPIRY_SECONDS = 60.0
_MOST_STEPS = 10_000


class Table:
    """The tensors of one step, by target; all access is under `changed`."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.waiting: dict[str, deque[tuple[int, Any]]] = {}
        self.problem: Exception | None = None
        self.users = 0  # runs and readers that are at work
        self.touched = time.monotonic()

    @property
    def is_idle(self) -> bool:
        """Whether nobody uses it and nothing is in it."""
        return not self.users and self.problem is None and not any(self.waiting.values())


class Rendezvous:
    """The tables of a task."""

    def __init__(self) -> None:
        self._tables: dict[int, Table] = {}
        self._lock = threading.Lock()
        self._swept = time.monotonic()

    def enter(self, step: int) -> Table:
        """Return the table of a step, made if there is none; `leave` must follow."""
        with self._lock:
            self._sweep()
            table = self._tables.get(step)
            if table is None:
                if len(self._tables) >= _MOST_STEPS:
                    said = f"{_MOST_STEPS} steps are in flight on this task; try again later."
                    raise ResourceExhaustedError(None, None, said)
                table = self._tables[step] = Table()
            table.users += 1
            table.touched = time.monotonic()
            return table

    def leave(self, step: int) -> None:
        """End the use of a table; it goes when it is empty and nobody else uses it."""
        with self._lock:
            table = self._tables.get(step)
            if table is None:
                return
            table.users -= 1
            table.touched = time.monotonic()
            if table.is_idle:
                del self._tables[step]

    def put(self, step: int, target: str, key: int, content: Any) -> None:
        """Let a tensor wait for a target."""
        table = self.enter(step)
        try:
            with table.changed:
                if table.problem is not None:
                    raise table.problem
                table.waiting.setdefault(target, deque()).append((key, content))
                table.changed.notify_all()
        finally:
            self.leave(step)

    def take(self, step: int, target: str, count: int, is_active: Any) -> Iterator[tuple[int, Any]]:
        """Return the tensors for a target as they come; raises if the step fails.

        `is_active` says whether somebody still reads.
        """
        table = self.enter(step)
        try:
            for _ in range(count):
                with table.changed:
                    queue = table.waiting.setdefault(target, deque())
                    while not queue:
                        if table.problem is not None:
                            raise table.problem
                        if not is_active():
                            return
                        table.changed.wait(5.0)
                    item = queue.popleft()
                yield item
        finally:
            self.leave(step)

    def abort(self, step: int, problem: Exception) -> None:
        """Let all who wait for tensors of a step, now or later, hear why there are none."""
        table = self.enter(step)
        try:
            with table.changed:
                if table.problem is None:
                    table.problem = problem
                table.waiting.clear()
                table.changed.notify_all()
        finally:
            self.leave(step)

    def wake(self, step: int) -> None:
        """Let readers of a step look whether they are still wanted."""
        table = self._tables.get(step)
        if table is not None:
            with table.changed:
                table.changed.notify_all()

    def close(self) -> None:
        """Abort every step: the task ends."""
        for step in list(self._tables):
            self.abort(step, AbortedError(None, None, "The server is shutting down."))

    def _sweep(self) -> None:
        now = time.monotonic()
        if now - self._swept < _EXPIRY_SECONDS / 4 and len(self._tables) < _MOST_STEPS:
            return
        self._swept = now
        for step, table in list(self._tables.items()):
            if not table.users and now - table.touched > _EXPIRY_SECONDS:
                del self._tables[step]
