"""The other kinds of queues: shuffled, padded, by priority."""

from __future__ import annotations

import heapq
import itertools
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.ops.queues.attempts import Element
from placewise.ops.queues.queue import Queue, miscounted
from placewise.ops.random.streams import Stream
from placewise.ops.values import shape_of


class RandomShuffleQueue(Queue):
    """Elements in random order; while open, `min_after_dequeue` of them stay to be mixed with."""

    kind = "RandomShuffleQueue"

    def __init__(
        self, types: Any, shapes: Any, capacity: int, least: int, seed: int, seed2: int
    ) -> None:
        super().__init__(types, shapes, capacity)
        if least < 0:
            raise invalid(f"min_after_dequeue {least} must be >= 0")
        if 0 <= capacity <= least:
            raise invalid(f"min_after_dequeue {least} must be < capacity {capacity}")
        self._least = least
        self._elements: list[Element] = []
        self._stream = Stream(seed, seed2)
        self._words: list[int] = []

    def _random_word(self) -> int:
        if not self._words:
            self._words = self._stream.reserve(1).words(1)[0].tolist()[::-1]
        return self._words.pop()

    def _take(self) -> Element:
        index = self._random_word() % len(self._elements)
        taken = self._elements[index]
        self._elements[index] = self._elements[-1]
        self._elements.pop()
        return taken

    def _put_back(self, elements: list[Element]) -> None:
        self._elements.extend(elements)

    def _available(self) -> int:
        kept = 0 if self.is_closed else self._least
        return max(0, len(self._elements) - kept)


class PaddingFIFOQueue(Queue):
    """A queue whose batches are padded with zeros where elements differ in size."""

    kind = "PaddingFIFOQueue"

    def _check_shapes(self) -> None:
        if not self.shapes:
            raise invalid(
                f"Shapes must be provided for all components, but received {len(self.types)} "
                "dtypes and 0 shapes."
            )
        if len(self.shapes) != len(self.types):
            raise miscounted(self.types, self.shapes)
        if any(shape.rank is None for shape in self.shapes):
            raise invalid("shape <unknown> must have known rank.")

    def _check_batches(self, count: int, up_to: bool) -> None:
        if count < 0:
            called = "DequeueUpToOp" if up_to else "DequeueManyOp"
            raise invalid(f"{called} requested {count} < 0 elements")

    def _stacked(self, values: list[Any]) -> Any:
        shapes = [shape_of(value) for value in values]
        if all(shape == shapes[0] for shape in shapes):
            return super()._stacked(values)
        dims = (len(values), *map(max, zip(*shapes, strict=True)))
        if isinstance(values[0], np.ndarray):
            made: Any = np.full(dims, b"", dtype=object)
        else:
            made = torch.zeros(dims, dtype=values[0].dtype, device=values[0].device)
        for row, (value, shape) in enumerate(zip(values, shapes, strict=True)):
            made[(row, *map(slice, shape))] = value
        return made


class PriorityQueue(Queue):
    """Elements by their first component, an int64: the smallest first."""

    kind = "PriorityQueue"

    def __init__(self, types: Any, shapes: Any, capacity: int) -> None:
        if not shapes:
            raise invalid(
                "Shared queue has component shapes [] but requested component shapes [[]]"
            )
        super().__init__((dtypes.int64, *types), [(), *(shapes or ())], capacity)
        self._elements: list[tuple[int, int, Element]] = []
        self._order = itertools.count()

    def _add(self, element: Element) -> None:
        # The running number keeps equals in the order they came.
        heapq.heappush(self._elements, (int(element[0]), next(self._order), element))

    def _take(self) -> Element:
        return heapq.heappop(self._elements)[2]

    def _put_back(self, elements: list[Element]) -> None:
        for element in elements:
            self._add(element)
