"""Small contents that count but have no place in a pool yet: most end before they would need one.

To find a place takes longer than all else that is done to count a content, and most of what a
program makes is small and soon freed. So a small content is only noted as waiting, and its end
removes the note. The pool is brought up to date, oldest content first, when many are waiting, when
something large is allocated, or when someone asks for figures. Then it also takes back the places
of contents that have ended.

Figures are exact all the same. `left_bytes` is what may be added until the peak might be a new one;
then the waiting bytes are summed, which either shows room left (`headroom_bytes`) or brings the
pool up to date. What is larger than all before never waits, and what waits is so little that it
fits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import get_ident
from typing import Any

from placewise.core.errors import InternalError
from placewise.memory.allocation import Allocation, PendingAllocation
from placewise.memory.pool import NOWHERE, Pool

LINE_BYTES = 1 << 20  # the line of the program is kept for allocations from this size on
_MANY = 64  # contents that may go on waiting when the peak is checked
# All waiting contents together may take this part of the largest free block. A block can be twice
# as large as asked for, and other threads add contents while the pool is brought up to date.
_SHARE = 8
_SMALL = 64 * _SHARE  # and a single one this part
_PATIENCE_SECONDS = 60.0


class PendingAllocations:
    """The contents of a device that count and have no place, and those that had one and ended.

    The end of a content comes from a weak reference: in any thread, also inside a garbage
    collection in the midst of these methods. So all it may do is one atomic step: `forget` or
    `end`.
    """

    __slots__ = (
        "_line_bytes",
        "_owner",
        "_turn",
        "at_once_bytes",
        "count",
        "end",
        "ended",
        "forget",
        "headroom_bytes",
        "latest",
        "left_bytes",
        "on_peak",
        "pool",
        "waiting",
    )

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        # The bytes that each will have, oldest first.
        self.waiting: dict[PendingAllocation, int] = {}
        self.forget = self.waiting.pop  # what the end of a waiting content calls
        self.count = 0  # how many were added since the pool was up to date
        # Called with the peak each time it may be another, in the midst of work on the pool.
        self.on_peak: Callable[[int], None] | None = None
        self.latest: Any = None  # the `what` of the allocation that was placed at once
        self.ended: list[Allocation] = []
        self.end = self.ended.append  # what the end of a content with a place calls
        # Who has taken the one entry works on the pool. `list.pop` is atomic. No Lock: a finalizer
        # may come back here in the same thread, where a Lock would wait for ever and an RLock would
        # let it change a pool that is half changed.
        self._turn: list[None] = [None]
        self._owner = 0  # the thread that has it
        self.line_bytes = LINE_BYTES

    @property
    def line_bytes(self) -> int:
        """The size from which on the line of the program is kept: 0 keeps all."""
        return self._line_bytes

    @line_bytes.setter
    def line_bytes(self, nbytes: int) -> None:
        self._line_bytes = nbytes
        self._in_turn(self._plan)

    @property
    def is_behind(self) -> bool:
        """Whether the pool does not know all, or is being brought up to date."""
        return bool(self.count or self.waiting or self.ended or self._owner)

    def in_use_bytes(self) -> int:
        """Return what is in use now; the pool stays as far behind as it is."""
        ended = sum(allocation.size for allocation in self.ended)
        return self.pool.bytes_in_use + sum(self.waiting.values()) - ended

    def add(self, content: Any, what: Any, size: int) -> None:
        """Let a content wait, which takes `size` bytes. `ledger.counting` does the same inline."""
        mark = PendingAllocation(content, self.forget)
        mark.what = what
        self.waiting[mark] = size
        self.count += 1
        self.left_bytes -= size
        # `check_peak` may give the content a place and take the mark out of `waiting`. Held here
        # any longer, the mark would see the end of its content and look for itself in vain.
        del mark
        if self.left_bytes < 0:
            self.check_peak()

    def place(self, allocation: Allocation) -> None:
        """Give a content a place, after all that came before it.

        It has none after that in the midst of the pool's own work, where `catch_up` does nothing.
        """

        def allocate() -> None:
            self.latest = allocation.what
            self.pool.apply((allocation,))
            if allocation.holder is NOWHERE:
                # Look for blocks whose end was lost to an interrupt, and try again.
                self._free_lost()
                allocation.holder = None
                self.pool.apply((allocation,))

        self.catch_up(allocate)

    def check_peak(self) -> None:
        """Count what is in use, which may be a new peak; catch up if much is waiting."""
        if len(self.waiting) <= _MANY:
            self._in_turn(self._plan)
        if len(self.waiting) > _MANY or self.left_bytes < 0:
            self.catch_up()

    def catch_up(self, then: Callable[[], Any] | None = None) -> Any:
        """Bring the pool up to date; then call `then` and return its answer.

        Does nothing in the midst of itself, where a finalizer of the program may run an op.
        """

        def work() -> Any:
            self._update_pool()
            answer = None if then is None else then()
            self._plan()
            return answer

        return self._in_turn(work)

    def _plan(self) -> None:
        """Update the peak, how much may be added before it is another, and what may not wait."""
        if self.ended:
            self._take_back()
        pool, waiting_bytes = self.pool, sum(self.waiting.values())
        used = pool.bytes_in_use + waiting_bytes
        if used > pool.peak_bytes:
            pool.peak_bytes = used
        free = pool.largest_free_bytes
        self.headroom_bytes = min(pool.peak_bytes - pool.bytes_in_use, free // _SHARE)
        self.left_bytes = self.headroom_bytes - waiting_bytes
        # Placed at once: what must keep its line, what changes `largest_bytes`, and what is large
        # for this pool, so that the error for lack of memory is raised where it is made.
        self.at_once_bytes = min(self._line_bytes, pool.largest_bytes + 1, free // _SMALL)
        if self.on_peak is not None:
            self.on_peak(pool.peak_bytes)

    def _update_pool(self) -> None:
        """Take back the places of what has ended, and give what is waiting places of its own."""
        added, self.count = self.count, 0
        self.pool.count += added
        # Again until nothing is left: what follows may run finalizers, which end and add others.
        while self.ended or self.waiting:
            self._take_back()
            marks = list(self.waiting)
            contents = [mark() for mark in marks]  # strong references: none of them ends meanwhile
            self._place(marks, contents)
            # Marks before contents: a mark that is no longer waiting must not see its content end.
            marks.clear()
            contents.clear()

    def _take_back(self) -> None:
        # A copy of as many as there are now: others may be appended meanwhile.
        ended = self.ended[:]
        del self.ended[: len(ended)]
        self.pool.apply(ended)

    def _place(self, marks: list[PendingAllocation], contents: list[Any]) -> None:
        placed: list[Allocation] = []
        for mark, content in zip(marks, contents, strict=True):
            if content is not None:
                allocation = Allocation(content, self.end)
                allocation.holder = None
                allocation.nbytes = content.nbytes
                allocation.what = mark.what
                placed.append(allocation)
        self.pool.apply(placed)
        self.pool.count -= len(placed)  # they were counted when they were added
        for mark in marks:
            self.waiting.pop(mark, None)

    def _in_turn(self, work: Callable[[], Any]) -> Any:
        """Call `work`, which changes the pool, in one thread at a time; return its answer."""
        try:
            self._turn.pop()
        except IndexError:
            if not self._wait():
                return None
        self._owner = get_ident()
        try:
            return work()
        except BaseException:
            # An interrupt of the user, for the most part: notebooks go on with the same pool.
            self._recover()
            raise
        finally:
            self._owner = 0
            self._turn.append(None)

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
                time.sleep(0.0)  # lets the other thread run
            else:
                return True
            if time.monotonic() > give_up:
                raise InternalError(
                    None,
                    None,
                    f"waited {_PATIENCE_SECONDS:.0f} s for a memory pool, which "
                    f"thread {self._owner or owner} works on",
                )

    def _recover(self) -> None:
        """After an interrupt, make the pool whole; what has no place yet goes on waiting."""
        self.pool.rebuild()
        self._free_lost()
        marks = list(self.waiting)
        contents = [mark() for mark in marks]
        held = {id(piece()) for piece in self.pool.blocks() if isinstance(piece, Allocation)}
        # Placed, but its mark was not yet removed: it would count twice.
        for mark, content in zip(marks, contents, strict=True):
            if id(content) in held:
                self.waiting.pop(mark, None)
        marks.clear()
        contents.clear()

    def _free_lost(self) -> None:
        """Free the blocks of contents that have ended without `end` being seen."""
        self.pool.apply(
            [
                piece
                for piece in self.pool.blocks()
                if isinstance(piece, Allocation) and piece() is None
            ]
        )
