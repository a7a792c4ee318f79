"""Iterators of TensorFlow 2: `iter(dataset)`, which may also be handed to a `tf.function`."""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from absl import logging

from placewise.core import dtypes, nest
from placewise.core.advice import advised
from placewise.core.errors import FailedPreconditionError, OpError, OutOfRangeError, hint
from placewise.core.nest import Composite
from placewise.core.scope import Scope, current
from placewise.core.trackable import Trackable
from placewise.data import iterator_ops
from placewise.data.engine.prefetch import WARM_START
from placewise.data.engine.source import on_host
from placewise.data.nested_spec import NestedSpec
from placewise.data.optional import Optional
from placewise.data.options import ExternalStatePolicy
from placewise.data.structure import Structure
from placewise.devices.inventory import inventory
from placewise.devices.names import merge_eager
from placewise.eager.dispatch import copied
from placewise.memory.exhausted import described_as
from placewise.ops.convert import convert_to_tensor
from placewise.ops.sparse.sparse_tensor import SparseTensorValue
from placewise.ops.specs import TensorSpec, TypeSpec
from placewise.ops.values import EagerTensor, read_only_array, wrap
from placewise.placement.eager_rules import unknown_device

# So often `next` may be called on one iterator while functions are traced.
_MOST_WRITTEN = 2000


def _warm_start(dataset: Any) -> bool | None:
    """Return the option of this name; to merge all options would take as long as the rest."""
    options = dataset._options_set
    found: bool | None = None if options is None else options.experimental_warm_start
    for source in dataset._sources if found is None else ():
        inherited = _warm_start(source)
        found = found if inherited is None else inherited
    return found


class IteratorBase(Composite, collections.abc.Iterator):  # type: ignore[type-arg]
    """Gives the elements of a dataset, one after the other: `tf.data.Iterator`."""

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        raise NotImplementedError("Iterator.element_spec")

    def get_next(self) -> Any:
        """Return the next element; OutOfRangeError at the end."""
        raise NotImplementedError("Iterator.get_next()")

    def get_next_as_optional(self) -> Any:
        """Return the next element as an optional, which is empty at the end."""
        raise NotImplementedError("Iterator.get_next_as_optional()")


_STATE = "ITERATOR_STATE"
_END = advised("End of sequence [Op:IteratorGetNext] name: ")


