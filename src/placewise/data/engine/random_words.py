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
    """Where each run through a dataset of random order gets its two seeds."""

    def __init__(self, seed: int, seed2: int, renewed: bool) -> None:
        self.pair = seeds_or_random(seed, seed2)
        self._words = Words(*self.pair) if renewed else None
        self._drawn = 0

    def next(self) -> tuple[int, int]:
        """Return the seeds of the next run."""
        words = self._words
        if words is None:
            return self.pair
        self._drawn += 1
        return words.next(), words.next()

    @property
    def state(self) -> tuple[int, int, int]:
        """Both seeds, and how many runs got theirs: what a checkpoint keeps."""
        return (*self.pair, self._drawn)

    def restore(self, state: tuple[int, int, int]) -> None:
        """Go on as the seeds did that `state` was read from."""
        first, second, drawn = state
        self.pair, self._drawn = (first, second), drawn
        if self._words is not None:
            self._words = Words(first, second)
            for _ in range(2 * drawn):
                self._words.next()
