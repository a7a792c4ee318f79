"""`tf.RaggedTensor`: rows of different lengths, kept as all values in a row and where to cut them.

The outermost ragged dimension is a `RowPartition`; `values` is a tensor, or again ragged.
Conversions are in `conversion.py`, indexing in `getitem.py`, what ops give in `dispatch.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.arguments import AxisLike, DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.gc_pause import seldom_searched
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.math.cast import cast
from placewise.ops.ragged.factories import Factories
from placewise.ops.ragged.factories import as_values as as_values
from placewise.ops.ragged.factories import rows_of as rows_of
from placewise.ops.ragged.operators import METHODS
from placewise.ops.ragged.row_partition import RowPartition
from placewise.ops.ragged.value import value_of
from placewise.ops.values import EagerTensor

if TYPE_CHECKING:
    from placewise.ops.declare import Op


class RaggedTensor(Factories):
    """A tensor with one or more dimensions whose slices may have different lengths."""

    __slots__ = ("__dict__", "__weakref__", "_partition", "_values")

    # NumPy leaves arithmetic with a ragged tensor on the right to the ragged tensor.
    __array_priority__ = 100

    def __init__(self, values: Any, row_partition: Any = None, *, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        values.shape.with_rank_at_least(1)
        self._values = values
        self._partition: RowPartition = row_partition

    # Parts.

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for dimensions that are ragged or unknown."""
        partition = self._partition
        inner = self._values.shape
        row = partition.static_uniform_row_length
        if inner.rank is None:
            return TensorShape(None)
        return TensorShape([partition.static_nrows, row, *inner.as_list()[1:]])

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self.shape

    def _known_rank(self) -> int:
        rank = self.shape.rank
        if rank is None:
            raise ValueError(f"The rank of the ragged tensor must be known: {self!r}")
        return rank

    def _set_shape(self, shape: Any) -> None:
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Shapes {self.shape} and {TensorShape(shape)} are incompatible")

    @property
    def _shape_tuple(self) -> Any:
        shape = self.shape
        return None if shape.rank is None else tuple(shape.as_list())

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return self.shape.rank

    @property
    def ragged_rank(self) -> int:
        """How many partitions there are between the outermost dimension and the flat values."""
        values = self._values
        return 1 + values.ragged_rank if isinstance(values, RaggedTensor) else 1

    @property
    def values(self) -> Any:
        """All rows in one: the dimensions 0 and 1 as one."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values, as a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin in `values`, and where the last one ends."""
        return self._partition.row_splits()

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows as a tensor, if the tensor was made with one; else None."""
        return self._partition.uniform_row_length()

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        found = [self._partition]
        values = self._values
        while isinstance(values, RaggedTensor):
            found.append(values._partition)
            values = values._values
        return tuple(found)

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, outermost first."""
        return tuple(each.row_splits() for each in self._nested_row_partitions)

    def value_rowids(self, name: str | None = None) -> Any:
        """Return the row of each value."""
        return self._partition.value_rowids()

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Return the row ids of all ragged dimensions, outermost first."""
        return tuple(each.value_rowids() for each in self._nested_row_partitions)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """Return the number of rows."""
        return _as_type(self._partition.nrows(), out_type)

    def row_starts(self, name: str | None = None) -> Any:
        """Return where each row begins."""
        return self._partition.row_starts()

    def row_limits(self, name: str | None = None) -> Any:
        """Return where each row ends."""
        return self._partition.row_limits()

    def row_lengths(self, axis: Any = 1, name: str | None = None) -> Any:
        """Return the lengths of the slices along `axis`; ragged itself for inner ones."""
        if axis == 0:
            return self._partition.nrows()
        if axis == 1:
            return self._partition.row_lengths()
        axis = int(axis)
        if axis < 0 and self.shape.rank is not None:
            return self.row_lengths(_front(axis, self.shape.rank))

        return lazy.inner_row_lengths(self, axis)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Return the row lengths of all ragged dimensions, outermost first."""
        return tuple(each.row_lengths() for each in self._nested_row_partitions)

    def bounding_shape(
        self,
        axis: AxisLike | None = None,
        name: str | None = None,
        out_type: DTypeLike | None = None,
    ) -> Any:
        """Return the smallest dense shape that holds all, or some of its dimensions."""
        return lazy.ragged_bounding_shape(self, axis, out_type)

    # The same rows with other values, and other rows with the same values.

    def with_values(self, new_values: Any) -> Any:
        """Return a ragged tensor with the same rows and other values."""
        new_values = as_values(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and new_values._partition.dtype is not (
            self._partition.dtype
        ):
            raise ValueError(
                "self and new_values have mismatched row_splits dtypes; use "
                "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
            )
        return RaggedTensor(new_values, self._partition, internal=True)

    def with_flat_values(self, new_values: TensorLike) -> Any:
        """Return a ragged tensor with the same partitions and other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        new_values = as_values(new_values)
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> Any:
        """Return the same with row splits of int32 or int64."""
        dtype = as_dtype(dtype)
        if dtype not in INDEX:
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        if self._partition.dtype is dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor(values, self._partition.with_dtype(dtype), internal=True)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Return the same values with the dimensions from `outer_axis` to `inner_axis` as one."""
        rank = self.shape.rank
        outer = _front(outer_axis, rank, "outer_axis")
        inner = _front(inner_axis, rank, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to "
                f"inner_axis ({inner_axis})."
            )
        return lazy.ragged_merge_dims(self, outer, inner)

    # Conversion.

    def to_tensor(
        self,
        default_value: TensorLike | None = None,
        name: str | None = None,
        shape: ShapeLike | None = None,
    ) -> Any:
        """Return a tensor, with `default_value` (or zero) where rows are too short."""
        return lazy.ragged_to_tensor(self, default_value, shape, name)

    def to_sparse(self, name: str | None = None) -> Any:
        """Return a sparse tensor with the same values at the same places."""
        return lazy.ragged_to_sparse(self, name)

    def _is_eager(self) -> bool:
        return isinstance(self.flat_values, EagerTensor) and all(
            isinstance(each, EagerTensor) for each in self.nested_row_splits
        )

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return an array: of the values' type when all rows are alike, of arrays when not."""
        if not self._is_eager():
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        values = self._values.numpy()
        splits = self.row_splits.numpy()
        rows = [values[low:high] for low, high in itertools.pairwise(splits)]
        if not rows:
            return np.zeros((0, 0, *values.shape[1:]), dtype=values.dtype)
        if any(len(row) != len(rows[0]) for row in rows):
            made = np.empty(len(rows), dtype=object)
            for index, row in enumerate(rows):
                made[index] = row
            return made
        return np.array(rows)

    def to_list(self) -> list[Any]:
        """Return nested Python lists."""
        if not isinstance(self.row_splits, EagerTensor):
            raise ValueError("to_list can only be used in eager mode.")
        values = self._values
        items = values.to_list() if isinstance(values, RaggedTensor) else values.numpy().tolist()
        splits = self.row_splits.numpy().tolist()
        with seldom_searched():
            return [items[low:high] for low, high in itertools.pairwise(splits)]

    def __repr__(self) -> str:
        if self._is_eager():
            with np.printoptions(formatter={"all": _formatted}):
                return f"<tf.RaggedTensor {_formatted(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"

    __str__ = __repr__

    def __getitem__(self, key: Any) -> Any:
        return lazy.ragged_getitem(self, key)

    def __iter__(self) -> Iterator[Any]:
        count = self._partition.static_nrows
        if count is None or not self._is_eager():
            raise TypeError("Cannot iterate over a ragged tensor with unknown first dimension.")
        return (self[index] for index in range(count))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        tensor = self.flat_values
        if isinstance(tensor, EagerTensor):
            raise TypeError("RaggedTensor is unhashable.")
        hash(tensor)  # where tensors of a graph are compared by value it raises
        return id(self)

    def consumers(self) -> Any:
        """Return the operations that use this one: none in eager programs."""
        return []

    @property
    def _type_spec(self) -> Any:
        return lazy.RaggedTensorSpec.from_value(self)

    # What nests, tapes and ops ask of a value made of several tensors.

    def _components(self) -> list[Any]:
        values = self._values
        inner = values._components() if isinstance(values, RaggedTensor) else [values]
        return [inner[0], self.row_splits, *inner[1:]]

    def _from_components(self, parts: list[Any]) -> Any:
        flat, *splits = parts
        partitions = self._nested_row_partitions
        result = flat
        for splitting, like in reversed(list(zip(splits, partitions, strict=True))):
            partition = (
                like
                if splitting is like.row_splits()
                else RowPartition(splitting, uniform_row_length=like.uniform_row_length())
            )
            result = RaggedTensor(result, partition, internal=True)
        return result

    def _value_from_arrays(self, arrays: list[Any]) -> Any:
        return value_of(arrays)

    def _run_op(self, op: Op, inputs: TensorLike, attrs: dict[str, Any], name: str | None) -> Any:
        return lazy.ragged_run(op, inputs, attrs, name)

    def _no_tensor(self) -> Exception:
        return ValueError("TypeError: object of type 'RaggedTensor' has no len()\n")


RaggedTensor.__module__ = "tensorflow.python.ops.ragged.ragged_tensor"
for _name, _method in METHODS.items():
    setattr(RaggedTensor, _name, _method)


def match_row_splits_dtypes(*tensors: Any) -> list[Any]:
    """Return the tensors, all ragged ones with row splits of one dtype."""
    found = {each._partition.dtype for each in tensors if isinstance(each, RaggedTensor)}
    if len(found) < 2:
        return list(tensors)
    raise ValueError(
        "Input RaggedTensors have mismatched row_splits dtypes; use "
        "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
    )


def _front(axis: int, rank: int | None, name: str = "axis") -> int:
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    if rank is None:
        if axis < 0:
            raise ValueError(f"{name}={axis} may only be negative if ndims is statically known.")
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis % rank


def _as_type(value: Tensor, out_type: DType | None) -> Any:
    if out_type is None or value.dtype is as_dtype(out_type):
        return value

    return cast(value, out_type)


def _formatted(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ") if value.size else repr(value.tolist())
    return str(value)
