"""What ends a pipeline: reductions, single elements, and how many there are."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.errors import FailedPreconditionError, OutOfRangeError, invalid
from placewise.core.shapes import TensorShape
from placewise.data.engine import maps
from placewise.data.engine.fingerprint import fingerprint as fingerprint_of
from placewise.data.engine.source import BY_INDEX, INFINITE, on_host
from placewise.data.engine.storage import Cache
from placewise.data.node_attributes import dataset_functions, reduce_attributes
from placewise.data.structure import Structure
from placewise.ops.declare import define
from placewise.ops.random.streams import new_iteration
from placewise.ops.values import Variant

if TYPE_CHECKING:
    from placewise.data.dataset import DatasetV2
    from placewise.functions.dataset_function import StructuredFunction


# A node of a GraphDef has no structure: its results are plain tensors.
_TYPES = "structure: func = None, output_types: list(type), output_shapes: list(shape)"


def _shapes(*_: object, output_shapes: tuple[Any, ...], **__: object) -> list[Any]:
    return [TensorShape(each)._dims for each in output_shapes]


_reduce = define(
    "ReduceDataset(input_dataset: variant, initial_state: [Tstate], other_arguments: [Targuments];"
    f" function: func, {_TYPES}) -> components: [output_types]",
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    doc="Call a function of state and element for all elements.",
    placement="ignores_handles",
)
_reduce.shape(_shapes)
_reduce.op.node_rule = reduce_attributes
_reduce.op.node_functions = dataset_functions


@_reduce.kernel
def reduce_kernel(
    input_dataset: Variant,
    initial_state: list[Any],
    other_arguments: list[Any],
    *,
    function: StructuredFunction,
    **_: object,
) -> list[Any]:
    """Return the contents of the last state."""
    with new_iteration():
        return maps.reduced(input_dataset.value, initial_state, function.run, other_arguments)


def reduced(dataset: Any, function: Any, structure: Structure, state: Any, name: str | None) -> Any:
    """Return the last state, as tensors."""
    with on_host():
        tensors = _reduce(
            dataset._variant_tensor,
            structure.tensors(state),
            list(function.captured),
            function=function,
            **structure.attrs,
            name=name,
        )
    return structure.packed_tensors(list(tensors))


_single = define(
    f"DatasetToSingleElement(dataset: variant; {_TYPES}) -> components: [output_types]",
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    doc="The one element of a dataset.",
)
_single.shape(_shapes)


@_single.kernel
def single_kernel(dataset: Variant, **_: object) -> list[Any]:
    """Return the contents of the only element."""
    with new_iteration():
        first = list(islice(dataset.value.read(), 2))
    if not first:
        raise invalid("Dataset was empty.")
    if len(first) > 1:
        raise invalid("Dataset had more than one element.")
    contents: list[Any] = dataset.value.structure.contents(first[0])
    return contents


def single_element(dataset: DatasetV2, name: str | None) -> Any:
    """Return the one element of a dataset."""
    structure = dataset._structure
    with on_host():
        tensors = _single(dataset._variant_tensor, **structure.attrs, name=name)
    return structure.packed_tensors(list(tensors))


_at_index = define(
    f"GetElementAtIndex(dataset: variant, index: int64; {_TYPES}) -> components: [output_types]",
    devices=("CPU",),
    host=("index",),
    stateful=True,
    differentiable=False,
    doc="The element at a place of a dataset, counted from 0.",
)
_at_index.shape(_shapes)


@_at_index.kernel
def at_index_kernel(dataset: Variant, index: Any, **_: object) -> list[Any]:
    """Return the contents of one element."""
    source, number = dataset.value, int(index)
    count = source.count()
    if count == INFINITE and not isinstance(source, Cache):
        raise FailedPreconditionError(
            None,
            None,
            "The dataset has infinite cardinality, which does not support random access.",
        )
    missing = number < 0 or 0 <= count <= number
    outer = BY_INDEX.set(True)
    try:
        with new_iteration():
            element = None if missing else next(islice(source.read(), number, None), None)
    finally:
        BY_INDEX.reset(outer)
    if element is None:
        end = count if count >= 0 else "number of elements"
        raise OutOfRangeError(None, None, f"Index out of range [0, {end}):{number}")
    contents: list[Any] = source.structure.contents(element)
    return contents


def element_at(dataset: DatasetV2, index: Any, name: str | None) -> Any:
    """Return the element of a dataset at a place."""
    structure = dataset._structure
    with on_host():
        tensors = _at_index(dataset._variant_tensor, index, **structure.attrs, name=name)
    return structure.packed_tensors(list(tensors))


_cardinality = define(
    "DatasetCardinality(input_dataset: variant) -> cardinality: int64",
    devices=("CPU",),
    differentiable=False,
    doc="How many elements a dataset has.",
)
_cardinality.shape(lambda input_dataset: ())
_cardinality.kernel(
    lambda input_dataset: torch.tensor(input_dataset.value.count(), dtype=torch.int64)
)


def cardinality(dataset: DatasetV2) -> Any:
    """Return how many elements there are; -1 for ever, -2 unknown."""
    with on_host():
        return _cardinality(dataset._variant_tensor)


_fingerprint = define(
    "DatasetFingerprint(input_dataset: variant) -> fingerprint: uint64",
    devices=("CPU",),
    differentiable=False,
    doc="A number for how a dataset is made.",
)
_fingerprint.shape(lambda input_dataset: ())
_fingerprint.kernel(
    lambda input_dataset: torch.tensor(fingerprint_of(input_dataset.value), dtype=torch.uint64)
)


def fingerprint(dataset: DatasetV2) -> Any:
    """Return a number that is the same for datasets made in the same way."""
    with on_host():
        return _fingerprint(dataset._variant_tensor)
