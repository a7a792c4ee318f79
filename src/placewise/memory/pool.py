"""The pool of one device's memory: best fit with coalescing, as TensorFlow's GPUs have it.

Addresses are numbers; no byte is touched here. Blocks are multiples of 256 bytes. TensorFlow keeps
free blocks in 21 bins, by size and then address inside a bin, and looks from the request's bin
upward: that is the least (size, address) that is large enough, so one sorted list serves.

Not for several threads at once: the ledger sees to that. The chains of blocks are what is true;
`rebuild` makes everything else from them.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

logger = logging.getLogger("tensorflow")

UNIT_BYTES = 256
FIRST_REGION_BYTES = 2 << 20
SPLIT_BYTES = 128 << 20  # a rest this large is cut off, however large the request
BINS = 21
_SHIFT = 48  # a free block's key is its size, then its address
_EDGE = object()  # holds the two ends of a region, which are never free
_NEVER = 1 << 200  # ends the list of keys; larger than any
TAKEN = object()  # holds a block until the caller writes its own holder down


class Block:
    """A stretch of a region, chained to its neighbours; free while `holder` is None."""

    __slots__ = ("address", "holder", "key", "next", "previous", "size", "stamp")

    address: int
    size: int
    key: int  # while free
    stamp: int  # the pool's, when `takes_again` was last true
    holder: Any
    previous: Block
    next: Block


class Region:
    """Memory mapped in one piece: `first` and `last` are the empty blocks at its ends."""

    __slots__ = ("address", "first", "last", "size")

    def __init__(self, address: int, size: int) -> None:
        self.address, self.size = address, size
        self.first, self.last = _edge(address), _edge(address + size)

    def blocks(self) -> Iterator[Block]:
        """Give the blocks by address."""
        block = self.first.next
        while block is not self.last:
            yield block
            block = block.next

    def is_free(self) -> bool:
        """Return whether nothing in it is held."""
        only = self.first.next
        return only.holder is None and only.next is self.last


def _edge(address: int) -> Block:
    edge = Block()
    edge.address, edge.size, edge.key, edge.holder = address, 0, 0, _EDGE
    return edge


def rounded(nbytes: int) -> int:
    """Return the size of the block a request needs."""
    return (nbytes + UNIT_BYTES - 1) & -UNIT_BYTES


def bin_of(size: int) -> int:
    """Return which of TensorFlow's 21 bins a block of this size is in."""
    return min((size // UNIT_BYTES).bit_length() - 1, BINS - 1)


class Pool:
    """Hands out blocks of at most `limit_bytes` altogether.

    Without growth the whole limit is mapped at the first request. With growth regions are mapped
    as needed, each twice as large as the one before, from 2 MiB on.
    """

    __slots__ = (
        "_blocks",
        "_keys",
        "_next_address",
        "_region_bytes",
        "_spare",
        "bytes_in_use",
        "count",
        "grows",
        "largest_bytes",
        "limit_bytes",
        "mapped_bytes",
        "peak_bytes",
        "regions",
        "stamp",
    )

    def __init__(self, limit_bytes: int, grows: bool = False) -> None:
        self.limit_bytes, self.grows = limit_bytes, grows
        first = min(limit_bytes, FIRST_REGION_BYTES) if grows else limit_bytes
        self._region_bytes = max(rounded(first), UNIT_BYTES)
        self._next_address = 1 << 40
        self.regions: list[Region] = []
        self.mapped_bytes = 0
        # The free blocks in order, and their keys, with one more at the end.
        self._keys: list[int] = [_NEVER]
        self._blocks: list[Block] = []
        self._spare: list[Block] = []
        self.bytes_in_use = self.peak_bytes = self.count = self.largest_bytes = 0
        self.stamp = 0  # goes up whenever a block is taken or given back

    def allocate(self, nbytes: int) -> Block | None:
        """Return a block of at least `nbytes` (more than 0), or None if there is no room."""
        size = (nbytes + 255) & -256
        keys = self._keys
        place = bisect_left(keys, size << _SHIFT)
        if keys[place] == _NEVER:
            if not self._make_room(size):
                return None
            place = bisect_left(keys, size << _SHIFT)
        block = self._blocks[place]
        rest = block.size - size
        if rest >= size or rest >= SPLIT_BYTES:
            block = self._split(block, place, size, rest)
        else:
            block.holder = TAKEN
            del keys[place]
            del self._blocks[place]
            size = block.size
        block.stamp = -1
        self.stamp += 1
        self.count += 1
        self.bytes_in_use = used = self.bytes_in_use + size
        if used > self.peak_bytes:
            self.peak_bytes = used
        if size > self.largest_bytes:
            self.largest_bytes = size
        return block

    def takes_again(self, block: Block, size: int) -> bool:
        """Return whether, with `block` given back, a request would get that very block.

        `size` is the request, rounded. True until the stamp of the pool changes.

        The block is of the right size and nothing before it is free. If nothing after it is free
        either, it must come before all free blocks of its size; else, joined with the one after,
        before all that are large enough, and be cut in two again.
        """
        if block.size != size or block.previous.holder is None:
            return False
        after, keys = block.next, self._keys
        place = bisect_left(keys, size << _SHIFT)
        try:
            if after.holder is not None:
                same = keys[place] > size << _SHIFT | block.address
            else:
                joined = (size + after.size) << _SHIFT | block.address
                same = keys[place] == after.key and keys[place + 1] > joined
        except IndexError:
            return False  # another thread has changed the list
        if same:
            block.stamp = self.stamp
        return same

    def _split(self, block: Block, place: int, size: int, rest: int) -> Block:
        """Return the first `size` bytes of a free block as one of its own; the rest stays free."""
        spare = self._spare
        taken = spare.pop() if spare else Block()
        # No call from here to the end of the chaining: an interrupt finds it before or after.
        before = block.previous
        taken.address, taken.size, taken.holder = block.address, size, TAKEN
        taken.previous, taken.next = before, block
        before.next = block.previous = taken
        block.address += size
        block.size = rest
        block.key = key = rest << _SHIFT | block.address
        keys = self._keys
        if place == 0 or keys[place - 1] < key:
            keys[place] = key
        else:
            blocks = self._blocks
            del keys[place]
            del blocks[place]
            place = bisect_left(keys, key, 0, place)
            keys.insert(place, key)
            blocks.insert(place, block)
        return taken

    def free(self, block: Block) -> None:
        """Take a block back and join it with free neighbours of its region."""
        before, after = block.previous, block.next
        size = block.size
        keys = self._keys
        # No call before the chain is whole again: an interrupt finds it before or after.
        self.bytes_in_use -= size
        self.stamp += 1
        block.holder = None
        if after.holder is None:
            known = after.key
            after.size += size
            if before.holder is None:
                after.size += before.size
                after.address = before.address
                after.previous = before.previous
                before.previous.next = after
                self._remove(before)
            else:
                after.address = block.address
                after.previous = before
                before.next = after
            self._spare.append(block)
            block = after
        elif before.holder is None:
            known = before.key
            before.size += size
            before.next = after
            after.previous = before
            self._spare.append(block)
            block = before
        else:
            block.key = key = size << _SHIFT | block.address
            self._insert(block, bisect_left(keys, key))
            return
        place = bisect_left(keys, known)
        # A free block has grown: it stays where it is in the order, or moves up.
        block.key = key = block.size << _SHIFT | block.address
        if keys[place + 1] > key:
            keys[place] = key
        else:
            del keys[place]
            del self._blocks[place]
            self._insert(block, bisect_left(keys, key, place))

    def _insert(self, block: Block, place: int) -> None:
        self._keys.insert(place, block.key)
        self._blocks.insert(place, block)

    def _remove(self, block: Block) -> None:
        place = bisect_left(self._keys, block.key)
        del self._keys[place]
        del self._blocks[place]
        self._spare.append(block)

    def _make_room(self, size: int) -> bool:
        """Map a region that has room for `size` bytes; return False if the limit forbids it."""
        if self._extend(size):
            return True
        free = sum(region.size for region in self.regions if region.is_free())
        if not free or size > self.limit_bytes - self.mapped_bytes + free:
            return False
        logger.warning(
            "Garbage collection: deallocate free memory regions (i.e., allocations) so that we can "
            "re-allocate a larger region to avoid OOM due to memory fragmentation. If you see this "
            "message frequently, you are running near the threshold of the available device "
            "memory and re-allocation may incur great performance overhead."
        )
        self.give_back()
        return self._extend(size)

    def _extend(self, size: int) -> bool:
        left = (self.limit_bytes - self.mapped_bytes) & -UNIT_BYTES
        if size > left:
            return False
        enlarged = False
        while size > self._region_bytes:
            self._region_bytes *= 2
            enlarged = True
        region = Region(self._next_address, min(self._region_bytes, left))
        if not enlarged:
            self._region_bytes *= 2
        # A gap between regions: their blocks are never neighbours.
        self._next_address += region.size + UNIT_BYTES
        block = Block()
        block.address, block.size, block.holder = region.address, region.size, None
        block.key = block.size << _SHIFT | block.address
        block.previous, block.next = region.first, region.last
        region.first.next = region.last.previous = block
        self.regions.append(region)
        self.mapped_bytes += region.size
        self._insert(block, bisect_left(self._keys, block.key))
        return True

    def give_back(self) -> int:
        """Unmap the regions in which nothing is held; return how many bytes that were."""
        before = self.mapped_bytes
        self.regions = [region for region in self.regions if not region.is_free()]
        self.rebuild()
        return before - self.mapped_bytes

    def rebuild(self) -> None:
        """Make the list of free blocks and the sums anew from the regions.

        Blocks that were taken but got no holder are free again.
        """
        self._spare.clear()
        for block in self.blocks():
            if block.holder is TAKEN:
                block.holder = None
            before = block.previous
            if block.holder is None and before.holder is None:
                block.address = before.address
                block.size += before.size
                block.previous = before.previous
                before.previous.next = block
        blocks = self.blocks()
        free = [block for block in blocks if block.holder is None]
        for block in free:
            block.key = block.size << _SHIFT | block.address
        free.sort(key=lambda block: block.key)
        self._blocks[:] = free
        self._keys[:] = [*(block.key for block in free), _NEVER]
        self.mapped_bytes = sum(region.size for region in self.regions)
        self.bytes_in_use = sum(block.size for block in blocks if block.holder is not None)
        self.peak_bytes = max(self.peak_bytes, self.bytes_in_use)

    def blocks(self) -> list[Block]:
        """Return all blocks, region by region, by address."""
        return [block for region in self.regions for block in region.blocks()]

    @property
    def free_bytes(self) -> int:
        """What may still be held: unmapped bytes and free blocks together."""
        return self.limit_bytes - self.bytes_in_use

    @property
    def largest_free_bytes(self) -> int:
        """The largest request that would succeed now, without unmapping anything."""
        left = (self.limit_bytes - self.mapped_bytes) & -UNIT_BYTES
        return max(left, self._blocks[-1].size if self._blocks else 0)

    def reset_peak(self) -> None:
        """Start the statistics anew from what is held now."""
        self.count = 0
        self.peak_bytes = self.bytes_in_use
        self.largest_bytes = 0
