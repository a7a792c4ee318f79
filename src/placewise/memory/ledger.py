"""Who holds the memory of a device: one allocation per storage, for as long as the storage lives.

A content is a torch tensor; its bytes are its storage's, which views and aliases share. torch keeps
one Python object per storage until the storage itself ends, so a weak reference to that object ends
with the last tensor, view or array that uses the bytes. An `Allocation` is that weak reference.

The end of a storage may come anywhere, also in the midst of our own work: it only puts the
allocation on a list, from which the next request or question takes it back into the pool.
"""

from __future__ import annotations

import heapq
import os
import sys
import time
from collections.abc import Callable, Iterator
from threading import get_ident
from types import CodeType
from typing import Any, NamedTuple
from weakref import getweakrefcount, getweakrefs, ref

import torch

from placewise.core.errors import InternalError, ResourceExhaustedError
from placewise.devices.device import Device
from placewise.devices.origin import Origin, user_line
from placewise.memory.budget import Budget
from placewise.memory.exhausted import SHOWN, Holder, Shortage, out_of_memory, type_name
from placewise.memory.pool import Block, Pool

LINE_BYTES = 1 << 20  # the line of the program is kept for allocations from this size on
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OURS = (_PACKAGE, "<placewise ", "<frozen ")
_PATIENCE_SECONDS = 60.0


class Made(NamedTuple):
    """How an allocation came about; kept for large ones, and for all while recording."""

    what: Any
    shape: tuple[int, ...]
    dtype: torch.dtype
    code: CodeType | None
    line: int


class Allocation(ref):  # type: ignore[type-arg]  # of a torch.UntypedStorage
    """A block held by a storage; it is the weak reference to it."""

    __slots__ = ("block", "what")

    block: Block
    what: Any  # the op that made it, or its name; a Made if more is known

    @property
    def nbytes(self) -> int:
        """The bytes asked for; the block may be larger."""
        storage = self()
        return 0 if storage is None else int(storage.nbytes())

    @property
    def op_name(self) -> str:
        """The name of the op that made it."""
        what = self.what.what if type(self.what) is Made else self.what
        return str(getattr(what, "name", what))

    @property
    def origin(self) -> Origin | None:
        """The line of the program that made it, if it was kept."""
        what = self.what
        if type(what) is not Made:
            return None
        defined = getattr(what.what, "origin", None)  # where the graph got the operation
        if defined is not None or what.code is None:
            return defined
        return Origin(what.code.co_filename, what.line)


def counting(opened: Callable[[], Ledger | None]) -> Any:
    """Return `account(value, what="")`, which counts in the ledger that `opened` gives.

    It asks at its first call, and again after its `reopen()`. Written as one function over cells:
    it is called for every op, and a second call would cost as much as its own work.
    """
    ledger: Ledger | None = None
    is_counted_elsewhere = False
    int32 = torch.int32  # stays in host memory, as in TensorFlow
    count_of, refs_of = getweakrefcount, getweakrefs

    def account(value: Any, what: Any = "") -> None:
        """Count a content of the device; raise ResourceExhaustedError if it does not fit.

        Counted once, however often it is called for the value or another on the same storage. Text,
        handles and int32 are kept on the host and cost nothing. `what` is the op, or its name.
        """
        nonlocal ledger, is_counted_elsewhere
        if ledger is None:
            if not is_counted_elsewhere:
                ledger = opened()
                is_counted_elsewhere = ledger is None
            if ledger is None:
                return
        try:
            if value.dtype is int32:
                return
            storage = value.untyped_storage()
        except AttributeError:
            return
        if count_of(storage):
            bury = ledger._bury
            for known in refs_of(storage):
                if known.__callback__ is bury:
                    return
        nbytes = len(storage)
        if not nbytes:
            return
        allocation = Allocation(storage, ledger._bury)
        allocation.what = what
        dead = ledger._dead
        if dead:
            # The one block given back since the last request, if the pool would choose it again.
            pool = ledger.pool
            try:
                gone = dead[0]
                block = gone.block
                size = block.size
                if size - 256 < nbytes <= size:
                    if block.stamp != pool.stamp and dead[-1] is gone:
                        pool.takes_again(block, size)
                    # No call from here to the pop: neither a thread nor an interrupt comes between.
                    if dead[-1] is gone is dead[0] and block.stamp == pool.stamp:
                        allocation.block = block
                        block.holder = allocation
                        pool.count += 1
                        dead.pop()
                        if nbytes >= ledger.line_bytes:
                            ledger._remember(allocation, value)
                        return
            except IndexError:
                pass  # another thread was quicker
        if not ledger._take(allocation, nbytes):
            del allocation  # before its storage: what has no block must not be buried
            raise ledger.shortage(tuple(value.shape), value.dtype, nbytes, what=what)
        if nbytes >= ledger.line_bytes:
            ledger._remember(allocation, value)

    def reopen() -> None:
        nonlocal ledger, is_counted_elsewhere
        ledger, is_counted_elsewhere = None, False

    account.reopen = reopen  # type: ignore[attr-defined]  # a plain function is called quickest
    return account


