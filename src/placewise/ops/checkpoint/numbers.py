"""Numbers and strings as bytes: varints, order-preserving codes, masked checksums."""

from __future__ import annotations

import re

import google_crc32c

from placewise.core.arguments import TensorLike

_MASK = 0xA282EAD8
_WORD = 0xFFFFFFFF
_SPECIAL = re.compile(rb"[\x00\xff]")
# First two bytes of a signed number, by its length in bytes.
_HEADERS = (
    (0, 0),
    (0x80, 0),
    (0xC0, 0),
    (0xE0, 0),
    (0xF0, 0),
    (0xF8, 0),
    (0xFC, 0),
    (0xFE, 0),
    (0xFF, 0),
    (0xFF, 0x80),
    (0xFF, 0xC0),
)


def checksum(data: TensorLike, before: int = 0) -> int:
    """Return the crc32c of bytes or of an array, going on from the checksum of what came before."""
    crc: int = google_crc32c.extend(before, data)
    return crc


def masked(crc: int) -> int:
    """Return a checksum as it is stored: a checksum of bytes that hold checksums is no good."""
    return (((crc >> 15) | (crc << 17)) + _MASK) & _WORD


def varint(number: int) -> bytes:
    """Return a number, 7 bits a byte, the lowest first."""
    if number < 128:
        return bytes((number,))
    made = bytearray()
    while number > 127:
        made.append((number & 127) | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number at a place and the place after it; ValueError where it does not end."""
    if place < len(data) and data[place] < 128:  # nearly all
        return data[place], place + 1
    number = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise ValueError("a number does not end")
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7


def ordered_number(number: int) -> bytes:
    """Return a number of zero or more so that bytes sort as numbers do."""
    size = (number.bit_length() + 7) // 8
    return bytes((size,)) + number.to_bytes(size, "big")


def ordered_signed(number: int) -> bytes:
    """Return a number, maybe negative, so that bytes sort as numbers do."""
    positive = ~number if number < 0 else number
    if positive < 64:
        return bytes(((number & 0xFF) ^ 0x80,))
    size = positive.bit_length() // 7 + 1
    made = bytearray(number.to_bytes(10, "big", signed=True)[10 - size :])
    made[0] ^= _HEADERS[size][0]
    made[1] ^= _HEADERS[size][1]
    return bytes(made)


def ordered_string(text: bytes) -> bytes:
    """Return a string so that what follows it does not disturb the order."""
    return _SPECIAL.sub(lambda found: b"\0\xff" if found[0] == b"\0" else b"\xff\0", text) + b"\0\1"
