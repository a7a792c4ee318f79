"""Who holds the memory of a device: one allocation per storage, for as long as that lives."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any
from weakref import getweakrefcount, getweakrefs

import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.devices.device import Device
from placewise.devices.origin import Origin, user_line
from placewise.memory.allocation import Allocation, Made
from placewise.memory.budget import Budget
from placewise.memory.exhausted import SHOWN, Holder, Shortage, out_of_memory, type_name
from placewise.memory.journal import ALL, WAITING, Journal
from placewise.memory.pool import NOWHERE, Pool


def counting(opened: Callable[[], Ledger | None]) -> Any:
    """Return `account(value, what="", dtype=None)`, which counts in the ledger that `opened` gives.

    It asks at its first call, and again after its `reopen()`. Written as one function over cells:
    it is called for every op, and a second call would cost as much as its own work.
    """
    ledger: Ledger | None = None
    is_counted_elsewhere = False
    int32 = torch.int32  # stays in host memory, as in TensorFlow
    count_of, refs_of = getweakrefcount, getweakrefs

    def account(value: Any, what: Any = "", dtype: torch.dtype | None = None) -> None:
        """Count a content of the device; raise ResourceExhaustedError if it does not fit.

        Counted once, however often it is called for the value or another on the same storage. Text,
        handles and int32 are kept on the host and cost nothing. `what` is the op, or its name;
        `dtype` is the value's, from those who know it: torch takes its time to tell.
        """
        nonlocal ledger, is_counted_elsewhere
        if ledger is None:
            if not is_counted_elsewhere:
                ledger = opened()
                is_counted_elsewhere = ledger is None
            if ledger is None:
                return
        try:
            if (value.dtype if dtype is None else dtype) is int32:
                return
            storage = value.untyped_storage()
        except AttributeError:
            return
        journal = ledger.journal
        end = journal.end
        if count_of(storage):
            for known in refs_of(storage):
                if known.__callback__ is end:
                    return
        allocation = Allocation(storage, end)
        allocation.holder = None
        allocation.nbytes = nbytes = len(storage)
        allocation.what = what
        ended = journal.ended
        # No call from here to where `latest` is another: neither a thread nor an interrupt comes
        # between.
        latest = journal.latest
        if ended and ended[0] is latest and latest.nbytes == nbytes:
            journal.latest = allocation
            del ended[0]
            if not ended:
                # All that has happened since the latest began is its end: this one is in its place.
                journal.repeats += 1
                return
            ended.append(latest)
        elif nbytes:
            journal.latest = allocation
        else:
            return
        events = journal.events
        if latest is not None:
            events.append(latest)
        if ended:
            events += ended
            del ended[ALL]  # at once: no call between
        if nbytes >= journal.at_once_bytes or len(events) > WAITING:
            journal.catch_up()
            if allocation.holder is NOWHERE and not journal.find_room(allocation):
                del allocation  # before its storage: what has no memory does not end
                raise ledger.shortage(tuple(value.shape), value.dtype, nbytes, what=what)
            if nbytes >= journal.line_bytes:
                allocation.remember(value)

    def reopen() -> None:
        nonlocal ledger, is_counted_elsewhere
        ledger, is_counted_elsewhere = None, False

    account.reopen = reopen  # type: ignore[attr-defined]  # a plain function is called quickest
    return account


class Ledger:
    """The pool of one device and who holds its blocks.

    `account` is called for every result on the device and must be quick.
    """

    __slots__ = ("account", "budget", "device", "journal", "name", "opened_by", "refused")

    def __init__(self, device: Device, budget: Budget) -> None:
        self.device, self.budget = device, budget
        self.name = f"{device.kind}_{device.index}_bfc"
        # A limit above the card is the card: the driver has no more to give.
        self.journal = Journal(Pool(min(budget.limit_bytes, budget.total_bytes), budget.grows))
        self.opened_by = user_line()
        self.refused: list[tuple[Device, Origin | None]] = []  # later devices that asked otherwise
        self.account: Callable[..., None] = counting(lambda: self)

    def settle(self) -> Pool:
        """Tell the pool all that has happened, and return it: its statistics are those of now."""
        if self.journal.is_behind:
            self.journal.catch_up()
        return self.journal.pool

    @property
    def pool(self) -> Pool:
        """The pool, which knows all that has happened."""
        return self.settle()

    def give_back(self) -> int:
        """Unmap regions in which nothing is held, if the pool grows; return the bytes."""
        pool = self.journal.pool
        return self.journal.catch_up(pool.give_back) or 0 if pool.grows else 0

    def hold(self, value: torch.Tensor, what: Any = "") -> Allocation | None:
        """Count a content and return its allocation; None for what is kept on the host."""
        self.account(value, what)
        return self.allocation_of(value)

    def allocation_of(self, value: Any) -> Allocation | None:
        """Return the allocation of a content, or of a storage, on this device."""
        storage = value.untyped_storage() if isinstance(value, torch.Tensor) else value
        for known in getweakrefs(storage):
            if type(known) is Allocation and known.__callback__ is self.journal.end:
                if known.holder is None:
                    self.settle()
                return known
        return None

    def allocations(self) -> Iterator[Allocation]:
        """Give what is held now, by address."""
        for block in self.settle().blocks():
            if isinstance(block, Allocation):
                yield block

    def holders(self, most: int | None = None) -> list[Holder]:
        """Return who holds memory, largest first, alike allocations as one."""
        sums: dict[tuple[Any, ...], list[int]] = {}
        for allocation in self.allocations():
            what = allocation.what
            key: tuple[Any, ...] = (allocation.op_name, None, None, None)
            if type(what) is Made:
                key = (key[0], what.shape, type_name(what.dtype), allocation.origin)
            total = sums.setdefault(key, [0, 0])
            total[0] += allocation.size
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
        pool = self.settle()
        if nbytes > pool.limit_bytes - pool.bytes_in_use:
            raise self.shortage(shape, dtype, nbytes)
