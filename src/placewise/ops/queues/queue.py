"""The state of a queue: elements in an order, bounded, that threads bring and take.

An element is a tuple of contents. What is brought is copied: a fed array may change later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core.dtypes import DType
from placewise.core.errors import CancelledError, OutOfRangeError, invalid
from placewise.core.names import next_number
from placewise.core.shapes import TensorShape
from placewise.ops.families import bracketed
from placewise.ops.queues.attempts import Attempt, Element, Waiting
from placewise.ops.values import TORCH, Content, Handle, c_name, shape_of


class Queue:
    """Elements first in, first out; at most `capacity` of them (negative: any number)."""

    kind = "FIFOQueue"

    def __init__(self, types: Any, shapes: Any, capacity: int) -> None:
        self.types = tuple(types)
        self.shapes = [TensorShape(each) for each in shapes or ()]
        self._check_shapes()
        self.capacity = capacity if capacity >= 0 else None
        self.handle: Handle | None = None
        self.is_closed = False
        self._elements: Any = deque()
        self._number = next_number("resource")
        self._waiting = Waiting()

    @property
    def name(self) -> str:
        """The name that errors tell."""
        return f"_{self._number}_{self.handle.name if self.handle else ''}"

    @property
    def size(self) -> int:
        """How many elements are there now."""
        return len(self._elements)

    def _check_shapes(self) -> None:
        """Refuse shapes that are not one for each component, and all known: or none at all."""
        if not self.shapes:
            return
        if len(self.shapes) != len(self.types):
            raise miscounted(self.types, self.shapes)
        for shape in self.shapes:
            if shape.rank is not None and not shape.is_fully_defined():
                raise invalid(f"Shape {_shown(shape)} is not fully defined")

    # The order of elements: what other kinds of queues change.

    def _add(self, element: Element) -> None:
        self._elements.append(element)

    def _take(self) -> Element:
        element: Element = self._elements.popleft()
        return element

    def _put_back(self, elements: list[Element]) -> None:
        self._elements.extendleft(reversed(elements))

    def _available(self) -> int:
        return len(self._elements)

    # Bringing.

    def enqueue(self, components: list[Any]) -> None:
        """Add one element, once there is room."""
        for index, (value, fixed) in enumerate(zip(components, self.shapes, strict=False)):
            if not fixed.is_compatible_with(shape_of(value)):
                raise _mismatch(index, _shown(fixed), shape_of(value))
        self._bring([tuple(kept(value) for value in components)])

    def enqueue_many(self, components: list[Any]) -> None:
        """Add the slices of all components along the first dimension, one after the other."""
        shape = shape_of(components[0])
        if not shape:
            wanted = ["?", *_dims(self.shapes[0])] if self.shapes else ["?"]
            raise _mismatch(0, f"[{','.join(wanted)}]", shape)
        count = shape[0]
        for index, value in enumerate(components):
            found = shape_of(value)
            fixed = self.shapes[index] if self.shapes else TensorShape(found[1:])
            if found[:1] != (count,) or not fixed.is_compatible_with(found[1:]):
                raise _mismatch(index, f"[{','.join([str(count), *_dims(fixed)])}]", found)
        own = [kept(value) for value in components]
        self._bring([tuple(slice_of(value, row) for value in own) for row in range(count)])

    def _bring(self, elements: list[Element]) -> None:
        left = deque(elements)

        def step() -> bool:
            if self.is_closed:
                attempt.fail(CancelledError(None, None, f"{self.kind} '{self.name}' is closed."))
                return True
            while left and (self.capacity is None or len(self._elements) < self.capacity):
                self._add(left.popleft())
            return not left

        attempt = Attempt(step, "Enqueue operation was cancelled")
        self._waiting.wait_for(self._waiting.bringing, attempt, lambda: None)

    def close(self, cancel_pending_enqueues: bool) -> None:
        """Let nothing more be brought: after those who wait, or instead of them."""
        if cancel_pending_enqueues:
            with self._waiting.changed:
                self._refuse_closed()
                self.is_closed = True
                self._waiting.cancel(self._waiting.bringing)
                self._waiting.serve()
            return

        def step() -> bool:
            try:
                self._refuse_closed()
            except CancelledError as problem:
                attempt.fail(problem)
            self.is_closed = True
            return True

        attempt = Attempt(step, "Close operation was cancelled")
        self._waiting.wait_for(self._waiting.bringing, attempt, lambda: None)

    def _refuse_closed(self) -> None:
        if self.is_closed:
            raise CancelledError(None, None, f"Queue '{self.name}' is already closed.")

    # Taking.

    def dequeue(self) -> list[Any]:
        """Take one element, once there is one."""
        return list(self._taken(1, False)[0])

    def dequeue_many(self, count: int, up_to: bool = False) -> list[Any]:
        """Take `count` elements and stack them; `up_to`: what is left of a closed queue will do."""
        self._check_batches(count, up_to)
        elements = self._taken(count, up_to) if count else []
        if not elements:
            return [
                empty_of(fixed, dtype) for fixed, dtype in zip(self.shapes, self.types, strict=True)
            ]
        return [self._stacked(list(column)) for column in zip(*elements, strict=True)]

    def _check_batches(self, count: int, up_to: bool) -> None:
        if count < 0:
            called = "DequeueUpToOp" if up_to else "DequeueManyOp"
            raise invalid(f"{called} requested {count} < 0 elements")
        if not self.shapes or not all(each.is_fully_defined() for each in self.shapes):
            raise invalid(
                f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes."
            )

    def _stacked(self, values: list[Any]) -> Any:
        return np.stack(values) if isinstance(values[0], np.ndarray) else torch.stack(values)

    def _taken(self, count: int, up_to: bool) -> list[Element]:
        got: list[Element] = []

        def step() -> bool:
            left = count - len(got)
            if self.is_closed and len(self._elements) < left:
                if up_to and (got or self._elements):
                    left = len(self._elements)
                else:
                    attempt.fail(self._insufficient(left))
                    return True
            got.extend(self._take() for _ in range(min(left, self._available())))
            return len(got) == count or (self.is_closed and up_to)

        attempt = Attempt(step, "Dequeue operation was cancelled")
        self._waiting.wait_for(self._waiting.taking, attempt, lambda: self._put_back(got))
        return got

    def _insufficient(self, requested: int) -> OutOfRangeError:
        return OutOfRangeError(
            None,
            None,
            f"{self.kind} '{self.name}' is closed and has insufficient elements (requested "
            f"{requested}, current size {len(self._elements)})",
        )

    def cancel_waiting(self) -> None:
        """End every wait as cancelled: the session is closing."""
        with self._waiting.changed:
            self._waiting.cancel(self._waiting.bringing, self._waiting.taking)


def _dims(shape: TensorShape) -> list[str]:
    return ["?" if dim is None else str(dim) for dim in shape._dims or ()]


def _shown(shape: TensorShape) -> str:
    return f"[{','.join(_dims(shape))}]"


def miscounted(types: Sequence[DType], shapes: list[TensorShape]) -> Exception:
    """Return the error for shapes that are not as many as the components."""
    return invalid(
        f"Different number of component types.  Types: {', '.join(map(c_name, types))}, "
        f"Shapes: [{', '.join(map(_shown, shapes))}]"
    )


def _mismatch(index: int, expected: str, found: tuple[int, ...]) -> Exception:
    return invalid(
        f"Shape mismatch in tuple component {index}. Expected {expected}, got {bracketed(found)}"
    )


def kept(value: Content) -> Any:
    """Return a copy of what is brought: a fed array may change later."""
    return value.copy() if isinstance(value, np.ndarray) else value.clone()


def slice_of(value: Content, row: int) -> Any:
    """Return a row of a content, as a content."""
    part = value[row]
    # NumPy gives the bytes themselves for one element of a vector.
    return part if not isinstance(value, np.ndarray) else _object(part, value.shape[1:])


def _object(part: Any, shape: tuple[int, ...]) -> Any:
    made = np.empty(shape, dtype=object)
    made[...] = part
    return made


def empty_of(fixed: TensorShape, dtype: DType) -> Any:
    """Return a batch without elements."""
    dims = (0, *[dim or 0 for dim in fixed._dims or ()])
    if dtype.name == "string":
        return np.empty(dims, dtype=object)
    return torch.empty(dims, dtype=TORCH[dtype])
