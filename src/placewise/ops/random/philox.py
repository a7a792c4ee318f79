"""Philox 4x32-10: the counter-based generator behind every random op, many blocks at a time.

A block is the four 32-bit words that a 64-bit key and a 128-bit counter give; blocks are
independent of each other, so any part of a stream can be computed alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

WORD = 0xFFFFFFFF
WIDE = 0xFFFFFFFFFFFFFFFF
# Blocks computed together: the working arrays of this many stay in the cache.
CHUNK = 8192

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_KEY_STEP_0 = 0x9E3779B9
_KEY_STEP_1 = 0xBB67AE85
_MASK = np.uint64(WORD)
_HALF = np.uint64(32)


class Philox(NamedTuple):
    """A place in a stream: 64-bit key, 128-bit counter."""

    key: int
    counter: int

    def skip(self, blocks: int) -> Philox:
        """Return the place `blocks` further on."""
        return Philox(self.key, (self.counter + blocks) & ((1 << 128) - 1))

    def words(self, count: int, start: int = 0) -> Array:
        """Return `count` blocks in a row as uint32 of shape [count, 4]."""
        out = np.empty((count, 2), np.uint64)
        for begin in range(0, count, CHUNK):
            size = min(CHUNK, count - begin)
            first = self.counter + start + begin
            low = np.arange(size, dtype=np.uint64)
            low += np.uint64(first & WIDE)
            high: Any = (first >> 64) & WIDE
            if (first & WIDE) + size > WIDE:
                high = _carried(low, first & WIDE, high)
            _blocks(self.key, low, high, out[begin : begin + size])
        return out.view(np.uint32)

    def words_at(self, offsets: Array) -> Array:
        """Return the blocks at `offsets` (uint64) from here as uint32 of shape [n, 4]."""
        count = len(offsets)
        out = np.empty((count, 2), np.uint64)
        base = self.counter & WIDE
        for begin in range(0, count, CHUNK):
            low = offsets[begin : begin + CHUNK] + np.uint64(base)
            high: Any = (self.counter >> 64) & WIDE
            if base and base + int(offsets[begin : begin + CHUNK].max()) > WIDE:
                high = _carried(low, base, high)
            _blocks(self.key, low, high, out[begin : begin + CHUNK])
        return out.view(np.uint32)


def _carried(low: Array, base: int, high: int) -> Array:
    """Return the upper counter halves where adding to the lower half overflowed."""
    carried = np.full(low.shape, high, np.uint64)
    carried += low < np.uint64(base)
    return carried


def _blocks(key: int, low: Array, high: Any, out: Array) -> None:
    """Write the blocks of counters (low, high) to `out`, two words to an element."""
    k0, k1 = key & WORD, key >> 32
    x0, x1 = low & _MASK, low >> _HALF
    if isinstance(high, int):
        x2 = np.full(low.shape, high & WORD, np.uint64)
        x3 = np.full(low.shape, high >> 32, np.uint64)
    else:
        x2, x3 = high & _MASK, high >> _HALF
    p0, p1 = np.empty_like(low), np.empty_like(low)
    for _ in range(10):
        np.multiply(x0, _M0, out=p0)
        np.multiply(x2, _M1, out=p1)
        np.right_shift(p1, _HALF, out=x0)
        x0 ^= x1
        x0 ^= np.uint64(k0)
        np.right_shift(p0, _HALF, out=x2)
        x2 ^= x3
        x2 ^= np.uint64(k1)
        np.bitwise_and(p1, _MASK, out=x1)
        np.bitwise_and(p0, _MASK, out=x3)
        k0 = (k0 + _KEY_STEP_0) & WORD
        k1 = (k1 + _KEY_STEP_1) & WORD
    x1 <<= _HALF
    x3 <<= _HALF
    np.bitwise_or(x0, x1, out=out[:, 0])
    np.bitwise_or(x2, x3, out=out[:, 1])


def from_seeds(seed: int, seed2: int) -> Philox:
    """Return the start of the stream of an op with two seeds."""
    return Philox(seed & WIDE, (seed2 & WIDE) << 64)


def scrambled(seed0: int, seed1: int) -> Philox:
    """Return the stream of a stateless op's seed pair: any two seeds give unrelated streams."""
    counter = (seed0 & WIDE) | (seed1 & WIDE) << 64
    mixed = [int(word) for word in Philox(0x02461E293EC8F720, counter).words(1)[0]]
    return Philox(mixed[0] | mixed[1] << 32, (mixed[2] | mixed[3] << 32) << 64)
