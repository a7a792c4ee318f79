"""Snappy: decompression of blocks that TensorFlow's older checkpoints hold."""

from __future__ import annotations

from placewise.ops.checkpoint.numbers import read_varint


def decompress(data: bytes) -> bytes:
    """Return what a snappy block holds; ValueError for one that is damaged.

    >>> decompress(bytes([5, 0x10]) + b"hello")
    b'hello'
    """
    size, place = read_varint(data, 0)
    made = bytearray()
    end = len(data)
    while place < end:
        tag = data[place]
        place += 1
        kind, high = tag & 3, tag >> 2
        if kind == 0:
            length = high + 1
            if high >= 60:
                extra = high - 59
                length = int.from_bytes(data[place : place + extra], "little") + 1
                place += extra
            if place + length > end:
                raise ValueError("a literal does not end")
            made += data[place : place + length]
            place += length
            continue
        if kind == 1:
            length = (high & 7) + 4
            offset = (high >> 3) << 8 | int.from_bytes(data[place : place + 1], "little")
            place += 1
        else:
            length = high + 1
            width = 2 if kind == 2 else 4
            offset = int.from_bytes(data[place : place + width], "little")
            place += width
        _repeat(made, offset, length)
        if len(made) > size:
            raise ValueError("more bytes than were announced")
    if len(made) != size:
        raise ValueError(f"{len(made)} bytes instead of {size}")
    return bytes(made)


def _repeat(made: bytearray, offset: int, length: int) -> None:
    """Append `length` bytes that begin `offset` before the end; they may overlap themselves."""
    start = len(made) - offset
    if offset == 0 or start < 0:
        raise ValueError("a copy from before the beginning")
    if offset >= length:
        made += made[start : start + length]
        return
    pattern = bytes(made[start:])
    made += (pattern * (length // offset + 1))[:length]
