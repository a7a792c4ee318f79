"""The structure of a dataset's elements: how a flat element becomes what the user sees, and back.

Inside the engine an element is a tuple of leaves, one for each TypeSpec of the structure (see
`engine/components.py`); functions and ops take and give the flat contents of all parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.core.errors import hint
from placewise.core.nest import Composite
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.data import lazy
from placewise.data.engine import components
from placewise.ops.convert import convert_to_tensor
from placewise.ops.extension_type import ExtensionTypeSpec
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.ragged.value import RaggedTensorValue
from placewise.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from placewise.ops.sparse.spec import SparseTensorSpec
from placewise.ops.specs import NoneTensorSpec, TensorSpec, TypeSpec, type_spec_from_value
from placewise.ops.values import TORCH, wrap

if TYPE_CHECKING:
    from placewise.devices.device import Device


def kind_of(spec: TypeSpec) -> str:
    """Return how leaves of a spec are held: plain, ragged, sparse, extension or none."""
    if isinstance(spec, ExtensionTypeSpec):
        return "extension"
    if isinstance(spec, RaggedTensorSpec):
        return "ragged"
    if isinstance(spec, SparseTensorSpec):
        return "sparse"
    return "none" if isinstance(spec, NoneTensorSpec) else "plain"


class Structure:
    """A nested structure of TypeSpecs and all that follows from it."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.leaves: list[TypeSpec] = nest.flatten(spec)
        self.kinds = [kind_of(each) for each in self.leaves]
        self.is_plain = all(kind == "plain" for kind in self.kinds)
        self.is_implied = self.is_plain  # a node's dtypes and shapes say as much
        self.parts: list[Any] = [part for each in self.leaves for part in each._components()]
        self._counts = [len(each._components()) for each in self.leaves]

    @property
    def node_note(self) -> str:
        """What a node must say besides dtypes and shapes of the parts; see `structure_noted`."""
        if self.is_plain:
            return ""
        return " ".join(
            f"ragged:{leaf.ragged_rank}" if kind == "ragged" else kind  # type: ignore[attr-defined]
            for leaf, kind in zip(self.leaves, self.kinds, strict=True)
        )

    def __repr__(self) -> str:
        return f"Structure({self.spec!r})"

    def __str__(self) -> str:
        return "structure"

    # Elements of the engine, and the flat contents that ops and functions know.

    def contents(self, element: tuple[Any, ...]) -> list[Any]:
        """Return the flat contents of an element."""
        if self.is_plain:
            return list(element)
        flat: list[Any] = []
        for leaf in element:
            flat.extend(leaf) if type(leaf) is tuple else flat.append(leaf)
        return flat

    def element(self, contents: list[Any]) -> tuple[Any, ...]:
        """Return flat contents as an element."""
        if self.is_plain:
            return tuple(contents)
        made: list[Any] = []
        position = 0
        for kind, count in zip(self.kinds, self._counts, strict=True):
            part = contents[position : position + count]
            made.append(part[0] if kind == "plain" else tuple(part))
            position += count
        return tuple(made)

    # What the user sees.

    def packer(self, device: Device) -> Callable[[tuple[Any, ...]], Any]:
        """Return a function from an element to tensors of a CPU, arranged as the user has them."""
        if isinstance(self.spec, TypeSpec) and self.is_plain and _is_tensor(self.spec):
            return lambda element: wrap(element[0], device)
        if (
            type(self.spec) is tuple
            and self.is_plain
            and all(_is_tensor(each) for each in self.spec)
        ):
            return lambda element: tuple([wrap(leaf, device) for leaf in element])
        return lambda element: self._packed(element, device)

    def _packed(self, element: tuple[Any, ...], device: Device) -> Any:
        made = []
        for spec, kind, leaf in zip(self.leaves, self.kinds, element, strict=True):
            parts = [leaf] if kind == "plain" else leaf
            made.append(spec.from_tensors([wrap(part, device) for part in parts]))
        return nest.pack_sequence_as(self.spec, made)

    def packed_tensors(self, tensors: list[Any]) -> Any:
        """Return the tensors of all parts, symbolic or not, arranged as the user has them."""
        made = []
        position = 0
        for spec, count in zip(self.leaves, self._counts, strict=True):
            made.append(spec.from_tensors(tensors[position : position + count]))
            position += count
        return nest.pack_sequence_as(self.spec, made)

    def tensors(self, value: Any) -> list[Any]:
        """Return the tensors of all parts of a value of this structure."""
        flat: list[Any] = []
        for spec, each in zip(self.leaves, nest.flatten(value), strict=True):
            if not isinstance(spec, NoneTensorSpec):
                flat.extend(spec.to_tensors(each))
        return flat

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes that describe this structure in ops."""
        return {
            "structure": self,
            "output_types": tuple(part.dtype for part in self.parts),
            "output_shapes": tuple(part.shape for part in self.parts),
        }

    # Batches.

    def stack(self, elements: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """Return elements as one, with a further first dimension."""
        columns = zip(*elements, strict=True)
        return tuple(
            [
                self._stacked(spec, kind, list(column), index)
                for index, (spec, kind, column) in enumerate(
                    zip(self.leaves, self.kinds, columns, strict=True)
                )
            ]
        )

    def _stacked(self, spec: Any, kind: str, column: list[Any], index: int) -> Any:
        if kind == "plain":
            return components.stack_contents(column, index)
        if kind == "ragged":
            return components.stack_ragged(column, TORCH[spec.row_splits_dtype])
        return components.stack_sparse(column) if kind == "sparse" else ()

    def rows(self, element: tuple[Any, ...]) -> int:
        """Return how many rows the leaves of a batch have."""
        counts = {
            count
            for leaf, kind in zip(element, self.kinds, strict=True)
            if (count := components.rows_of(leaf, kind)) >= 0
        }
        return max(counts, default=0)

    def row(self, element: tuple[Any, ...], index: int) -> tuple[Any, ...]:
        """Return one row of a batch."""
        return tuple(
            components.row_of(leaf, kind, index)
            for leaf, kind in zip(element, self.kinds, strict=True)
        )


def _is_tensor(spec: Any) -> bool:
    return isinstance(spec, TensorSpec)


# Specs of batches and of what they consist of.


def batched(spec: Any, size: int | None) -> Any:
    """Return a structure of specs with a further first dimension."""
    return nest.map_structure(lambda each: _batched_leaf(each, size), spec)


def _batched_leaf(spec: TypeSpec, size: int | None) -> Any:
    if isinstance(spec, TensorSpec):
        return TensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        shape = TensorShape([size]).concatenate(spec.shape)
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    if isinstance(spec, NoneTensorSpec):
        return spec
    made = getattr(spec, "_batch", None)
    if made is None:
        raise TypeError(f"Batching of {type(spec).__name__} is not supported.")
    return made(size)


def unbatched(spec: Any) -> Any:
    """Return a structure of specs without the first dimension."""
    return nest.map_structure(_unbatched_leaf, spec)


def _unbatched_leaf(spec: TypeSpec) -> Any:
    if isinstance(spec, TensorSpec):
        if spec.shape.rank == 0:
            raise ValueError(
                hint(
                    "Unbatching a tensor is only supported for rank >= 1",
                    "from_tensors takes one element as it is; from_tensor_slices cuts along the "
                    "first dimension",
                )
            )
        return TensorSpec(spec.shape[1:], spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(
            spec.shape[1:], spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype
        )
    if isinstance(spec, SparseTensorSpec):
        if spec.shape.rank is not None and spec.shape.rank < 2:
            raise ValueError("Unbatching a sparse tensor is only supported for rank >= 1")
        return SparseTensorSpec(spec.shape[1:], spec.dtype)
    if isinstance(spec, NoneTensorSpec):
        return spec
    made = getattr(spec, "_unbatch", None)
    if made is None:
        raise TypeError(f"Unbatching of {type(spec).__name__} is not supported.")
    return made()


# Values the user gives.


def normalised(value: Any, name: str = "component") -> Any:
    """Return a structure with tensors as leaves: tuples and dicts are walked, lists converted."""
    if value is None or isinstance(value, (Tensor, Composite, TensorArray)):
        return value
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if isinstance(value, RaggedTensorValue):
        return _ragged_from_value(value)
    if isinstance(value, list) and value and all(isinstance(v, lazy.DatasetV2) for v in value):
        return lazy.datasets_as_one(value)
    if _is_walked(value):
        parts = [normalised(part) for _, part in nest.children(value) or []]
        return nest.rebuild(value, parts)
    if isinstance(value, TypeSpec) or (isinstance(value, type) or callable(value)):
        raise TypeError(
            f"Could not build a `TypeSpec` for {value!r} with type {type(value).__name__}."
        )
    return convert_to_tensor(value)


def _is_walked(value: Any) -> bool:
    return (
        isinstance(value, (tuple, Mapping))
        or hasattr(type(value), "__attrs_attrs__")
        or nest.is_custom(value)
    )


def _ragged_from_value(value: Any) -> Any:
    if not isinstance(value, RaggedTensorValue):
        return convert_to_tensor(value)
    inner = _ragged_from_value(value.values)
    return RaggedTensor.from_row_splits(inner, value.row_splits)


def spec_of(value: Any) -> Any:
    """Return the structure of specs of a structure of tensors."""
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, list) or _is_walked(value):
        return nest.rebuild(value, [spec_of(part) for _, part in nest.children(value) or []])
    return type_spec_from_value(value)


def most_general(first: Any, second: Any) -> Any:
    """Return the narrowest structure of specs that holds both; TypeError if there is none."""
    try:
        nest.assert_same_structure(first, second)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"Incompatible dataset elements:\n  {first} vs. \n  {second}") from problem

    def joined(a: TensorSpec, b: TensorSpec) -> Any:
        if a is b is None:  # the structure of an optional that never has a value
            return None
        found = a.most_specific_common_supertype([b])
        if found is None:
            raise TypeError(f"Incompatible dataset elements:\n  {first} vs.   {second}")
        return found

    return nest.map_structure(joined, first, second)


def is_compatible(wanted: TensorSpec, given: TensorSpec) -> bool:
    """Return True if elements of one structure may stand for those of another."""
    try:
        nest.assert_same_structure(wanted, given)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(wanted), nest.flatten(given), strict=True)
    return all(a is b or (a is not None and a.is_compatible_with(b)) for a, b in pairs)


def structure_of(types: list[Any], shapes: list[Any]) -> Structure:
    """Return the structure of elements that are known by their dtypes and shapes only."""
    specs = tuple(TensorSpec(shape, dtype) for dtype, shape in zip(types, shapes, strict=True))
    return Structure(specs[0] if len(specs) == 1 else specs)


def structure_noted(note: str, types: list[Any], shapes: list[Any]) -> Structure:
    """Return the structure of which a node has the parts' dtypes and shapes, and the note."""
    parts = iter(zip(types, shapes, strict=True))
    specs: list[Any] = []
    for kind in note.split():
        if kind == "plain":
            dtype, shape = next(parts)
            specs.append(TensorSpec(shape, dtype))
        elif kind == "none":
            specs.append(NoneTensorSpec())
        elif kind == "sparse":
            _, (dtype, _), (_, sizes) = next(parts), next(parts), next(parts)
            rank = sizes[0] if sizes.rank else None
            specs.append(SparseTensorSpec(None if rank is None else [None] * rank, dtype))
        elif kind.startswith("ragged:"):
            rank = int(kind.partition(":")[2])
            dtype, shape = next(parts)
            splits = [next(parts)[0] for _ in range(rank)]
            whole = TensorShape(None)
            if shape.rank is not None:
                whole = TensorShape([None] * (rank + 1)).concatenate(shape[1:])
            specs.append(RaggedTensorSpec(whole, dtype, rank, *splits[:1]))
        else:
            raise ValueError(
                "Elements of a dataset that are of an extension type cannot be read from a "
                "GraphDef: it has only their parts."
            )
    return Structure(specs[0] if len(specs) == 1 else tuple(specs))
