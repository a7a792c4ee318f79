"""The state of a barrier: elements whose components come one by one, under a key."""

from __future__ import annotations

import heapq
import itertools
from typing import Any

import numpy as np
import torch

from placewise.core.errors import CancelledError, OutOfRangeError, invalid
from placewise.core.names import next_number
from placewise.core.shapes import TensorShape
from placewise.ops.families import bracketed
from placewise.ops.queues.attempts import Attempt, Waiting
from placewise.ops.queues.queue import empty_of, kept, slice_of
from placewise.ops.values import Handle, shape_of

_FIRST = -(2**63)  # the index of the first insertion, as in TensorFlow


class Barrier:
    """Elements become ready when all their components have come; the oldest are taken first."""

    def __init__(self, types: Any, shapes: Any) -> None:
        self.types = tuple(types)
        self.shapes = [TensorShape(each) for each in shapes or ()]
        self.handle: Handle | None = None
        self.is_closed = self._refuses_all = False
        self._incomplete: dict[bytes, tuple[int, list[Any]]] = {}
        self._ready: list[tuple[int, int, bytes, list[Any]]] = []
        self._insertions = itertools.count(_FIRST)
        self._arrivals = itertools.count()
        self._number = next_number("resource")
        self._waiting = Waiting()

    @property
    def name(self) -> str:
        """The name that errors tell."""
        return f"_{self._number}_{self.handle.name if self.handle else ''}"

    @property
    def ready_size(self) -> int:
        """How many elements have all their components."""
        return len(self._ready)

    @property
    def incomplete_size(self) -> int:
        """How many elements lack a component."""
        return len(self._incomplete)

    def insert_many(self, index: int, keys: np.ndarray[Any, Any], values: Any) -> None:
        """Give the elements of some keys one of their components."""
        self._check(index, keys, values)
        own = kept(values)
        with self._waiting.changed:
            self._refuse_closed(keys)
            age = next(self._insertions)
            try:
                for row, key in enumerate(keys.tolist()):
                    self._insert(index, key, slice_of(own, row), age)
            finally:
                self._waiting.serve()

    def _check(self, index: int, keys: np.ndarray[Any, Any], values: Any) -> None:
        if not 0 <= index < len(self.types):
            raise invalid(
                f"The component ID is out of range {index} > num_components (= {len(self.types)})"
            )
        found = shape_of(values)
        if keys.ndim != 1 or found[:1] != (len(keys),):
            raise invalid(
                "keys must be a vector, with as many elements as values has rows, but received "
                f"shapes {bracketed(keys.shape)} and {bracketed(found)}"
            )
        if self.shapes and not self.shapes[index].is_compatible_with(found[1:]):
            raise invalid(
                f"Shape mismatch in tuple component {index}. Expected {self.shapes[index]}, got "
                f"{bracketed(found[1:])}"
            )

    def _refuse_closed(self, keys: np.ndarray[Any, Any]) -> None:
        new = next((key for key in keys.tolist() if key not in self._incomplete), None)
        if self._refuses_all or (self.is_closed and new is not None):
            raise CancelledError(
                None,
                None,
                f"Barrier '{self.name}' is closed, and takes no new keys: {(new or b'').decode()}",
            )

    def _insert(self, index: int, key: bytes, value: Any, age: int) -> None:
        since, components = self._incomplete.setdefault(key, (age, [None] * len(self.types)))
        if components[index] is not None:
            raise invalid(
                f"Key {key.decode(errors='replace')} already has a value for component {index} in "
                f"barrier {self.name}"
            )
        components[index] = value
        if all(component is not None for component in components):
            del self._incomplete[key]
            heapq.heappush(self._ready, (since, next(self._arrivals), key, components))

    def take_many(self, count: int, allow_small_batch: bool, waits_for_incomplete: bool) -> Any:
        """Take the oldest elements, once there are enough: indices, keys, components."""
        if count < 0:
            raise invalid(f"num_elements must not be negative, but is {count}")
        got: list[tuple[int, int, bytes, list[Any]]] = []

        def step() -> bool:
            wanted = count
            if self.is_closed:
                waits = waits_for_incomplete or not allow_small_batch
                available = len(self._ready) + (len(self._incomplete) if waits else 0)
                if allow_small_batch:
                    wanted = min(count, available)
                if available < max(wanted, 1):
                    attempt.fail(self._insufficient(count, available))
                    return True
            if len(self._ready) < wanted:
                return False
            got.extend(heapq.heappop(self._ready) for _ in range(wanted))
            return True

        if count:
            attempt = Attempt(step, "Take operation was cancelled")
            self._waiting.wait_for(self._waiting.taking, attempt, lambda: None)
        return self._batch(got)

    def _batch(self, got: list[tuple[int, int, bytes, list[Any]]]) -> Any:
        indices = torch.tensor([item[0] for item in got], dtype=torch.int64)
        keys = np.empty(len(got), dtype=object)
        keys[:] = [item[2] for item in got]
        if not got:
            shapes = self.shapes or [TensorShape([])] * len(self.types)
            return indices, keys, [empty_of(*pair) for pair in zip(shapes, self.types, strict=True)]
        columns = zip(*(item[3] for item in got), strict=True)
        return indices, keys, [_stacked(list(column)) for column in columns]

    def _insufficient(self, requested: int, available: int) -> OutOfRangeError:
        return OutOfRangeError(
            None,
            None,
            f"Barrier '{self.name}' is closed and has insufficient elements (requested "
            f"{requested}, total size {available})",
        )

    def close(self, cancel_pending_enqueues: bool) -> None:
        """Take no new keys; with `cancel_pending_enqueues` no more components either."""
        with self._waiting.changed:
            if self._refuses_all or (self.is_closed and not cancel_pending_enqueues):
                raise CancelledError(None, None, f"Barrier '{self.name}' is already closed.")
            self.is_closed = True
            if cancel_pending_enqueues:
                self._refuses_all = True
                self._incomplete.clear()
            self._waiting.serve()

    def cancel_waiting(self) -> None:
        """End every wait as cancelled: the session is closing."""
        with self._waiting.changed:
            self._waiting.cancel(self._waiting.taking)


def _stacked(values: list[Any]) -> Any:
    first = shape_of(values[0])
    for value in values:
        if shape_of(value) != first:
            raise invalid(
                f"Shapes of a component differ: {bracketed(first)} and {bracketed(shape_of(value))}"
            )
    return np.stack(values) if isinstance(values[0], np.ndarray) else torch.stack(values)
