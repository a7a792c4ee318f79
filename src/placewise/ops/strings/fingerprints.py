"""Hashes of byte strings: FarmHash's Fingerprint64, SipHash-2-4 and MurmurHash64A."""

from __future__ import annotations

from struct import unpack_from

_M = 0xFFFFFFFFFFFFFFFF
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


def _rotate(x: int, by: int) -> int:
    return (x >> by | x << (64 - by)) & _M


def _mixed(x: int) -> int:
    return x ^ (x >> 47)


def _word(data: bytes, at: int) -> int:
    word: int = unpack_from("<Q", data, at)[0]
    return word


def _half_word(data: bytes, at: int) -> int:
    word: int = unpack_from("<I", data, at)[0]
    return word


def _joined(u: int, v: int, multiplier: int) -> int:
    a = _mixed(((u ^ v) * multiplier) & _M)
    b = _mixed(((v ^ a) * multiplier) & _M)
    return b * multiplier & _M


def fingerprint64(data: bytes) -> int:
    """Return the 64-bit FarmHash fingerprint, the same on every machine and in every version."""
    size = len(data)
    if size <= 16:
        return _to_16(data, size)
    if size <= 32:
        return _to_32(data, size)
    if size <= 64:
        return _to_64(data, size)
    return _long(data, size)


def _to_16(s: bytes, size: int) -> int:
    if size >= 8:
        mul = (_K2 + size * 2) & _M
        a, b = (_word(s, 0) + _K2) & _M, _word(s, size - 8)
        c = (_rotate(b, 37) * mul + a) & _M
        d = (_rotate(a, 25) + b) * mul & _M
        return _joined(c, d, mul)
    if size >= 4:
        mul = (_K2 + size * 2) & _M
        return _joined((size + (_half_word(s, 0) << 3)) & _M, _half_word(s, size - 4), mul)
    if size:
        y = s[0] + (s[size >> 1] << 8)
        z = size + (s[-1] << 2)
        return _mixed((y * _K2 ^ z * _K0) & _M) * _K2 & _M
    return _K2


def _to_32(s: bytes, size: int) -> int:
    mul = (_K2 + size * 2) & _M
    a, b = _word(s, 0) * _K1 & _M, _word(s, 8)
    c, d = _word(s, size - 8) * mul & _M, _word(s, size - 16) * _K2 & _M
    u = (_rotate((a + b) & _M, 43) + _rotate(c, 30) + d) & _M
    return _joined(u, (a + _rotate((b + _K2) & _M, 18) + c) & _M, mul)


def _to_64(s: bytes, size: int) -> int:
    mul = (_K2 + size * 2) & _M
    a, b = _word(s, 0) * _K2 & _M, _word(s, 8)
    c, d = _word(s, size - 8) * mul & _M, _word(s, size - 16) * _K2 & _M
    y = (_rotate((a + b) & _M, 43) + _rotate(c, 30) + d) & _M
    z = _joined(y, (a + _rotate((b + _K2) & _M, 18) + c) & _M, mul)
    e, f = _word(s, 16) * mul & _M, _word(s, 24)
    g = (y + _word(s, size - 32)) * mul & _M
    h = (z + _word(s, size - 24)) * mul & _M
    u = (_rotate((e + f) & _M, 43) + _rotate(g, 30) + h) & _M
    return _joined(u, (e + _rotate((f + a) & _M, 18) + g) & _M, mul)


def _weak(s: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = unpack_from("<4Q", s, at)
    a = (a + w) & _M
    b = _rotate((b + a + z) & _M, 21)
    c = a
    a = (a + x + y) & _M
    b = (b + _rotate(a, 44)) & _M
    return (a + z) & _M, (b + c) & _M


def _long(s: bytes, size: int) -> int:
    x = 81
    y = (x * _K1 + 113) & _M
    z = _mixed((y * _K2 + 113) & _M) * _K2 & _M
    v = w = (0, 0)
    x = (x * _K2 + _word(s, 0)) & _M
    end = (size - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _step(s, at, x, y, z, v, w, _K1, 1)
        x, z = z, x
    mul = (_K1 + ((z & 0xFF) << 1)) & _M
    w0 = (w[0] + ((size - 1) & 63)) & _M
    v0 = (v[0] + w0) & _M
    w0 = (w0 + v0) & _M
    x, y, z, v, w = _step(s, size - 64, x, y, z, (v0, v[1]), (w0, w[1]), mul, 9)
    x, z = z, x
    u = (_joined(v[0], w[0], mul) + _mixed(y) * _K0 + z) & _M
    return _joined(u, (_joined(v[1], w[1], mul) + x) & _M, mul)


def _step(
    s: bytes,
    at: int,
    x: int,
    y: int,
    z: int,
    v: tuple[int, int],
    w: tuple[int, int],
    mul: int,
    weight: int,
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    """Take in 64 bytes."""
    x = _rotate((x + y + v[0] + _word(s, at + 8)) & _M, 37) * mul & _M
    y = _rotate((y + v[1] + _word(s, at + 48)) & _M, 42) * mul & _M
    x ^= w[1] * weight & _M
    y = (y + v[0] * weight + _word(s, at + 40)) & _M
    z = _rotate((z + w[0]) & _M, 33) * mul & _M
    v = _weak(s, at, v[1] * mul & _M, (x + w[0]) & _M)
    w = _weak(s, at + 32, (z + w[1]) & _M, (y + _word(s, at + 16)) & _M)
    return x, y, z, v, w


def murmur64(data: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """Return MurmurHash64A."""
    mul = 0xC6A4A7935BD1E995
    size = len(data)
    h = seed ^ (size * mul & _M)
    whole = size & ~7
    for at in range(0, whole, 8):
        k = _word(data, at) * mul & _M
        k = (k ^ k >> 47) * mul & _M
        h = (h ^ k) * mul & _M
    if size & 7:
        h = (h ^ int.from_bytes(data[whole:], "little")) * mul & _M
    h = (h ^ h >> 47) * mul & _M
    return h ^ h >> 47


def siphash(data: bytes, key: tuple[int, int]) -> int:
    """Return SipHash-2-4 with a key of two 64-bit numbers."""
    k0, k1 = key[0] & _M, key[1] & _M
    v = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    size = len(data)
    whole = size & ~7
    last = int.from_bytes(data[whole:], "little") | (size & 0xFF) << 56
    for word in (*(_word(data, at) for at in range(0, whole, 8)), last):
        v = (v[0], v[1], v[2], v[3] ^ word)
        v = _sip_round(*_sip_round(*v))
        v = (v[0] ^ word, v[1], v[2], v[3])
    v = (v[0], v[1], v[2] ^ 0xFF, v[3])
    for _ in range(4):
        v = _sip_round(*v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_round(v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    v0 = (v0 + v1) & _M
    v1 = _rotate(v1, 51) ^ v0
    v0 = _rotate(v0, 32)
    v2 = (v2 + v3) & _M
    v3 = _rotate(v3, 48) ^ v2
    v0 = (v0 + v3) & _M
    v3 = _rotate(v3, 43) ^ v0
    v2 = (v2 + v1) & _M
    v1 = _rotate(v1, 47) ^ v2
    return v0, v1, _rotate(v2, 32), v3
