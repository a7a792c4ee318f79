"""Who holds the memory of a device: one allocation per content, for as long as that lives."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any
from weakref import getweakrefcount, getweakrefs

import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.core.sizes import size_text
from placewise.devices.budget import Budget
from placewise.devices.device import Device
from placewise.memory.allocation import Allocation, Made, PendingAllocation, owner_of
from placewise.memory.exhausted import SHOWN, Holder, Shortage, out_of_memory, type_name
from placewise.memory.pending import Nursery
from placewise.memory.pool import NOWHERE, Pool, rounded
from placewise.memory.variables import by_owner


def counting(opened: Callable[[], Ledger | None]) -> Any:
    """Return `account(value, what="", dtype=None, is_new=False)`, which counts in a ledger.

    It asks `opened` for the ledger at its first call, and again after its `reopen()`. Written as
    one function over cells: it is called for every op, and a second call would cost as much as its
    own work.
    """
    ledger: Ledger | None = None
    nursery: Any = None
    young: dict[PendingAllocation, int] = {}
    forget: Any = None
    end: Any = None
    is_counted_elsewhere = False
    is_real = False  # then contents may be in host memory, and views are torch's own affair
    int32 = torch.int32  # stays in host memory, as in TensorFlow
    count_of, refs_of = getweakrefcount, getweakrefs

    def account(
        value: Any, what: Any = "", dtype: torch.dtype | None = None, is_new: bool = False
    ) -> Any:
        """Count a content and return it; raise ResourceExhaustedError if it does not fit.

        Counted once, however often it is called for the value or another on the same bytes. A view
        whose elements do not lie side by side becomes a copy where a card is simulated, as it would
        be there. Text, handles, int32 and, of a real card, all else in host memory cost nothing.
        `what` is the op, or its name. Those who know tell the value's `dtype` and whether its bytes
        are its own, `is_new`: torch takes its time to answer.
        """
        nonlocal ledger, nursery, young, forget, end, is_counted_elsewhere, is_real
        if ledger is None:
            if not is_counted_elsewhere:
                ledger = opened()
                is_counted_elsewhere = ledger is None
            if ledger is None:
                return value
            nursery, is_real = ledger.nursery, ledger.device.has_own_memory
            young, forget, end = nursery.young, nursery.forget, nursery.end
        if dtype is int32 or (is_real and getattr(value, "is_cpu", True)):
            return value
        if not is_new:
            try:
                base = value._base
                if dtype is None and value.dtype is int32:
                    return value
            except AttributeError:
                return value
            if base is not None and not is_real and not value.is_contiguous():
                value = value.contiguous()
            elif base is not None or count_of(value):
                owner = value if base is None else base
                while True:
                    for known in refs_of(owner):
                        called = known.__callback__
                        if called is forget or called is end:
                            return value
                    if owner is (owner := owner_of(owner)):
                        break
                if owner is not value:
                    ledger.count(owner, what, value)
                    return value
        size = (value.nbytes + 255) & -256
        if not size:
            return value
        if size >= nursery.at_once_bytes:
            ledger.place(value, what)
            return value
        mark = PendingAllocation(value, forget)
        # No call from here on: neither a thread nor an interrupt comes between.
        mark.what = what
        young[mark] = size
        nursery.count += 1
        nursery.left_bytes = left = nursery.left_bytes - size
        if left < 0:
            waiting = sum(young.values())  # first: the pool may be told meanwhile
            nursery.left_bytes = left = nursery.headroom_bytes - waiting
            if left < 0:
                del mark  # it must not outlive its being young
                nursery.look()
        return value

    def reopen() -> None:
        nonlocal ledger, is_counted_elsewhere
        ledger, is_counted_elsewhere = None, False

    account.reopen = reopen  # type: ignore[attr-defined]  # a plain function is called quickest
    return account


class Ledger:
    """The pool of one device and who holds its blocks.

    `account` is called for every result on the device and must be quick.
    """

    __slots__ = ("account", "budget", "device", "name", "nursery")

    def __init__(
        self, device: Device, budget: Budget, taken: Callable[[], int] | None = None
    ) -> None:
        self.device, self.budget = device, budget
        self.name = device.allocator_name
        # `taken`: what other devices have of the card; all together have no more than there is.
        room = None if taken is None else lambda: budget.total_bytes - taken()
        self.nursery = Nursery(Pool(budget.limit_bytes, budget.grows, room))
        self.account: Callable[..., Any] = counting(lambda: self)

    def settle(self) -> Pool:
        """Tell the pool all that has happened, and return it: its statistics are those of now."""
        if self.nursery.is_behind:
            self.nursery.catch_up()
        return self.nursery.pool

    @property
    def pool(self) -> Pool:
        """The pool, which knows all that has happened."""
        return self.settle()

    @property
    def grows(self) -> bool:
        """Whether memory is mapped as needed."""
        return self.nursery.pool.grows

    def give_back(self) -> int:
        """Unmap regions in which nothing is held, if the pool grows; return the bytes."""
        return self.nursery.catch_up(self.nursery.pool.give_back) or 0 if self.grows else 0

    def count(self, value: torch.Tensor, what: Any, seen: torch.Tensor) -> None:
        """Count what the program sees a view of."""
        size = rounded(value.nbytes)
        if size >= self.nursery.at_once_bytes:
            self.place(value, what, seen)
        elif size:
            self.nursery.add(value, what, size)

    def place(self, value: torch.Tensor, what: Any, seen: torch.Tensor | None = None) -> None:
        """Count a content that may not wait; raise ResourceExhaustedError if it does not fit.

        `seen`: what the program sees of it, a view of all that it is.
        """
        nursery = self.nursery
        if seen is None or seen.nbytes != value.nbytes:
            seen = value
        allocation = Allocation(value, nursery.end)
        allocation.holder = None
        allocation.nbytes = nbytes = value.nbytes
        allocation.what = what
        nursery.place(allocation)
        if allocation.holder is NOWHERE:
            del allocation  # before its content: what has no memory does not end
            raise self.shortage(tuple(seen.shape), seen.dtype, nbytes, what=what)
        if allocation.holder is None:
            nursery.add(value, what, rounded(nbytes))
        elif nbytes >= nursery.line_bytes:
            allocation.remember(seen)

    def reset_peak(self) -> None:
        """Start the statistics anew from what is held now."""
        self.nursery.catch_up(self.nursery.pool.reset_peak)

    def counts(self, value: torch.Tensor) -> bool:
        """Return whether a content counts on this device; tells the pool nothing."""
        calls = (self.nursery.forget, self.nursery.end)
        return any(known.__callback__ in calls for known in getweakrefs(owner_of(value)))

    def allocation_of(self, value: torch.Tensor) -> Allocation | None:
        """Return the allocation of a content on this device."""
        self.settle()
        for known in getweakrefs(owner_of(value)):
            if known.__callback__ is self.nursery.end:
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
        variables = by_owner()
        for allocation in self.allocations():
            what = allocation.what
            key: tuple[Any, ...] = (allocation.op_name, None, None, None)
            holding = variables.get(id(allocation()))
            if holding is not None:
                (name, origin), content, _ = holding
                key = (f"variable {name}", tuple(content.shape), type_name(content.dtype), origin)
            elif type(what) is Made:
                key = (key[0], what.shape, type_name(what.dtype), allocation.origin)
            total = sums.setdefault(key, [0, 0, 0])
            total[0] += allocation.size
            total[1] += 1
            total[2] += rounded(allocation.nbytes)
        held = [
            Holder(nbytes, count, name, shape, dtype, str(origin) if origin else None, used)
            for (name, shape, dtype, origin), (nbytes, count, used) in sums.items()
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
        lost = sum(each.size - rounded(each.nbytes) for each in self.allocations())
        return out_of_memory(
            Shortage(
                device=self.device.name,
                allocator=self.name,
                shape=shape,
                dtype=type_name(dtype),
                asked_bytes=nbytes,
                limit_bytes=pool.reach_bytes,
                in_use_bytes=pool.bytes_in_use,
                largest_free_bytes=pool.largest_free_bytes,
                holders=tuple(self.holders(SHOWN)),
                policy=f"{self.budget}{self._shared_text(pool)}",
                host_bytes=host_bytes,
                lost_bytes=lost,
                # Of a graph's operation the session tells the node.
                op=what.name if hasattr(what, "kernels") else None,
            )
        )

    def _shared_text(self, pool: Pool) -> str:
        if pool.reach_bytes == pool.limit_bytes:
            return ""
        return (
            f"; of {size_text(pool.limit_bytes)}, as other devices have the rest of the card's "
            f"{size_text(self.budget.total_bytes)}"
        )

    def require(self, shape: tuple[int, ...], dtype: torch.dtype) -> None:
        """Raise ResourceExhaustedError if a tensor can never fit; for use before it is made."""
        nbytes = dtype.itemsize
        for size in shape:
            nbytes *= size
        pool = self.settle()
        if nbytes > pool.free_bytes:
            raise self.shortage(shape, dtype, nbytes)
