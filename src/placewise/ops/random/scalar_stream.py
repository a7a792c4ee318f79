"""Single random numbers from a place in a stream, one after another."""

from __future__ import annotations

import struct
from collections.abc import Callable

from placewise.ops.random.philox import Philox

_BLOCKS = 64  # blocks computed together


class ScalarStream:
    """Deals words, integers below a limit and fractions in TensorFlow's order."""

    __slots__ = ("_next", "_place", "_start", "_words")

    def __init__(self, place: Philox) -> None:
        self._place = place
        self._start = 0
        self._words: list[int] = []
        self._next = 0

    def word(self) -> int:
        """Return the next 32 bits."""
        if self._next == len(self._words):
            self._words = self._place.words(_BLOCKS, self._start).reshape(-1).tolist()
            self._start += _BLOCKS
            self._next = 0
        self._next += 1
        return self._words[self._next - 1]

    def wide_word(self) -> int:
        """Return the next 64 bits, the lower half first."""
        low = self.word()
        return low | self.word() << 32

    def below(self, limit: int) -> int:
        """Return an integer in [0, limit), every one as likely as another."""
        return _below(limit, 32, self.word)

    def below_wide(self, limit: int) -> int:
        """Return an integer in [0, limit) made of 64 bits."""
        return _below(limit, 64, self.wide_word)

    def single(self) -> float:
        """Return a float32 in [0, 1)."""
        bits = (self.word() & 0x7FFFFF) | 0x3F800000
        value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
        return value - 1.0

    def double(self) -> float:
        """Return a float64 in [0, 1)."""
        high = self.word() & 0xFFFFF
        bits = high << 32 | self.word() | 0x3FF << 52
        value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
        return value - 1.0


def _below(limit: int, bits: int, draw: Callable[[], int]) -> int:
    if limit & (limit - 1) == 0:
        return draw() & (limit - 1)
    # Small values are refused: they would come up once too often.
    refused = ((1 << bits) - 1) % limit + 1
    while (drawn := draw()) < refused:
        pass
    return drawn % limit
