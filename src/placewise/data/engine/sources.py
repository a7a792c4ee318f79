"""Datasets that begin with something: tensors, numbers, a generator."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from placewise.core.errors import invalid
from placewise.data.engine.random_words import Seeds, Words
from placewise.data.engine.source import INFINITE, Element, Rows, Source, dataset_op
from placewise.ops.values import TORCH

_MOST = 2**63 - 1


@dataset_op("TensorDataset(components: [Toutput_types]")
class Tensors(Source):
    """One element: the tensors as they are."""

    def __init__(self, structure: Any, components: list[Any]) -> None:
        super().__init__(structure)
        self._element = structure.element(list(components))

    def iterate(self) -> Iterator[Element]:
        """Return the one element."""
        yield self._element

    def count(self) -> int:
        """Return 1."""
        return 1


@dataset_op("TensorSliceDataset(components: [Toutput_types]; whole: func")
class Slices(Source):
    """The rows of tensors, one after the other."""

    def __init__(self, structure: Any, components: list[Any], *, whole: Any) -> None:
        super().__init__(structure)
        self._whole = whole
        self._batch = whole.element(list(components))
        sizes = {
            int(each.shape[0])
            for each, kind in zip(self._batch, whole.kinds, strict=True)
            if kind == "plain"
        }
        if len(sizes) > 1:
            raise invalid("All components must have the same size in the 0th dimension")
        self._size = whole.rows(self._batch)
        if whole.is_plain:
            self.rows = Rows(list(self._batch), self._size)

    def iterate(self) -> Iterator[Element]:
        """Return the rows."""
        if self.rows is not None:
            return self.rows.elements(self.numbers())
        return (self._whole.row(self._batch, index) for index in range(self._size))

    def numbers(self) -> Iterator[int]:
        """Return 0, 1, 2, …"""
        return iter(range(self._size))

    def count(self) -> int:
        """Return the number of rows."""
        count: int = self._size
        return count


@dataset_op("RangeDataset(start: int64, stop: int64, step: int64", host=("start", "stop", "step"))
class Range(Source):
    """Numbers from `start` to `stop`."""

    def __init__(self, structure: Any, start: int, stop: int, step: int) -> None:
        super().__init__(structure)
        if step == 0:
            raise invalid("step must be a non-zero integer.")
        self._range = range(start, stop, step)
        self._dtype = TORCH[structure.leaves[0].dtype]

    def iterate(self) -> Iterator[Element]:
        """Return the numbers as scalars, cut from pieces of growing size."""
        size, position, numbers = 1, 0, self._range
        while position < len(numbers):
            some = numbers[position : position + size]
            piece = torch.arange(some.start, some.stop, some.step).to(self._dtype)
            yield from zip(piece.unbind(0), strict=True)
            position += size
            size = min(64, size * 4)

    def count(self) -> int:
        """Return how many numbers there are; -1 up to the largest int64, as `enumerate` asks."""
        if self._range.stop == _MOST and self._range.step > 0:
            return INFINITE
        return len(self._range)


@dataset_op(
    "RandomDatasetV2(seed: int64, seed2: int64; rerandomize_each_iteration: bool = False",
    host=("seed", "seed2"),
    stateful=True,
)
class Random(Source):
    """Random numbers below 2**32, for ever."""

    seeds: Seeds

    def __init__(
        self, structure: Any, seed: int, seed2: int, *, rerandomize_each_iteration: bool
    ) -> None:
        super().__init__(structure)
        self.seeds = Seeds(seed, seed2, rerandomize_each_iteration)

    def iterate(self) -> Iterator[Element]:
        """Return the numbers of a stream."""
        for word in Words(*self.seeds.next()):
            yield (torch.tensor(word, dtype=torch.int64),)

    def count(self) -> int:
        """Return -1: for ever."""
        return INFINITE


@dataset_op("_CountedDataset(start: Toutput, step: Toutput", host=("start", "step"))
class Counter(Source):
    """Numbers without end."""

    def __init__(self, structure: Any, start: Any, step: Any) -> None:
        super().__init__(structure)
        self._start, self._step = start, step

    def iterate(self) -> Iterator[Element]:
        """Return start, start + step, …"""
        dtype = TORCH[self.structure.leaves[0].dtype]
        for number in itertools.count(self._start, self._step):
            yield (torch.tensor(number, dtype=dtype),)

    def count(self) -> int:
        """Return -1: for ever."""
        return INFINITE
