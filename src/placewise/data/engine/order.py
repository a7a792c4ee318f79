"""Datasets that only choose and order elements: take, skip, repeat, shard, shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from absl import logging

from placewise.core.errors import invalid
from placewise.data.engine.random_words import Seeds, Words
from placewise.data.engine.source import (
    BY_INDEX,
    INFINITE,
    UNKNOWN,
    Failure,
    Ordering,
    Source,
    dataset_op,
)

Begin = Callable[[], Iterator[Any]]
_EMPTY_PASSES = 1000


def chosen(elements: Iterator[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    """Return the elements that `islice` would; failures are not counted, and none is left out."""
    position = 0
    for element in elements:
        if element.__class__ is Failure:
            yield element
            continue
        if position >= start and (position - start) % step == 0:
            yield element
        position += 1
        if position == stop:
            return


@dataset_op("TakeDataset(input_dataset: variant, count: int64", host=("count",))
class Take(Ordering):
    """The first elements."""

    def __init__(self, structure: Any, source: Source, count: int) -> None:
        super().__init__(structure, source)
        self._count = count

    def ordered(self, begin: Begin) -> Iterator[Any]:
        """Return the first items."""
        if self._count < 0:
            return begin()
        if not self._count:
            return iter(())
        if self.source.rows is not None:
            return islice(begin(), self._count)
        return chosen(begin(), 0, self._count, 1)

    def count(self) -> int:
        """Return how many that are."""
        given = self.source.count()
        if self._count < 0:
            return given
        if given == INFINITE:
            return self._count
        if given == UNKNOWN:
            return UNKNOWN if self._count else 0
        return min(given, self._count)


@dataset_op("SkipDataset(input_dataset: variant, count: int64", host=("count",))
class Skip(Ordering):
    """All but the first elements."""

    def __init__(self, structure: Any, source: Source, count: int) -> None:
        super().__init__(structure, source)
        self._count = count

    def ordered(self, begin: Begin) -> Iterator[Any]:
        """Return the later items."""
        if self._count < 0:
            return iter(())
        if self.source.rows is not None:
            return islice(begin(), self._count, None)
        return chosen(begin(), self._count, None, 1)

    def count(self) -> int:
        """Return how many are left."""
        given = self.source.count()
        if self._count < 0:
            return 0
        return given if given < 0 else max(0, given - self._count)


@dataset_op("RepeatDataset(input_dataset: variant, count: int64", host=("count",))
class Repeat(Ordering):
    """The elements again and again."""

    def __init__(self, structure: Any, source: Source, count: int) -> None:
        super().__init__(structure, source)
        self._count = count

    def ordered(self, begin: Begin) -> Iterator[Any]:
        """Return the items once more each time they end."""
        return repeated(begin, self._count, isinstance(self.source, Shuffle))

    def count(self) -> int:
        """Return how many that are."""
        given = self.source.count()
        if self._count < 0:
            return INFINITE if given else 0
        if self._count == 0:
            return 0
        return given if given < 0 else given * self._count


def repeated(begin: Begin, count: int, is_shuffled: bool) -> Iterator[Any]:
    """Return the items of `count` passes, of endless ones if it is negative.

    Endless passes end with one that has no element but failures. TensorFlow makes one op of
    `shuffle().repeat()`, which ends there only if the passes before had none either.
    """
    done = empty = 0
    has_element = False
    while count < 0 or done < count:
        items = begin()
        is_empty = True
        for item in items:
            yield item
            if item.__class__ is not Failure:
                is_empty, has_element = False, True
                break
        if count < 0 and is_empty and not (is_shuffled and has_element):
            return
        yield from items
        done += 1
        empty = empty + 1 if is_empty else 0
        if empty == _EMPTY_PASSES and count < 0:
            logging.warning(
                "shuffle().repeat() found no element in %d passes in a row, and goes on. If its "
                "input gives elements only once, leave repeat() out or write repeat().shuffle().",
                empty,
            )


@dataset_op(
    "ShardDataset(input_dataset: variant, num_shards: int64, index: int64;"
    " require_non_empty: bool = False",
    host=("num_shards", "index"),
)
class Shard(Ordering):
    """Every n-th element."""

    def __init__(
        self, structure: Any, source: Source, shards: int, index: int, *, require_non_empty: bool
    ) -> None:
        super().__init__(structure, source)
        if shards < 1:
            raise invalid(
                f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= index < shards:
            raise invalid(f"Index must be between 0 and {shards - 1} (currently index = {index}).")
        self._shards, self._index = shards, index

    def ordered(self, begin: Begin) -> Iterator[Any]:
        """Return every n-th item."""
        if self.source.rows is not None:
            return islice(begin(), self._index, None, self._shards)
        return chosen(begin(), self._index, None, self._shards)

    def count(self) -> int:
        """Return how many that are."""
        given = self.source.count()
        if given < 0:
            return given
        return given // self._shards + (1 if self._index < given % self._shards else 0)


@dataset_op(
    "ShuffleDatasetV3(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64;"
    " reshuffle_each_iteration: bool = True",
    host=("buffer_size", "seed", "seed2"),
    stateful=True,
)
class Shuffle(Ordering):
    """Elements in random order, chosen among the next `buffer_size`."""

    seeds: Seeds

    def __init__(
        self,
        structure: Any,
        source: Source,
        size: int,
        seed: int,
        seed2: int,
        *,
        reshuffle_each_iteration: bool,
    ) -> None:
        super().__init__(structure, source)
        if size <= 0 and size != UNKNOWN:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        self._size = size
        self.seeds = Seeds(seed, seed2, reshuffle_each_iteration)

        self._fixed_order: list[int] | None = None

    def ordered(self, begin: Begin) -> Iterator[Any]:
        """Return the items in the order TensorFlow draws them in from the same seeds."""
        if BY_INDEX.get():
            return self._in_fixed_order(list(begin()))
        return shuffled(begin(), self._size, Words(*self.seeds.next()).next)

    def _in_fixed_order(self, items: list[Any]) -> Iterator[Any]:
        """Return all items in the order that reading by index sees, which stays the same."""
        order = self._fixed_order
        if order is None or len(order) != len(items):
            order = list(range(len(items)))
            draw = Words(*self.seeds.pair).next
            for place in range(len(order)):
                other = place + draw() % (len(order) - place)
                order[place], order[other] = order[other], order[place]
            self._fixed_order = order
        return (items[number] for number in order)


def shuffled(items: Iterator[Any], buffer_size: int, draw: Callable[[], int]) -> Iterator[Any]:
    """Return items in random order.

    The buffer is a ring: what is drawn changes places with the oldest, whose place the next item
    takes. Failures do not wait in it.
    """
    ring: list[Any] = []
    for item in items:
        if item.__class__ is Failure:
            yield item
            continue
        ring.append(item)
        if len(ring) == buffer_size:
            break
    size = len(ring)
    oldest = 0
    for item in items:
        if item.__class__ is Failure:
            yield item
            continue
        index = (oldest + draw() % size) % size
        yield ring[index]
        ring[index] = ring[oldest]
        ring[oldest] = item
        oldest = (oldest + 1) % size
    for left in range(size, 0, -1):
        index = (oldest + draw() % left) % size
        yield ring[index]
        ring[index] = ring[oldest]
        oldest = (oldest + 1) % size


@dataset_op(
    "ShuffleAndRepeatDataset(input_dataset: variant, buffer_size: int64, seed: int64,"
    " seed2: int64, count: int64; reshuffle_each_iteration: bool = True",
    host=("buffer_size", "seed", "seed2", "count"),
    stateful=True,
)
class ShuffleAndRepeat(Ordering):
    """Shuffled elements again and again, drawn from one stream of random numbers."""

    seeds: Seeds

    def __init__(
        self,
        structure: Any,
        source: Source,
        size: int,
        seed: int,
        seed2: int,
        count: int,
        *,
        reshuffle_each_iteration: bool,
    ) -> None:
        super().__init__(structure, source)
        if size <= 0 and size != UNKNOWN:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        self._size, self._count = size, count
        self.seeds = Seeds(seed, seed2, renewed=False)

    def ordered(self, begin: Begin) -> Iterator[Any]:
        """Return the items of one epoch after the other, each shuffled."""
        draw = Words(*self.seeds.next()).next
        return repeated(lambda: shuffled(begin(), self._size, draw), self._count, True)

    def count(self) -> int:
        """Return how many that are."""
        given = self.source.count()
        if self._count < 0:
            return INFINITE if given else 0
        return given if given < 0 else given * self._count