class Ledger:
    """The pool of one device and who holds its blocks.

    `account` is called for every result on the device and must be quick. `line_bytes` is the size
    from which on the line of the program is kept: 0 keeps all.
    """

    __slots__ = (
        "_bury",
        "_dead",
        "_owner",
        "_turn",
        "account",
        "budget",
        "device",
        "line_bytes",
        "name",
        "opened_by",
        "pool",
        "refused",
    )

    def __init__(self, device: Device, budget: Budget) -> None:
        self.device, self.budget = device, budget
        self.name = f"{device.kind}_{device.index}_bfc"
        # A limit above the card is the card: the driver has no more to give.
        self.pool = Pool(min(budget.limit_bytes, budget.total_bytes), budget.grows)
        self.opened_by = user_line()
        self.refused: list[tuple[Device, Origin | None]] = []  # later devices that asked otherwise
        self.line_bytes = LINE_BYTES
        self._dead: list[Allocation] = []
        self._bury = self._dead.append
        # Who has taken the one entry works on the pool; a list is quicker than a lock.
        self._turn: list[None] = [None]
        self._owner = 0
        self.account: Callable[..., None] = counting(lambda: self)

    def _take(self, allocation: Allocation, nbytes: int) -> bool:
        """Give an allocation its block; return False if there is no room."""
        try:
            self._turn.pop()
        except IndexError:
            if not self._wait():
                # A finalizer of the program runs an op in the midst of our work: not counted.
                return True
        self._owner = get_ident()
        dead, pool = self._dead, self.pool
        try:
            while dead:
                gone = dead.pop()
                if gone.block.holder is gone:
                    pool.free(gone.block)
            block = pool.allocate(nbytes)
            if block is None:
                if not self._free_lost():
                    return False
                block = pool.allocate(nbytes)
                if block is None:
                    return False
            allocation.block = block
            block.holder = allocation
            return True
        except BaseException:
            pool.rebuild()
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
                    f"waited {_PATIENCE_SECONDS:.0f} s for the memory pool {self.name}, which "
                    f"thread {self._owner or owner} works on",
                )

    def _free_lost(self) -> int:
        """Free blocks whose end was lost to an interrupt; return how many."""
        lost = [
            block
            for block in self.pool.blocks()
            if isinstance(block.holder, Allocation) and block.holder() is None
        ]
        for block in lost:
            self.pool.free(block)
        return len(lost)

    def settle(self) -> Pool:
        """Take back what has ended, and return the pool: its statistics are those of now."""
        if self._dead:
            self._work(lambda: None)
        return self.pool

    def give_back(self) -> int:
        """Unmap regions in which nothing is held, if the pool grows; return the bytes."""
        return self._work(self.pool.give_back) or 0 if self.pool.grows else 0

    def _work(self, work: Callable[[], Any]) -> Any:
        """Do something with the pool, when it is this thread's turn and all that ended is freed."""
        try:
            self._turn.pop()
        except IndexError:
            if not self._wait():
                return None
        self._owner = get_ident()
        try:
            while self._dead:
                gone = self._dead.pop()
                if gone.block.holder is gone:
                    self.pool.free(gone.block)
            return work()
        except BaseException:
            self.pool.rebuild()
            raise
        finally:
            self._owner = 0
            self._turn.append(None)

    def _remember(self, allocation: Allocation, value: Any) -> None:
        """Keep shape, dtype and the innermost line outside placewise."""
        frame: Any = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith(_OURS):
            frame = frame.f_back
        code, line = (None, 0) if frame is None else (frame.f_code, frame.f_lineno)
        allocation.what = Made(allocation.what, tuple(value.shape), value.dtype, code, line)

    def hold(self, value: torch.Tensor, what: Any = "") -> Allocation | None:
        """Count a content and return its allocation; None for what is kept on the host."""
        self.account(value, what)
        return self.allocation_of(value)

    def allocation_of(self, value: Any) -> Allocation | None:
        """Return the allocation of a content, or of a storage, on this device."""
        storage = value.untyped_storage() if isinstance(value, torch.Tensor) else value
        for known in getweakrefs(storage):
            if type(known) is Allocation and known.__callback__ is self._bury:
                return known
        return None

    def allocations(self) -> Iterator[Allocation]:
        """Give what is held now, by address."""
        for block in self.settle().blocks():
            if isinstance(block.holder, Allocation):
                yield block.holder

    def holders(self, most: int | None = None) -> list[Holder]:
        """Return who holds memory, largest first, alike allocations as one."""
        sums: dict[tuple[Any, ...], list[int]] = {}
        for allocation in self.allocations():
            what = allocation.what
            key: tuple[Any, ...] = (allocation.op_name, None, None, None)
            if type(what) is Made:
                key = (key[0], what.shape, type_name(what.dtype), allocation.origin)
            total = sums.setdefault(key, [0, 0])
            total[0] += allocation.block.size
            total[1] += 1
        held = [
            Holder(nbytes, count, name, shape, dtype, str(origin) if origin else None)
            for (name, shape, dtype, origin), (nbytes, count) in sums.items()
        ]
        return heapq.nlargest(len(held) if most is None else most, held, key=lambda h: h.nbytes)

    def shortage(
        self,
        shape: tuple[int, ...],
        dtype: torch.dtype,
        nbytes: int,
        host_bytes: int | None = None,
        what: Any = None,
    ) -> ResourceExhaustedError:
        """Return the error for a tensor that does not fit; `host_bytes` if the host is why."""
        pool = self.settle()
        return out_of_memory(
            Shortage(
                device=self.device.name,
                allocator=self.name,
                shape=shape,
                dtype=type_name(dtype),
                asked_bytes=nbytes,
                limit_bytes=pool.limit_bytes,
                in_use_bytes=pool.bytes_in_use,
                largest_free_bytes=pool.largest_free_bytes,
                holders=tuple(self.holders(SHOWN)),
                policy=str(self.budget),
                host_bytes=host_bytes,
                # Of a graph's operation the session tells the node.
                op=what.name if hasattr(what, "kernels") else None,
            )
        )

    def require(self, shape: tuple[int, ...], dtype: torch.dtype) -> None:
        """Raise ResourceExhaustedError if a tensor can never fit; for use before it is made."""
        nbytes = dtype.itemsize
        for size in shape:
            nbytes *= size
        if nbytes > self.pool.limit_bytes - self.pool.bytes_in_use:
            pool = self.settle()
            if nbytes > pool.limit_bytes - pool.bytes_in_use:
                raise self.shortage(shape, dtype, nbytes)