class OwnedIterator(Trackable, IteratorBase):
    """An iterator that belongs to whoever holds it."""

    def __init__(self, dataset: Any = None, components: Any = None, element_spec: Any = None):
        if dataset is None:
            if components is None or element_spec is None:
                raise ValueError(
                    "When `dataset` is not provided, both `components` and `element_spec` must be "
                    "specified."
                )
            (self._iterator_resource,) = components
            self._structure = Structure(element_spec)
            self._target = self._dataset = None
            return
        if components is not None or element_spec is not None:
            raise ValueError(
                "When `dataset` is provided, `element_spec` and `components` must not be specified."
            )
        self._dataset = dataset
        self._structure = dataset._structure
        self._target = getattr(dataset, "_target_device", None)
        if isinstance(dataset._variant_tensor, EagerTensor) and current.interpreter is Scope.eager:
            handle = iterator_ops.new_handle()
            handle.device = dataset._variant_tensor._device
            source = iterator_ops.source_of(dataset._variant_tensor)
            outer = WARM_START.set(bool(_warm_start(dataset)))
            try:
                handle.value.start(source)
            finally:
                WARM_START.reset(outer)
            self._iterator_resource = wrap(handle, handle.device)
        else:
            with on_host():
                self._iterator_resource = iterator_ops.anonymous_iterator(**self._types)
                iterator_ops.make_iterator(dataset._variant_tensor, self._iterator_resource)

    @property
    def _types(self) -> dict[str, Any]:
        attrs = self._structure.attrs
        del attrs["structure"]
        return attrs

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        if current.interpreter is not Scope.eager:
            return self._traced_next()
        try:
            return self._packed(self._iterator_resource._value.value.next())
        except OutOfRangeError:
            raise StopIteration from None
        except OpError as problem:
            raise _told(problem) from problem.__cause__

    def _traced_next(self) -> Any:
        """Return the next element as it is written into a graph, which never sees the end."""
        self._written = getattr(self, "_written", 0) + 1
        if self._written > _MOST_WRITTEN:
            raise ValueError(
                "Python goes over a dataset while a function is traced, where it has no end. Write "
                "`for element in dataset` directly in a tf.function with autograph, or use "
                "`dataset.reduce`."
            )
        return self.get_next()

    @functools.cached_property
    def _pack(self) -> Callable[[tuple[Any, ...]], Any]:
        return self._structure.packer(self._iterator_resource._device)

    def _packed(self, element: tuple[Any, ...]) -> Any:
        made = self._pack(element)
        return made if self._target is None else self._moved(made)

    def _moved(self, value: Any) -> Any:
        """Return an element on the device that was asked for."""
        device = inventory().find(merge_eager("", self._target))
        if device is None:
            raise unknown_device(str(self._target), inventory())
        return nest.map_structure(
            lambda part: copied(part, device) if isinstance(part, EagerTensor) else part,
            value,
            expand_composites=True,
        )

    def next(self) -> Any:
        """Return the next element; StopIteration at the end."""
        return self.__next__()

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element; OutOfRangeError at the end."""
        structure = self._structure
        if current.interpreter is Scope.eager:
            try:
                return self._packed(self._iterator_resource._value.value.next())
            except StopIteration:
                raise OutOfRangeError(None, None, _END) from None
            except OpError as problem:
                raise _told(problem) from problem.__cause__
        with on_host():
            tensors = iterator_ops.get_next(self._iterator_resource, **self._types, name=name)
        return structure.packed_tensors(list(tensors))

    def get_next_as_optional(self, name: str | None = None) -> Optional:
        """Return the next element as an optional, which is empty at the end."""
        with on_host():
            made = iterator_ops.get_next_as_optional(
                self._iterator_resource, **self._types, name=name
            )
        return Optional(made, self._structure.spec)

    def _staged_rows(self) -> tuple[Any, Any, Any, Any]:
        """Return how a `for` of a tf.function goes over this: first, next, is there one, which."""
        return (
            self.get_next_as_optional(),
            lambda _: self.get_next_as_optional(),
            lambda optional: optional.has_value(),
            lambda optional: optional.get_value(),
        )

    @property
    def element_spec(self) -> Any:
        """The structure of the elements."""
        return self._structure.spec

    @property
    def output_classes(self) -> Any:
        """The classes of the elements' parts."""
        return nest.map_structure(lambda spec: spec.value_type, self._structure.spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements' parts."""
        return nest.map_structure(lambda spec: getattr(spec, "shape", None), self._structure.spec)

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements' parts."""
        return nest.map_structure(lambda spec: getattr(spec, "dtype", None), self._structure.spec)

    @property
    def _element_spec(self) -> Any:
        return self._structure.spec

    @functools.cached_property
    def _type_spec(self) -> Any:
        return IteratorSpec(self._structure.spec)

    def _components(self) -> list[Any]:
        return [self._iterator_resource]

    def _from_components(self, parts: list[Any]) -> Any:
        return OwnedIterator(components=parts, element_spec=self._structure.spec)

    # Checkpoints: how many elements were taken; the dataset is the program's.

    def _serialize_to_tensors(self) -> dict[str, Any]:
        reading = self._iterator_resource._value.value
        if self._state_policy() is not ExternalStatePolicy.IGNORE and reading.source is not None:
            self._check_state(reading.source.external_state())
        state = reading.state
        return {_STATE: convert_to_tensor(np.array(state, np.int64))}

    def _state_policy(self) -> ExternalStatePolicy:
        asked = None
        if self._dataset is not None:
            asked = self._dataset.options().experimental_external_state_policy
        return ExternalStatePolicy.FAIL if asked is None else asked

    def _check_state(self, op: str | None) -> None:
        """Refuse, or warn of, what the program's functions keep and a checkpoint does not."""
        if op is None:
            return
        if self._state_policy() is ExternalStatePolicy.FAIL:
            raise FailedPreconditionError(
                None,
                None,
                hint(
                    f"{op} is stateful.",
                    "a checkpoint of an iterator keeps no such state; set experimental_external_"
                    "state_policy of tf.data.Options to WARN or IGNORE to save without it",
                ),
            )
        logging.warning("%s is stateful: the checkpoint of the iterator does not keep that.", op)

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self._iterator_resource._value.value.restore(restored_tensors[_STATE].numpy().tolist())


def _told(problem: OpError) -> OpError:
    """Return an error of a pipeline as the op that reads from it tells it."""
    if "[Op:" not in problem.message and "[[node" not in problem.message:
        problem._message = advised(described_as(problem.message, "IteratorGetNext"))
    return problem


class IteratorSpec(NestedSpec):
    """The structure of the elements of an iterator."""

    @property
    def value_type(self) -> Any:
        """tf.data.Iterator."""
        return OwnedIterator

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec((), dtypes.resource)]

    def _from_components(self, parts: list[Any]) -> Any:
        if any(isinstance(part, TypeSpec) for part in parts):
            return self
        return OwnedIterator(components=parts, element_spec=self._element_spec)

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"


class NumpyIterator(Trackable, collections.abc.Iterator):  # type: ignore[type-arg]
    """The elements of a dataset as NumPy arrays."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        state: dict[str, Any] = self._iterator._serialize_to_tensors()
        return state

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self._iterator._restore_from_tensors(restored_tensors)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return nest.map_structure(_as_numpy, next(self._iterator))


def _as_numpy(value: Any) -> Any:
    if value is None:
        return None
    if type(value).__name__ == "SparseTensor":
        return SparseTensorValue(*[part.numpy() for part in value._components()])
    if isinstance(value, EagerTensor) and value._rank() and not value._device.simulated:
        return read_only_array(value._value)
    array = value.numpy()
    if isinstance(array, np.ndarray) and isinstance(value, EagerTensor):
        array.setflags(write=False)
    return array


OwnedIterator.__module__ = IteratorBase.__module__ = IteratorSpec.__module__ = (
    "tensorflow.python.data.ops.iterator_ops"
)
NumpyIterator.__module__ = "tensorflow.python.data.ops.dataset_ops"
