"""Where contents wait for their place in a pool: most end before it would have been found.

To find a place takes longer than all else that is done to count a content, and most of what a
program makes is small and soon gone. So it is only written down as young, which its end takes back.
The pool is told, oldest first, when there are many, when something large is asked for or when
someone asks for figures; it is told then, too, of what has ended that had a place.

Figures are exact all the same. `left_bytes` is what may begin until the peak might be a new one.
Then what is young is added up: it may take `headroom_bytes`, and if it takes more it is looked at.
What is larger than all before is never left waiting, and what waits is so little that it will fit.
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
_MANY = 64  # so many may stay young when someone looks
# Of the largest free piece, what all that is young may take: blocks can be twice as large as asked
# for, and other threads go on while the pool is told. And what one of them may take.
_SHARE = 8
_SMALL = 64 * _SHARE
_PATIENCE_SECONDS = 60.0


class Nursery:
    """The contents of a device that count and have no place, and those that had one and ended."""

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
        "left_bytes",
        "pool",
        "young",
    )

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.young: dict[
            PendingAllocation, int
        ] = {}  # with the bytes that they will have, oldest first
        self.forget = self.young.pop  # what the end of a young content calls
        self.count = 0  # how many have become young since the pool was told
        self.ended: list[Allocation] = []
        self.end = self.ended.append  # what the end of a content with a place calls
        # Who has taken the one entry works on the pool.
        self._turn: list[None] = [None]
        self._owner = 0
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
        """Whether the pool does not know all, or is being told."""
        return bool(self.count or self.young or self.ended or self._owner)

    def add(self, content: Any, what: Any, size: int) -> None:
        """Let a content be young, which takes `size` bytes."""
        mark = PendingAllocation(content, self.forget)
        mark.what = what
        self.young[mark] = size
        self.count += 1
        self.left_bytes -= size
        del mark  # it must not outlive its being young
        if self.left_bytes < 0:
            self.look()

    def place(self, allocation: Allocation) -> None:
        """Give a content a place, after all that came before it.

        It has none after that in the midst of the pool's own work, where `catch_up` does nothing.
        """

        def follow() -> None:
            self.pool.apply((allocation,))
            if allocation.holder is NOWHERE:
                # Look for blocks whose end was lost to an interrupt, and try again.
                self._free_lost()
                allocation.holder = None
                self.pool.apply((allocation,))

        self.catch_up(follow)

    def look(self) -> None:
        """Count what is in use, which may be a new peak; tell the pool if much is waiting."""
        if len(self.young) <= _MANY:
            self._in_turn(self._plan)
        if len(self.young) > _MANY or self.left_bytes < 0:
            self.catch_up()

    def catch_up(self, then: Callable[[], Any] | None = None) -> Any:
        """Tell the pool all; then do something with it, and return what that gives.

        Does nothing in the midst of itself, where a finalizer of the program may run an op.
        """

        def work() -> Any:
            self._tell()
            answer = None if then is None else then()
            self._plan()
            return answer

        return self._in_turn(work)

    def _plan(self) -> None:
        """See what the peak is, how much may begin before it is another, and what may not wait."""
        if self.ended:
            self._take_back()
        pool, young = self.pool, sum(self.young.values())
        used = pool.bytes_in_use + young
        if used > pool.peak_bytes:
            pool.peak_bytes = used
        room = pool.largest_free_bytes
        self.headroom_bytes = min(pool.peak_bytes - pool.bytes_in_use, room // _SHARE)
        self.left_bytes = self.headroom_bytes - young
        self.at_once_bytes = min(self._line_bytes, pool.largest_bytes + 1, room // _SMALL)

    def _tell(self) -> None:
        """Take back the places of what has ended, and give what is young places of its own."""
        begun, self.count = self.count, 0
        self.pool.count += begun
        while self.ended or self.young:
            self._take_back()
            marks = list(self.young)
            contents = [mark() for mark in marks]  # none of them ends meanwhile
            self._place(marks, contents)
            marks.clear()  # before their contents: no mark that is not young may see its end
            contents.clear()

    def _take_back(self) -> None:
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
        self.pool.count -= len(placed)  # they were counted when they began
        for mark in marks:
            self.young.pop(mark, None)

    def _in_turn(self, work: Callable[[], Any]) -> Any:
        """Do something with the pool, which only one thread may at a time; return its answer."""
        try:
            self._turn.pop()
        except IndexError:
            if not self._wait():
                return None
        self._owner = get_ident()
        try:
            return work()
        except BaseException:
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

    def _recover(self) -> None:
        """After an interrupt, make the pool whole; what has no place yet is young again."""
        self.pool.rebuild()
        self._free_lost()
        marks = list(self.young)
        contents = [mark() for mark in marks]
        held = {id(piece()) for piece in self.pool.blocks() if isinstance(piece, Allocation)}
        for mark, content in zip(marks, contents, strict=True):
            if id(content) in held:
                self.young.pop(mark, None)
        marks.clear()
        contents.clear()

    def _free_lost(self) -> None:
        """Free what has ended without notice."""
        self.pool.apply(
            [
                piece
                for piece in self.pool.blocks()
                if isinstance(piece, Allocation) and piece() is None
            ]
        )
