"""Storages that begin and end, in the order they do, and the pool that catches up with them.

The end of a storage may come anywhere, in any thread, also in the midst of our own work. So it only
notes its allocation in a list, as a beginning does, and the pool goes through the list when it is
long, when something large is asked for or when someone asks for figures. Blocks, peaks and counts
are those of a pool that was told at once: the order is kept.

What waits is so little that it will fit: what might not is never left waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import get_ident
from typing import Any

from placewise.core.errors import InternalError
from placewise.memory.allocation import Allocation
from placewise.memory.pool import ENDED, NOWHERE, Pool

LINE_BYTES = 1 << 20  # the line of the program is kept for allocations from this size on
WAITING = 128  # so many events may wait
# Of the largest free piece, what may wait: blocks can be twice as large as asked for, and other
# threads may note as much again while the pool catches up.
_SHARE = 4 * WAITING
_PATIENCE_SECONDS = 60.0
ALL = slice(None)  # of a list; made before, so that no collection of garbage comes between


class Journal:
    """What has happened to a pool's memory and the pool has not been told.

    `latest` has begun last, `ended` are those that have ended since, `events` what came before: the
    first time an allocation stands there it has begun, the second time it has ended.
    """

    __slots__ = (
        "_line_bytes",
        "_owner",
        "_turn",
        "at_once_bytes",
        "end",
        "ended",
        "events",
        "latest",
        "pool",
        "repeats",
    )

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.events: list[Allocation] = []
        self.latest: Allocation | None = None
        self.ended: list[Allocation] = []
        self.end = self.ended.append  # what the end of a storage calls
        self.repeats = 0  # how many took the place of a `latest` that had ended
        self.line_bytes = LINE_BYTES
        # Who has taken the one entry works on the pool.
        self._turn: list[None] = [None]
        self._owner = 0

    @property
    def line_bytes(self) -> int:
        """The size from which on the line of the program is kept: 0 keeps all."""
        return self._line_bytes

    @line_bytes.setter
    def line_bytes(self, nbytes: int) -> None:
        self._line_bytes = nbytes
        self._look()

    def _look(self) -> None:
        """See which requests must not wait: those that might not fit, and those with a line."""
        self.at_once_bytes = min(self._line_bytes, self.pool.largest_free_bytes // _SHARE)

    def catch_up(self, then: Callable[[], Any] | None = None) -> Any:
        """Tell the pool what has happened; then do something with it, and return what that gives.

        Does nothing in the midst of itself, where a finalizer of the program may run an op.
        """
        try:
            self._turn.pop()
        except IndexError:
            if not self._wait():
                return None
        self._owner = get_ident()
        told: list[Allocation] = []
        try:
            while told := self._untold():
                self.pool.follow(told)
            self.pool.count += self.repeats
            self.repeats = 0
            answer = None if then is None else then()
            self._look()
            return answer
        except BaseException:
            self._recover(told)
            raise
        finally:
            self._owner = 0
            self._turn.append(None)

    @property
    def is_behind(self) -> bool:
        """Whether the pool does not know all, or is being told."""
        return bool(self.latest is not None or self.ended or self.events or self._owner)

    def _untold(self) -> list[Allocation]:
        """Take out all that the pool has not been told; others may go on noting."""
        events, ended = self.events, self.ended
        latest, self.latest = self.latest, None
        if latest is not None:
            events.append(latest)
        events += ended
        del ended[ALL]  # at once: no call between
        untold = events[:]
        del events[: len(untold)]
        return untold

    def _wait(self) -> bool:
        """Take the turn when another thread gives it back; return False if this one has it."""
        owner = self._owner
        if owner == get_ident():
            return False
        give_up = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                self._turn.pop()
            except IndexError:
                time.sleep(0.0)
            else:
                return True
            if time.monotonic() > give_up:
                raise InternalError(
                    None,
                    None,
                    f"waited {_PATIENCE_SECONDS:.0f} s for a memory pool, which "
                    f"thread {self._owner or owner} works on",
                )

    def find_room(self, allocation: Allocation) -> bool:
        """Look for blocks whose end was lost to an interrupt, and try again."""

        def again() -> None:
            if self._free_lost():
                allocation.holder = None
                self.pool.follow((allocation,))

        self.catch_up(again)
        return allocation.holder is not NOWHERE

    def _free_lost(self) -> int:
        """Free what has ended without notice; return how many pieces that were."""
        lost = [
            piece
            for piece in self.pool.blocks()
            if isinstance(piece, Allocation) and piece() is None
        ]
        self.pool.follow(lost)
        return len(lost)

    def _recover(self, told: list[Allocation]) -> None:
        """After an interrupt, make the pool whole and let it hold what lives."""
        untold = self._untold()
        self.pool.rebuild()
        self._free_lost()
        for event in (*told, *untold):
            if event.holder is None:
                if event() is None:
                    event.holder = ENDED
                else:
                    self.pool.follow((event,))
