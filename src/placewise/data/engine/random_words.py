"""The random numbers of datasets: 32-bit words of a Philox stream, one at a time."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from placewise.ops.random.philox import from_seeds

_MOST = 256


def seeds_or_random(seed: int, seed2: int) -> tuple[int, int]:
    """Return two seeds; nobody's if both are 0."""
    if seed == 0 and seed2 == 0:
        return secrets.randbits(63), secrets.randbits(63)
    return seed, seed2


class Words:
    """The words of the stream that two seeds start."""

    def __init__(self, seed: int, seed2: int) -> None:
        self._iterator = _words(seed, seed2)

    def next(self) -> int:
        """Return the next word."""
        return next(self._iterator)

    def __iter__(self) -> Iterator[int]:
        return self._iterator


def _words(seed: int, seed2: int) -> Iterator[int]:
    place = from_seeds(seed, seed2)
    size = 2
    while True:
        yield from place.words(size).ravel().tolist()
        place = place.skip(size)
        size = min(_MOST, size * 2)


class Seeds:
    """Where each run through a shuffled dataset gets its two seeds."""

    def __init__(self, seed: int, seed2: int, renewed: bool) -> None:
        self._pair = seeds_or_random(seed, seed2)
        self._words = Words(*self._pair) if renewed else None

    def next(self) -> tuple[int, int]:
        """Return the seeds of the next run."""
        words = self._words
        return self._pair if words is None else (words.next(), words.next())
