"""The ops of iterators: their state, what starts them, and what takes the next element."""

from __future__ import annotations

import itertools
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from placewise.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    invalid,
)
from placewise.core.names import next_number
from placewise.core.runtime import State, runtime
from placewise.core.shapes import Static, TensorShape
from placewise.core.tensor import Tensor
from placewise.data.engine.components import boxed
from placewise.data.engine.source import Element, Failure, Source
from placewise.data.one_shot import one_shot_attributes
from placewise.ops.declare import Bind, define
from placewise.ops.flow.optionals import Present
from placewise.ops.random.streams import ITERATION
from placewise.ops.values import Handle, Variant

_TYPES = "output_types: list(type), output_shapes: list(shape)"


@dataclass(slots=True)
class StringHandles(State):
    """Iterators by the string handles that were given out for them."""

    by_text: weakref.WeakValueDictionary[bytes, Handle] = field(
        default_factory=weakref.WeakValueDictionary
    )


_handles = runtime.state(StringHandles, lasting=True)


class Reading:
    """Where an iterator has got to: the value of its handle."""

    def __init__(self) -> None:
        self._elements: Iterator[Element] | None = None
        self._streams: dict[Any, Any] = {}  # of the functions that are called for the elements
        self._lock = threading.RLock()
        self.source: Source | None = None
        self.taken = 0
        self._started_with: list[tuple[int, int, int]] = []  # states of the source's seeds

    @property
    def state(self) -> list[int]:
        """What a checkpoint keeps.

        That is how many elements were taken, the seeds of their order, and which kinds of datasets
        they came through.
        """
        seeds = [number for state in self._started_with for number in state]
        return [self.taken, *seeds, *([] if self.source is None else [_kinds(self.source)])]

    def restore(self, state: list[int]) -> None:
        """Go on where `state` was read; the dataset is the program's, and must be the same."""
        source = self.source
        if source is None:
            raise FailedPreconditionError(
                None, None, "An iterator cannot be restored before it has been initialized."
            )
        taken, *numbers = state
        seeds = source.all_seeds()
        # Checkpoints of earlier versions have three numbers for each seed and no kinds after them.
        if len(numbers) % 3 == 1 and numbers.pop() != _kinds(source):
            raise NotFoundError(
                None,
                None,
                "Failed to restore the iterator: the checkpoint is of an iterator over another "
                "pipeline. Make sure the dataset definition has not changed between the process "
                "that saved the checkpoint and the process that is restoring it.",
            )
        if len(numbers) != 3 * len(seeds):
            raise InvalidArgumentError(
                None,
                None,
                f"The checkpoint is of an iterator over another dataset: it has {len(numbers) // 3}"
                f" steps of random order, this dataset has {len(seeds)}.",
            )
        for index, one in enumerate(seeds):
            one.restore((numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]))
        self.start(source, taken)

    def start(self, source: Source, skipped: int = 0) -> None:
        """Begin with the first element of a dataset, or a later one."""
        with self._lock:
            self.source, self.taken, self._streams = source, skipped, {}
            self._started_with = [seeds.state for seeds in source.all_seeds()]
            elements = source.iterate()
            self._elements = itertools.islice(elements, skipped, None) if skipped else elements

    def next(self) -> Element:
        """Return the next element; StopIteration at the end."""
        with self._lock:
            if self._elements is None:
                raise FailedPreconditionError(
                    None,
                    None,
                    "GetNext() failed because the iterator has not been initialized. Ensure that "
                    "you have run the initializer operation for this iterator before getting the "
                    "next element.",
                )
            outer = ITERATION.set(self._streams)
            try:
                element = next(self._elements)
            finally:
                ITERATION.reset(outer)
            self.taken += 1
            if element.__class__ is Failure:
                raise element.error
            return element

    def contents(self) -> list[Any]:
        """Return the flat contents of the next element; OutOfRangeError at the end."""
        try:
            element = self.next()
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None
        contents: list[Any] = self.source.structure.contents(element)  # type: ignore[union-attr]
        return contents

    def cancel_waiting(self) -> None:
        """Stop what runs ahead: nobody will read it."""
        self._elements = iter(())


def _kinds(source: Source) -> int:
    """Return a number for the kinds of datasets that a pipeline's elements are counted by."""

    def described(one: Source) -> str:
        inner = ",".join(described(each) for each in one.inputs)
        # These give one element for each of their input, in its order: they may come and go.
        return inner if one.is_transparent else f"{type(one).__name__}({inner})"

    return zlib.crc32(described(source).encode())


def new_handle(name: str = "") -> Handle:
    """Return a handle to an iterator that has not begun."""
    handle = Handle("Iterator", name, None)
    handle.value = Reading()
    return handle


def _op(signature: str, doc: str, host: tuple[str, ...] = ()) -> Bind:
    return define(
        signature,
        stateful=True,
        devices=("CPU",),
        differentiable=False,
        host=host,
        doc=doc,
        placement="cpu_first",
    )


iterator = _op(
    f"IteratorV2(; shared_name: string = '', container: string = '', {_TYPES}) -> handle: resource",
    "Make an iterator that has not begun.",
)
iterator.shape(lambda **_: ())


@iterator.kernel
def iterator_kernel(*, shared_name: str, **_: object) -> Handle:
    """Return the handle of a new iterator."""
    return new_handle(shared_name)


