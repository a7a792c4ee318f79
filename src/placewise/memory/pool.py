"""The pool of one device's memory: best fit with coalescing, as TensorFlow's GPUs have it.

Addresses are numbers; no byte is touched here. Blocks are multiples of 256 bytes. TensorFlow keeps
free blocks in 21 bins, by size and then address inside a bin, and looks from the request's bin
upward: that is the least (size, address) that is large enough, so one sorted list serves.

Not for several threads at once: `PendingAllocations` sees to that. The chains of blocks are the
truth; `rebuild` makes everything else from them.
"""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, Protocol

logger = logging.getLogger("tensorflow")

UNIT_BYTES = 256
FIRST_REGION_BYTES = 2 << 20
SPLIT_BYTES = 128 << 20  # a rest this large is cut off, however large the request
UNBOUNDED = 1 << 58  # the limit of a pool that only counts
_ENDLESS = 1 << 60  # ends the list of sizes; larger than any, so a search always finds an end

# `holder` of a block that is not free. NOWHERE: there was no room for it. ENDED: it is no block any
# more.
HELD, ENDED, NOWHERE, _EDGE = "held", "ended", "nowhere", "edge"

_address = attrgetter("address")


class Piece(Protocol):
    """A stretch of a region, chained to its neighbours; free while `holder` is None.

    What asks for memory becomes the piece it gets: before it has one its holder is None too.
    """

    address: int
    size: int
    nbytes: int  # as asked for
    holder: Any
    previous: Piece
    next: Piece


class Block:
    """A piece that is free, or that nobody but its user knows."""

    __slots__ = ("address", "holder", "nbytes", "next", "previous", "size")

    address: int
    size: int
    nbytes: int
    holder: Any
    previous: Piece
    next: Piece


class Region:
    """Memory mapped in one piece: `first` and `last` are the empty blocks at its ends."""

    __slots__ = ("address", "first", "last", "size")

    def __init__(self, address: int, size: int) -> None:
        self.address, self.size = address, size
        self.first, self.last = _edge(address), _edge(address + size)

    def blocks(self) -> Iterator[Piece]:
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
    edge.address, edge.size, edge.holder = address, 0, _EDGE
    return edge


_LAST = Block()  # ends the changes of `Pool.apply`, so that the last free is carried out
_LAST.holder = ENDED


def rounded(nbytes: int) -> int:
    """Return the size of the block a request needs."""
    return (nbytes + UNIT_BYTES - 1) & -UNIT_BYTES


