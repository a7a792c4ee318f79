"""Philox 4x32-10: the counter-based generator behind every random op, many blocks at a time.

A block is the four 32-bit words that a 64-bit key and a 128-bit counter give; blocks are
independent of each other, so any part of a stream can be computed alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from placewise import native

Array = np.ndarray[Any, Any]

WORD = 0xFFFFFFFF
WIDE = 0xFFFFFFFFFFFFFFFF
# Blocks computed together: the working arrays of this many stay in the cache.
CHUNK = 8192

# At most this many blocks are faster in plain Python.
FEW = 6

ROUNDS = 10
# What words 0 and 2 are multiplied by, and what is added to the halves of the key, in each round.
FACTORS = 0xD2511F53, 0xCD9E8D57
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
# The key under which a stateless op's seed pair is mixed.
SEED_KEY = 0x02461E293EC8F720

_FACTORS = np.array(FACTORS, np.uint64).reshape(2, 1)
_KEY_STEPS = np.array([[i * step for step in KEY_STEPS] for i in range(ROUNDS)], np.uint64)
_MASK = np.array(WORD, np.uint64)  # arrays of no dimension: NumPy's own numbers are slower
_HALF = np.array(32, np.uint64)


class Philox(NamedTuple):
    """A place in a stream: 64-bit key, 128-bit counter."""

    key: int
    counter: int

    def skip(self, blocks: int) -> Philox:
        """Return the place `blocks` further on."""
        return Philox(self.key, (self.counter + blocks) & ((1 << 128) - 1))

    def parts(self) -> tuple[int, int, int]:
        """Return the key and the two halves of the counter, as the native module takes them."""
        return self.key, self.counter & WIDE, self.counter >> 64

    def words(self, count: int, start: int = 0) -> Array:
        """Return `count` blocks in a row as uint32 of shape [count, 4]."""
        if native.code is not None:
            made = np.empty((count, 4), np.uint32)
            native.code.philox_words(*self.skip(start).parts(), made)
            return made
        if count <= FEW:
            return _few(self.key, range(self.counter + start, self.counter + start + count))
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
        if count <= FEW:
            return _few(self.key, [self.counter + each for each in offsets.tolist()])
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
    # Words 0 and 1 are row 0 and words 2 and 3 row 1, the even word above the odd one. Operations
    # on whole arrays that lie alike, or on a row and a number, cost NumPy the least.
    state, product, factors = np.empty((3, 2, low.size), np.uint64)
    first, second = state
    from_first, from_second = product
    np.left_shift(low, _HALF, out=first)
    first |= low >> _HALF
    second[:] = (high & WORD) << 32 | high >> 32
    factors[...] = _FACTORS
    for first_key, second_key in _key_schedule(key):
        np.right_shift(state, _HALF, out=product)
        np.multiply(product, factors, out=product)
        np.left_shift(state, _HALF, out=state)
        np.bitwise_xor(first, first_key, out=first)
        np.bitwise_xor(first, from_second, out=first)
        np.bitwise_xor(second, second_key, out=second)
        np.bitwise_xor(second, from_first, out=second)
    np.right_shift(state, _HALF, out=product)
    np.left_shift(state, _HALF, out=state)
    np.bitwise_or(state, product, out=out.T)


@lru_cache(maxsize=256)
def _key_schedule(key: int) -> list[tuple[Array, Array]]:
    """Return what each round adds to the two even words, in their place."""
    keys = (_KEY_STEPS + np.array([key & WORD, key >> 32], np.uint64) & _MASK) << _HALF
    return [(keys[i, 0, ...], keys[i, 1, ...]) for i in range(ROUNDS)]


def _few(key: int, counters: Iterable[int]) -> Array:
    """Return the blocks of a few counters, without the fixed cost of array operations."""
    return np.array([_block(key, each) for each in counters], np.uint32).reshape(-1, 4)


def _block(key: int, counter: int) -> tuple[int, int, int, int]:
    k0, k1 = key & WORD, key >> 32
    x0, x1 = counter & WORD, (counter >> 32) & WORD
    x2, x3 = (counter >> 64) & WORD, (counter >> 96) & WORD
    for _ in range(ROUNDS):
        p0, p1 = x0 * FACTORS[0], x2 * FACTORS[1]
        x0, x2 = (p1 >> 32) ^ x1 ^ k0, (p0 >> 32) ^ x3 ^ k1
        x1, x3 = p1 & WORD, p0 & WORD
        k0, k1 = (k0 + KEY_STEPS[0]) & WORD, (k1 + KEY_STEPS[1]) & WORD
    return x0, x1, x2, x3


def from_seeds(seed: int, seed2: int) -> Philox:
    """Return the start of the stream of an op with two seeds."""
    return Philox(seed & WIDE, (seed2 & WIDE) << 64)


def scrambled(seed0: int, seed1: int) -> Philox:
    """Return the stream of a stateless op's seed pair: any two seeds give unrelated streams."""
    counter = (seed0 & WIDE) | (seed1 & WIDE) << 64
    mixed = _block(SEED_KEY, counter)
    return Philox(mixed[0] | mixed[1] << 32, (mixed[2] | mixed[3] << 32) << 64)