make_iterator = _op(
    "MakeIterator(dataset: variant, iterator: resource)", "Let an iterator begin with a dataset."
)


@make_iterator.kernel
def make_iterator_kernel(dataset: Variant, iterator: Handle) -> None:
    """Begin."""
    iterator.value.start(dataset.value)


anonymous_iterator = _op(
    f"AnonymousIteratorV3(; {_TYPES}) -> handle: resource",
    "Make an iterator that has not begun, for whoever holds it.",
)
anonymous_iterator.shape(lambda **_: ())


@anonymous_iterator.kernel
def anonymous_iterator_kernel(**_: object) -> Handle:
    """Return the handle of a new iterator."""
    return new_handle()


one_shot_iterator = _op(
    f"OneShotIterator(; dataset_factory: func, shared_name: string = '', container: string = '',"
    f" {_TYPES}) -> handle: resource",
    "Make an iterator that makes its dataset by itself, when first read.",
)
one_shot_iterator.shape(lambda **_: ())
one_shot_iterator.op.node_rule = one_shot_attributes
one_shot_iterator.op.node_functions = lambda op: {"dataset_factory": op.attrs["dataset_factory"]}


class OneShot(Reading):
    """An iterator that begins by itself."""

    def __init__(self, factory: Any) -> None:
        super().__init__()
        self._factory = factory

    def next(self) -> Element:
        """Return the next element; the first time, make the dataset."""
        with self._lock:
            if self.source is None:
                self.start(self._factory())
        return super().next()


@one_shot_iterator.kernel
def one_shot_iterator_kernel(
    *, dataset_factory: Callable[..., Any], shared_name: str, **_: object
) -> Handle:
    """Return the handle of a new iterator."""
    handle = Handle("Iterator", shared_name, None)
    handle.value = OneShot(dataset_factory)
    return handle


get_next = _op(
    f"IteratorGetNext(iterator: resource; {_TYPES}) -> components: [output_types]",
    "Take the next element of an iterator.",
)


def _shapes(
    iterator: Static, *, output_types: Sequence[Any], output_shapes: Sequence[Any]
) -> list[Any]:
    return [TensorShape(each)._dims for each in output_shapes]


get_next.shape(_shapes)


@get_next.kernel
def get_next_kernel(
    iterator: Handle, *, output_types: Sequence[Any], output_shapes: Sequence[Any]
) -> list[Any]:
    """Return the contents of the next element."""
    contents: list[Any] = iterator.value.contents()
    return contents


get_next_as_optional = _op(
    f"IteratorGetNextAsOptional(iterator: resource; {_TYPES}) -> optional: variant",
    "Take the next element of an iterator, if there is one.",
)
get_next_as_optional.shape(lambda *_, **__: ())


@get_next_as_optional.kernel
def get_next_as_optional_kernel(iterator: Handle, **_: object) -> Variant:
    """Return an optional of the next element."""
    try:
        return Variant(Present(iterator.value.contents()))
    except OutOfRangeError:
        return Variant(None)


to_string_handle = _op(
    "IteratorToStringHandle(resource_handle: resource) -> string_handle: string",
    "A string by which an iterator can be fed.",
)
to_string_handle.shape(lambda resource_handle: ())


@to_string_handle.kernel
def to_string_handle_kernel(resource_handle: Handle) -> np.ndarray[Any, Any]:
    """Return the iterator's string."""
    for text, handle in list(_handles.by_text.items()):
        if handle is resource_handle:
            return boxed(text)
    text = f"{resource_handle.name or 'Iterator'}:{next_number('string handle')}".encode()
    _handles.by_text[text] = resource_handle
    return boxed(text)


from_string_handle = _op(
    f"IteratorFromStringHandleV2(string_handle: string; {_TYPES}) -> resource_handle: resource",
    "The iterator a string stands for.",
    host=("string_handle",),
)
from_string_handle.shape(lambda *_, **__: ())


@from_string_handle.kernel
def from_string_handle_kernel(
    string_handle: Any, *, output_types: Any, output_shapes: Any
) -> Handle:
    """Return the iterator's handle; its elements must be what the program said."""
    text = string_handle[()]
    found = _handles.by_text.get(text)
    if found is None:
        raise invalid(
            "The given string_handle is not a valid resource handle: it was made by another "
            "program, or its session was closed."
        )
    source = found.value.source
    if output_types and source is not None:
        _check_elements(source.structure.parts, output_types, output_shapes)
    return found


def _check_elements(parts: Any, types: Any, shapes: Any) -> None:
    """Raise InvalidArgumentError unless the parts of elements have these dtypes and shapes."""
    if len(parts) != len(types):
        raise invalid(
            f"Number of components does not match: expected {len(types)} types but got "
            f"{len(parts)}."
        )
    for index, (part, dtype) in enumerate(zip(parts, types, strict=True)):
        if part.dtype is not dtype:
            raise invalid(
                f"Data type mismatch at component {index}: expected {dtype.name} but got "
                f"{part.dtype.name}."
            )
    for index, (part, shape) in enumerate(zip(parts, shapes, strict=False)):
        if not part.shape.is_compatible_with(shape):
            raise invalid(
                f"Incompatible shapes at component {index}: expected {TensorShape(shape)} but got "
                f"{part.shape}."
            )


def source_of(variant: Tensor) -> Source:
    """Return the dataset of an eager variant tensor."""
    found: Source = variant._value.value
    return found
