"""FarmHash's 64-bit fingerprint of bytes: the same number on every machine, for ever.

Behind `tf.fingerprint` and the fast hash of strings into buckets.
"""

from __future__ import annotations

_MASK = 0xFFFFFFFFFFFFFFFF
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


def _rotated(value: int, bits: int) -> int:
    value &= _MASK
    return (value >> bits | value << (64 - bits)) & _MASK


def _mixed(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _pair(u: int, v: int, multiplier: int) -> int:
    a = _mixed((u ^ v) * multiplier)
    return _mixed((v ^ a) * multiplier) * multiplier & _MASK


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _half(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 4], "little")


def _up_to_16(text: bytes) -> int:
    size = len(text)
    multiplier = (_K2 + size * 2) & _MASK
    if size >= 8:
        a, b = (_word(text, 0) + _K2) & _MASK, _word(text, size - 8)
        c = (_rotated(b, 37) * multiplier + a) & _MASK
        d = ((_rotated(a, 25) + b) * multiplier) & _MASK
        return _pair(c, d, multiplier)
    if size >= 4:
        return _pair(size + (_half(text, 0) << 3), _half(text, size - 4), multiplier)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[-1] << 2)
        return _mixed((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _ends(text: bytes, multiplier: int, first: int) -> tuple[int, int, int, int]:
    size = len(text)
    a, b = _word(text, 0) * first & _MASK, _word(text, 8)
    c = _word(text, size - 8) * multiplier & _MASK
    d = _word(text, size - 16) * _K2 & _MASK
    return a, b, (_rotated(a + b, 43) + _rotated(c, 30) + d) & _MASK, (
        a + _rotated(b + _K2, 18) + c
    ) & _MASK  # fmt: skip


def _up_to_32(text: bytes) -> int:
    multiplier = (_K2 + len(text) * 2) & _MASK
    _, _, u, v = _ends(text, multiplier, _K1)
    return _pair(u, v, multiplier)


def _up_to_64(text: bytes) -> int:
    size = len(text)
    multiplier = (_K2 + size * 2) & _MASK
    a, _, y, v = _ends(text, multiplier, _K2)
    z = _pair(y, v, multiplier)
    e, f = _word(text, 16) * multiplier & _MASK, _word(text, 24)
    g = (y + _word(text, size - 32)) * multiplier & _MASK
    h = (z + _word(text, size - 24)) * multiplier & _MASK
    return _pair(
        (_rotated(e + f, 43) + _rotated(g, 30) + h) & _MASK,
        (e + _rotated(f + a, 18) + g) & _MASK, multiplier,
    )  # fmt: skip


def _weak(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_word(text, at + 8 * i) for i in range(4))
    a = (a + w) & _MASK
    b = _rotated(b + a + z, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _rotated(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def fingerprint64(text: bytes) -> int:
    """Return the 64-bit fingerprint of some bytes."""
    size = len(text)
    if size <= 16:
        return _up_to_16(text)
    if size <= 32:
        return _up_to_32(text)
    return _up_to_64(text) if size <= 64 else _long(text)


def _long(text: bytes) -> int:
    seed = 81
    y = (seed * _K1 + 113) & _MASK
    z = _mixed(y * _K2 + 113) * _K2 & _MASK
    x = (seed * _K2 + _word(text, 0)) & _MASK
    v = w = (0, 0)
    tail = (len(text) - 1) & 63
    end = (len(text) - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _step(text, at, x, y, z, v, w, _K1, 1)
    multiplier = (_K1 + ((z & 0xFF) << 1)) & _MASK
    first = (w[0] + tail) & _MASK
    v = ((v[0] + first) & _MASK, v[1])
    w = ((first + v[0]) & _MASK, w[1])
    x, y, z, v, w = _step(text, end + tail - 63, x, y, z, v, w, multiplier, 9)
    return _pair(
        (_pair(v[0], w[0], multiplier) + _mixed(y) * _K0 + z) & _MASK,
        (_pair(v[1], w[1], multiplier) + x) & _MASK, multiplier,
    )  # fmt: skip


def _step(
    text: bytes, at: int, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int],
    multiplier: int, weight: int,
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:  # fmt: skip
    """Take in 64 bytes; the last step weighs some parts more."""
    x = _rotated(x + y + v[0] + _word(text, at + 8), 37) * multiplier & _MASK
    y = _rotated(y + v[1] + _word(text, at + 48), 42) * multiplier & _MASK
    x ^= w[1] * weight & _MASK
    y = (y + v[0] * weight + _word(text, at + 40)) & _MASK
    z = _rotated(z + w[0], 33) * multiplier & _MASK
    v = _weak(text, at, v[1] * multiplier & _MASK, (x + w[0]) & _MASK)
    w = _weak(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
    return z, y, x, v, w
