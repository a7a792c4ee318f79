"""Who holds the memory of a device: one allocation per storage, for as long as the storage lives.

A content is a torch tensor; its bytes are its storage's, which views and aliases share. torch keeps
one Python object per storage until the storage itself ends, so a weak reference to that object ends
with the last tensor, view or array that uses the bytes. An `Allocation` is that weak reference.

The end of a storage may come anywhere, also in the middle of an allocation: it only puts the
allocation on a list, from which the next allocation or question takes it back into the pool.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any
from weakref import getweakrefcount, getweakrefs, ref

import torch

from placewise.devices.device import Device
from placewise.devices.origin import Origin
from placewise.memory.exhausted import Holder, out_of_memory
from placewise.memory.pool import UNIT_BYTES, Block, Pool

LINE_BYTES = 1 << 20  # the line of the program is kept for allocations from this size on
_INT32 = torch.int32  # stays in host memory on every device, as in TensorFlow
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Allocation(ref):  # type: ignore[type-arg]  # of an UntypedStorage
    """A block held by a storage; it is the weak reference to it."""

    __slots__ = ("block", "what")

    block: Block
    what: Any  # the op that made it, or its name
    made: tuple[Any, tuple[int, ...], torch.dtype] | None  # code, shape and dtype, if large
    line: int

    @property
    def nbytes(self) -> int:
        """The bytes asked for; the block may be larger."""
        storage = self()
        return 0 if storage is None else int(storage.nbytes())

    @property
    def origin(self) -> Origin | None:
        """The line of the program that made it, if it was kept."""
        if self.made is None or self.made[0] is None:
            return None
        return Origin(self.made[0].co_filename, self.line)

    @property
    def op_name(self) -> str:
        """The name of the op that made it."""
        return str(getattr(self.what, "name", self.what))


class Ledger:
    """The pool of one device and who holds its blocks.

    `account` is called for every result on the device and is the only part that must be quick.
    """

    __slots__ = ("_bury", "_busy", "_dead", "_turn", "device_name", "line_bytes", "name", "pool")

    def __init__(self, device: Device, limit_bytes: int | None = None) -> None:
        self.device_name = device.name
        self.name = f"{device.kind}_{device.index}_bfc"
        limit = device.memory_limit_bytes if limit_bytes is None else limit_bytes
        self.pool = Pool(limit or 0, device.grows)
        self.line_bytes = LINE_BYTES
        self._dead: list[Allocation] = []
        self._bury = self._dead.append
        self._turn: list[None] = [None]
        self._busy = False

    def account(self, value: Any, what: Any = "") -> None:
        """Count a content of this device; raise ResourceExhaustedError if it does not fit.

        Counted once, however often it is called for the value or another on the same storage. Text,
        handles and int32 are kept on the host and cost nothing.
        """
        try:
            if value.dtype is _INT32:
                return
            storage = value.untyped_storage()
        except AttributeError:
            return
        if getweakrefcount(storage) and self.allocation_of(storage) is not None:
            return
        nbytes = storage.nbytes()
        if not nbytes:
            return
        allocation = Allocation(storage, self._bury)
        allocation.what = what
        dead = self._dead
        if dead:
            # Without the turn: until it is freed, a block on the list is in use for all others.
            gone = dead.pop()
            block = gone.block
            pool = self.pool
            size = (nbytes + 255) & -256
            if not dead and (
                (block.stamp == pool.stamp and block.size == size) or pool.takes_again(block, size)
            ):
                allocation.block = block
                block.holder = allocation
                pool.count += 1
                if nbytes >= self.line_bytes:
                    self._remember(allocation, value)
                return
            dead.append(gone)
        if not self._take(allocation, nbytes):
            raise self.out_of_memory(tuple(value.shape), value.dtype, nbytes)
        if nbytes >= self.line_bytes:
            self._remember(allocation, value)

    def _take(self, allocation: Allocation, nbytes: int) -> bool:
        """Give an allocation its block; return False if there is no room."""
        try:
            self._turn.pop()
        except IndexError:
            if not self._wait():
                # A finalizer of the program runs an op in the midst of our work: not counted.
                return True
        dead, pool = self._dead, self.pool
        try:
            while dead:
                pool.free(dead.pop().block)
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
            self._turn.append(None)

    def _settle(self) -> None:
        """Take back the blocks of all that has ended."""
        dead, free = self._dead, self.pool.free
        while dead:
            free(dead.pop().block)

    def allocation_of(self, value: Any) -> Allocation | None:
        """Return the allocation of a content, or of a storage, on this device."""
        storage = value.untyped_storage() if isinstance(value, torch.Tensor) else value
        for known in getweakrefs(storage):
            if type(known) is Allocation and known.__callback__ is self._bury:
                return known
        return None