class Pool:
    """Hands out blocks of at most `limit_bytes` altogether.

    Without growth the whole limit is mapped at the first request. With growth regions are mapped
    as needed, each twice as large as the one before, from 2 MiB on. `room` returns the most that
    may be mapped now, where other pools share the card.
    """

    __slots__ = (
        "_blocks",
        "_next_address",
        "_region_bytes",
        "_room",
        "_sizes",
        "_spare",
        "bytes_in_use",
        "count",
        "grows",
        "largest_bytes",
        "limit_bytes",
        "mapped_bytes",
        "peak_bytes",
        "regions",
    )

    def __init__(
        self, limit_bytes: int, grows: bool = False, room: Callable[[], int] | None = None
    ) -> None:
        self.limit_bytes, self.grows, self._room = limit_bytes, grows, room
        first = min(limit_bytes, FIRST_REGION_BYTES) if grows else limit_bytes
        self._region_bytes = max(rounded(first), UNIT_BYTES)
        self._next_address = 1 << 40
        self.regions: list[Region] = []
        self.mapped_bytes = 0
        # The free blocks by size and address, and their sizes with _ENDLESS behind them. Two lists:
        # bisection over integers is several times as quick as with a key.
        self._sizes: list[int] = [_ENDLESS]
        self._blocks: list[Any] = []
        self._spare: list[Block] = []  # objects to use again
        self.bytes_in_use = self.peak_bytes = self.count = self.largest_bytes = 0

    def allocate(self, nbytes: int) -> Block | None:
        """Return a block of at least `nbytes` (more than 0), or None if there is no room."""
        block = Block()
        block.holder, block.nbytes = None, nbytes
        self.apply((block,))
        return None if block.holder is NOWHERE else block

    def free(self, block: Piece) -> None:
        """Take a block back and join it with free neighbours of its region."""
        block.holder = HELD
        self.apply((block,))

    def apply(self, changes: Iterable[Any]) -> None:
        """Let each piece that has no memory have some, and take back that of each that has.

        A piece for which there is no room is NOWHERE. All is in one function and in local names
        because it is done for every result on a device: calls would take most of the time.

        CPython raises a KeyboardInterrupt only at calls and at the ends of loops. So between two
        calls the pointers of the chain are changed as one; the lists and sums may be behind, and
        `rebuild` mends those.
        """
        sizes, blocks, spare = self._sizes, self._blocks, self._spare
        used, peak, largest = self.bytes_in_use, self.peak_bytes, self.largest_bytes
        held, ended = HELD, ENDED
        count = 0
        # A piece to take back. That waits until the next change is seen, because a program mostly
        # frees a tensor and makes one of the same size.
        freed: Any = None
        try:
            for piece in (*changes, _LAST):
                holder = piece.holder
                if freed is not None:
                    size, before, after = freed.size, freed.previous, freed.next
                    if holder is None and size - UNIT_BYTES < piece.nbytes <= size:
                        # Freed and allocated one after the other, it would get these very bytes in
                        # two cases, and the lists end as they are now. Either they stay a block of
                        # their own, and no other free block has just that size. Or they are joined
                        # with a free block behind them that is large enough alone (so it is split
                        # again), and no other is as large up to the size of both.
                        index = bisect_left(sizes, size)
                        if before.holder is not None and (
                            sizes[index] > size
                            if after.holder is not None
                            else blocks[index] is after and sizes[index + 1] > size + after.size
                        ):
                            piece.address, piece.size = freed.address, size
                            piece.previous, piece.next = before, after
                            before.next = after.previous = piece
                            piece.holder = held
                            freed.holder = ended
                            freed = None
                            count += 1
                            continue
                    used -= size
                    # Joined with free neighbours at once, as TensorFlow does: two free blocks are
                    # never neighbours. `index` is where the block that grows stands in the order,
                    # -1 for the last one, -2 for a new one. The last one is asked for first: it is
                    # mostly the large rest that all blocks are cut from.
                    if after.holder is None:
                        if before.holder is None:
                            self._remove(before)
                            freed.address = before.address
                            freed.size = size = size + before.size
                            freed.previous = before = before.previous
                            before.next = freed
                        index = -1 if blocks[-1] is after else self._index(after)
                        # No call from here until the chain is whole.
                        freed.holder = ended
                        after.address = freed.address
                        after.size = size = size + after.size
                        after.previous = before
                        before.next = block = after
                    elif before.holder is None:
                        index = -1 if blocks[-1] is before else self._index(before)
                        freed.holder = ended
                        before.size = size = size + before.size
                        before.next = after
                        after.previous = block = before
                    else:
                        block = spare.pop() if spare else Block()
                        freed.holder = ended
                        block.holder = None
                        block.address, block.size = freed.address, size
                        block.previous, block.next = before, after
                        before.next = after.previous = block
                        index = -2
                    freed = None
                    # A free block that has grown stays where it is in the order, or moves up.
                    if index == -1:
                        sizes[-2] = size  # the last is _ENDLESS
                    elif index >= 0 and sizes[index + 1] > size:
                        sizes[index] = size
                    else:
                        if index >= 0:
                            del sizes[index]
                            del blocks[index]
                        self._insert(block)
                if holder is None:
                    size = (piece.nbytes + 255) & -256
                    index = bisect_left(sizes, size)
                    if sizes[index] is _ENDLESS:
                        if not self._make_room(size):
                            piece.holder = NOWHERE
                            continue
                        index = bisect_left(sizes, size)
                    block = blocks[index]
                    rest = block.size - size
                    # Again no call before the chain is whole.
                    piece.previous = before = block.previous
                    piece.address = address = block.address
                    # TensorFlow's rule: a block is split if it is twice as large as needed, or if
                    # much would be lost. Otherwise the rest is lost as long as the piece is held.
                    if rest >= size or rest >= SPLIT_BYTES:
                        piece.next = block
                        piece.size = size
                        piece.holder = held
                        before.next = block.previous = piece
                        block.address = address + size
                        block.size = rest
                        # The rest keeps its place in the order if the block before is smaller.
                        if not index or sizes[index - 1] < rest:
                            sizes[index] = rest
                        else:
                            del sizes[index]
                            del blocks[index]
                            self._insert(block)
                    else:
                        piece.next = after = block.next
                        piece.size = size = block.size
                        piece.holder = held
                        before.next = after.previous = piece
                        del sizes[index]
                        del blocks[index]
                        spare.append(block)
                    count += 1
                    used += size
                    if used > peak:
                        peak = used
                    if size > largest:
                        largest = size
                elif holder is held:
                    freed = piece
        finally:
            self.bytes_in_use, self.peak_bytes, self.largest_bytes = used, peak, largest
            self.count += count

    def _index(self, block: Piece) -> int:
        """Return where a free block stands in the order, or belongs."""
        index = bisect_left(self._sizes, block.size)
        if self._sizes[index] == block.size and self._blocks[index] is not block:
            end = bisect_right(self._sizes, block.size, index)
            index = bisect_left(self._blocks, block.address, index, end, key=_address)
        return index

    def _insert(self, block: Piece) -> None:
        index = self._index(block)
        self._sizes.insert(index, block.size)
        self._blocks.insert(index, block)

    def _remove(self, block: Block) -> None:
        index = self._index(block)
        del self._sizes[index]
        del self._blocks[index]
        self._spare.append(block)

    def _make_room(self, size: int) -> bool:
        """Map a region that has room for `size` bytes; return False if the limit forbids it."""
        if self._extend(size):
            return True
        # As TensorFlow: regions without anything in use are unmapped, if that makes room.
        free = sum(region.size for region in self.regions if region.is_free())
        if not free or size > self._left_bytes + free:
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
        left = self._left_bytes
        if size > left:
            return False
        # Regions double as in TensorFlow, but one that was enlarged for a request does not make the
        # next one larger still.
        is_enlarged = False
        while size > self._region_bytes:
            self._region_bytes *= 2
            is_enlarged = True
        region = Region(self._next_address, min(self._region_bytes, left))
        if not is_enlarged:
            self._region_bytes *= 2
        # A gap between regions: their blocks are never neighbours.
        self._next_address += region.size + UNIT_BYTES
        block = Block()
        block.address, block.size, block.holder = region.address, region.size, None
        block.previous, block.next = region.first, region.last
        region.first.next = region.last.previous = block
        self.regions.append(region)
        self.mapped_bytes += region.size
        self._insert(block)
        return True

    def give_back(self) -> int:
        """Unmap the regions in which nothing is held; return how many bytes that were."""
        before = self.mapped_bytes
        self.regions = [region for region in self.regions if not region.is_free()]
        self.rebuild()
        return before - self.mapped_bytes

    def rebuild(self) -> None:
        """Make the list of free blocks and the sums anew from the regions."""
        self._spare.clear()  # an interrupt may have left an object both here and in a chain
        for block in self.blocks():
            before = block.previous
            if block.holder is None and before.holder is None:
                block.address = before.address
                block.size += before.size
                block.previous = before.previous
                before.previous.next = block
        blocks = self.blocks()
        free = [block for block in blocks if block.holder is None]
        free.sort(key=attrgetter("size", "address"))
        self._blocks[:] = free
        self._sizes[:] = [*(block.size for block in free), _ENDLESS]
        self.mapped_bytes = sum(region.size for region in self.regions)
        self.bytes_in_use = sum(block.size for block in blocks if block.holder is not None)
        self.peak_bytes = max(self.peak_bytes, self.bytes_in_use)

    def blocks(self) -> list[Piece]:
        """Return all blocks, region by region, by address."""
        return [block for region in self.regions for block in region.blocks()]

    @property
    def free_bytes(self) -> int:
        """What may still be held: unmapped bytes and free blocks together."""
        return self.reach_bytes - self.bytes_in_use

    @property
    def reach_bytes(self) -> int:
        """The limit; less where others have so much of the card that it cannot be reached."""
        if self._room is None:
            return self.limit_bytes
        return min(self.limit_bytes, max(self._room(), self.mapped_bytes))

    @property
    def _left_bytes(self) -> int:
        """What may still be mapped."""
        left = self.limit_bytes - self.mapped_bytes
        if left > 0 and self._room is not None:
            left = self.reach_bytes - self.mapped_bytes
        return left & -UNIT_BYTES

    @property
    def largest_free_bytes(self) -> int:
        """The largest request that would succeed now, without unmapping anything."""
        left = self._left_bytes
        return max(left, self._blocks[-1].size if self._blocks else 0)

    def reset_peak(self) -> None:
        """Start the statistics anew from what is held now."""
        self.count = 0
        self.peak_bytes = self.bytes_in_use
        self.largest_bytes = 0
