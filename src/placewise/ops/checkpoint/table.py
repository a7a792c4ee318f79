"""The sorted table that holds a checkpoint's index: blocks of keys and values, then a footer.

A block stores each key by what it does not share with the one before; every sixteenth whole. After
each block come its compression and a checksum; at the end a block of the blocks' places.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from placewise.ops.checkpoint.numbers import checksum, masked, read_varint, varint
from placewise.ops.checkpoint.snappy import decompress

MAGIC = 0xDB4775248B80FB57
FOOTER_BYTES = 48
_BLOCK_BYTES = 262144
_TRAILER_BYTES = 5
_PLAIN, _SNAPPY = 0, 1


class DamagedTableError(ValueError):
    """What is read is no table, or not as it was written."""


class _Block:
    """A block being written."""

    def __init__(self, restart_interval: int) -> None:
        self.interval = restart_interval
        self.data = bytearray()
        self.restarts = [0]
        self.count = 0
        self.last = b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self.count < self.interval:
            limit = min(len(key), len(self.last))
            while shared < limit and key[shared] == self.last[shared]:
                shared += 1
        else:
            self.restarts.append(len(self.data))
            self.count = 0
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value))
        self.data += key[shared:]
        self.data += value
        self.last = key
        self.count += 1

    def finished(self) -> bytes:
        marks = struct.pack(f"<{len(self.restarts) + 1}I", *self.restarts, len(self.restarts))
        return bytes(self.data) + marks


def written(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a table of (key, value) pairs that come in the order of their keys."""
    made = bytearray()
    places = _Block(1)
    block, last, waiting = _Block(16), b"", b""
    for key, value in entries:
        if waiting:
            places.add(_between(last, key), waiting)
            waiting = b""
        block.add(key, value)
        last = key
        if len(block.data) + 4 * len(block.restarts) + 4 >= _BLOCK_BYTES:
            waiting = _append(made, block.finished())
            block = _Block(16)
    if block.data:
        waiting = _append(made, block.finished())
    about = _append(made, _Block(16).finished())
    if waiting:
        places.add(_after(last), waiting)
    footer = about + _append(made, places.finished())
    made += footer.ljust(FOOTER_BYTES - 8, b"\0") + struct.pack("<Q", MAGIC)
    return bytes(made)


def _append(made: bytearray, block: bytes) -> bytes:
    """Append a block with its trailer; return its place and size."""
    place = varint(len(made)) + varint(len(block))
    made += block
    made.append(_PLAIN)
    made += struct.pack("<I", masked(checksum(b"\0", checksum(block))))
    return place


def _between(low: bytes, high: bytes) -> bytes:
    """Return a short key that is at least `low` and below `high`."""
    shared = 0
    limit = min(len(low), len(high))
    while shared < limit and low[shared] == high[shared]:
        shared += 1
    if shared < limit and low[shared] < 255 and low[shared] + 1 < high[shared]:
        return low[:shared] + bytes((low[shared] + 1,))
    return low


def _after(key: bytes) -> bytes:
    """Return a short key that is at least `key`."""
    for place, byte in enumerate(key):
        if byte != 255:
            return key[:place] + bytes((byte + 1,))
    return key


def entries_of(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a table, in order; DamagedTableError where it is not whole."""
    if len(data) < FOOTER_BYTES:
        raise DamagedTableError("file is too short to be an sstable")
    if struct.unpack_from("<Q", data, len(data) - 8)[0] != MAGIC:
        raise DamagedTableError("not an sstable (bad magic number)")
    try:
        footer = data[-FOOTER_BYTES:-8]
        _, place = read_varint(footer, 0)
        _, place = read_varint(footer, place)
        start, place = read_varint(footer, place)
        size, _ = read_varint(footer, place)
        for _, handle in _block_entries(_block(data, start, size)):
            start, place = read_varint(handle, 0)
            size, _ = read_varint(handle, place)
            yield from _block_entries(_block(data, start, size))
    except (IndexError, struct.error) as problem:
        raise DamagedTableError(f"corrupted block contents ({problem})") from None
    except ValueError as problem:
        if isinstance(problem, DamagedTableError):
            raise
        raise DamagedTableError(f"corrupted block contents ({problem})") from None


def _block(data: bytes, start: int, size: int) -> bytes:
    end = start + size
    if end + _TRAILER_BYTES > len(data):
        raise DamagedTableError("truncated block read")
    content = data[start:end]
    stored = struct.unpack_from("<I", data, end + 1)[0]
    if stored != masked(checksum(data[end : end + 1], checksum(content))):
        raise DamagedTableError("block checksum mismatch")
    kind = data[end]
    if kind == _PLAIN:
        return content
    if kind == _SNAPPY:
        return decompress(content)
    raise DamagedTableError("bad block type")


def _block_entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    count = struct.unpack_from("<I", block, len(block) - 4)[0]
    end = len(block) - 4 * (count + 1)
    if end < 0:
        raise DamagedTableError("bad block contents")
    place, key = 0, b""
    while place < end:
        shared, rest, size = block[place], block[place + 1], block[place + 2]
        if shared < 128 and rest < 128 and size < 128:  # numbers of one byte each
            place += 3
        else:
            shared, place = read_varint(block, place)
            rest, place = read_varint(block, place)
            size, place = read_varint(block, place)
        if shared > len(key) or place + rest + size > end:
            raise DamagedTableError("bad entry in block")
        key = key[:shared] + block[place : place + rest]
        place += rest
        yield key, block[place : place + size]
        place += size
