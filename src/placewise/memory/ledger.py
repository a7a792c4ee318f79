"""Who holds the memory of a device: one allocation per content, for as long as that lives."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any, cast
from weakref import getweakrefcount, getweakrefs

import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.core.sizes import size_text
from placewise.devices.budget import Budget
from placewise.devices.device import Device
from placewise.memory.allocation import Allocation, Made, PendingAllocation, owner_of
from placewise.memory.exhausted import SHOWN, Holder, Shortage, out_of_memory, type_name
from placewise.memory.pending import PendingAllocations
from placewise.memory.pool import NOWHERE, UNBOUNDED, Pool, rounded
from placewise.memory.variables import by_owner


def counting(opened: Callable[[], Ledger | None]) -> Any:
    """Return `account(value, what="", dtype=None, is_new=False)`, which counts in a ledger.

    It asks `opened` for the ledger at its first call, and again after its `reopen()`. Written as
    one function over closure cells: it is called for every op, and a method call or a look-up of
    attributes would cost as much as its own work.
    """
    ledger: Ledger | None = None
    pending: Any = None
    waiting: dict[PendingAllocation, int] = {}
    forget: Any = None
    end: Any = None
    is_counted_elsewhere = False
    is_real = False  # then views are torch's own affair
    is_apart = False  # then contents may be in host memory
    int32 = torch.int32  # stays in host memory, as in TensorFlow
    count_of, refs_of = getweakrefcount, getweakrefs

    def account(
        value: Any, what: Any = "", dtype: torch.dtype | None = None, is_new: bool = False
    ) -> Any:
        """Count a content and return it; raise ResourceExhaustedError if it does not fit.

        Counted once, however often it is called for the value or another on the same bytes. A view
        that is not contiguous becomes a copy where a card is simulated, as it would be there. Text,
        handles, int32 and, of a real card, all else in host memory cost nothing. `what` is the op,
        or its name. Callers that know the value's `dtype`, or that its bytes are its own
        (`is_new`), pass that on: torch takes its time to answer.
        """
        nonlocal ledger, pending, waiting, forget, end, is_counted_elsewhere, is_real, is_apart
        if ledger is None:
            if not is_counted_elsewhere:
                ledger = opened()
                is_counted_elsewhere = ledger is None
            if ledger is None:
                return value
            pending, is_apart = ledger.pending, ledger.device.has_own_memory
            is_real = is_apart and ledger.device.has_contents
            waiting, forget, end = pending.waiting, pending.forget, pending.end
        if dtype is int32 or (is_apart and getattr(value, "is_cpu", True)):
            return value
        if not is_new:
            try:
                base = value._base
                if dtype is None and value.dtype is int32:
                    return value
            except AttributeError:
                return value  # text, a handle or a list: no tensor
            if base is not None and not is_real and not value.is_contiguous():
                value = value.contiguous()
            elif base is not None or count_of(value):
                # It may be counted. Then its owner has a weak reference with one of the two
                # callbacks of this ledger. A tensor without weak references is new, and most are.
                owner = value if base is None else base
                while True:
                    for weak in refs_of(owner):
                        callback = weak.__callback__
                        if callback is forget or callback is end:
                            return value
                    if owner is (owner := owner_of(owner)):
                        break
                if owner is not value:
                    # The bytes live as long as the owner does, not as long as this view.
                    ledger.count(owner, what, value)
                    return value
        size = (value.nbytes + 255) & -256
        if not size:
            return value
        if size >= pending.at_once_bytes:
            ledger.place(value, what)
            return value
        # `PendingAllocations.add`, without the call.
        mark = PendingAllocation(value, forget)
        # No call until the sums are right: neither another thread nor an interrupt comes between.
        mark.what = what
        waiting[mark] = size
        pending.count += 1
        pending.left_bytes = left = pending.left_bytes - size
        if left < 0:
            # Most of what was added has ended since. Summed before the headroom is read: if the
            # pool catches up in between, the sum is too large, and that does no harm.
            waiting_bytes = sum(waiting.values())
            pending.left_bytes = left = pending.headroom_bytes - waiting_bytes
            if left < 0:
                del mark  # it must not see the end of its content once it is not waiting any more
                pending.check_peak()
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

    __slots__ = ("account", "budget", "device", "name", "pending")

    def __init__(
        self,
        device: Device,
        budget: Budget,
        taken: Callable[[], int] | None = None,
        is_bounded: bool = True,
    ) -> None:
        self.device, self.budget = device, budget
        self.name = device.allocator_name
        limit = budget.limit_bytes if is_bounded else UNBOUNDED
        taken = taken if is_bounded else None
        # `taken`: what other devices have of the card; all together have no more than there is.
        room = None if taken is None else lambda: budget.total_bytes - taken()
        self.pending = PendingAllocations(Pool(limit, budget.grows, room))
        self.account: Callable[..., Any] = counting(lambda: self)

    def settle(self) -> Pool:
        """Bring the pool up to date and return it: its statistics are those of now."""
        if self.pending.is_behind:
            self.pending.catch_up()
        return self.pending.pool

    @property
    def pool(self) -> Pool:
        """The pool, up to date."""
        return self.settle()

    @property
    def grows(self) -> bool:
        """Whether memory is mapped as needed."""
        return self.pending.pool.grows

    def give_back(self) -> int:
        """Unmap regions in which nothing is held, if the pool grows; return the bytes."""
        return self.pending.catch_up(self.pending.pool.give_back) or 0 if self.grows else 0

    def count(self, value: torch.Tensor, what: Any, seen: torch.Tensor) -> None:
        """Count a content, given a view of it that the program sees."""
        size = rounded(value.nbytes)
        if size >= self.pending.at_once_bytes:
            self.place(value, what, seen)
        elif size:
            self.pending.add(value, what, size)

    def place(self, value: torch.Tensor, what: Any, seen: torch.Tensor | None = None) -> None:
        """Count a content that may not wait; raise ResourceExhaustedError if it does not fit.

        `seen`: what the program sees of it, a view of all that it is.
        """
        pending = self.pending
        if seen is None or seen.nbytes != value.nbytes:
            seen = value
        allocation = Allocation(value, pending.end)
        allocation.holder = None
        allocation.nbytes = nbytes = value.nbytes
        allocation.what = what
        pending.place(allocation)
        if allocation.holder is NOWHERE:
            del allocation  # referenced first: without memory, its end must not be reported
            raise self.shortage(tuple(seen.shape), seen.dtype, nbytes, what=what)
        if allocation.holder is None:
            # In the midst of the pool's own work, in a finalizer: it must wait all the same.
            pending.add(value, what, rounded(nbytes))
        elif nbytes >= pending.line_bytes:
            allocation.remember(seen)

    def reset_peak(self) -> None:
        """Start the statistics anew from what is held now."""
        self.pending.catch_up(self.pending.pool.reset_peak)

    def counts(self, value: torch.Tensor) -> bool:
        """Return whether a content counts on this device; the pool need not be up to date."""
        callbacks = (self.pending.forget, self.pending.end)
        return any(weak.__callback__ in callbacks for weak in getweakrefs(owner_of(value)))

    def allocation_of(self, value: torch.Tensor) -> Allocation | None:
        """Return the allocation of a content on this device."""
        self.settle()
        for weak in getweakrefs(owner_of(value)):
            if weak.__callback__ is self.pending.end:
                return cast("Allocation", weak)
        return None

    def allocations(self) -> Iterator[Allocation]:
        """Yield what is held now, by address."""
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
            variable = variables.get(id(allocation()))
            if variable is not None:
                (name, origin, _), content, _ = variable
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
        # Bytes inside of blocks that were not worth splitting.
        lost = sum(piece.size - rounded(piece.nbytes) for piece in self.allocations())
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
                # For an operation of a graph, the session adds the node's name to the error.
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
