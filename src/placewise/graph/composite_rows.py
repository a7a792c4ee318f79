"""Rows of ragged and sparse tensors in the loops of graphs: read one by one, and put together."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.nest import Composite
from placewise.graph.tensor_array import GraphTensorArray
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_max
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.spec import RaggedTensorSpec
from placewise.ops.sparse.arrangement import reshape as sparse_reshape
from placewise.ops.sparse.arrangement import slice as sparse_slice
from placewise.ops.sparse.sparse_tensor import SparseTensor, is_sparse
from placewise.ops.sparse.spec import SparseTensorSpec


class RowReader:
    """The rows of a ragged or sparse tensor, read at an index that is a tensor."""

    def __init__(self, value: Composite) -> None:
        self.value: Any = value

    @property
    def shape(self) -> Any:
        """The shape, as far as it is known."""
        return self.value.shape

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self.value.dtype

    def count(self) -> Any:
        """Return the number of rows as an int32 scalar."""
        if isinstance(self.value, RaggedTensor):
            return cast(self.value.nrows(), "int32")
        return cast(self.value.dense_shape[0], "int32")

    def read(self, index: Any) -> Any:
        """Return one row."""
        if not is_sparse(self.value):
            return self.value[index]
        dims = self.value.dense_shape
        rest = dims[1:]
        start = concat([[cast(index, "int64")], rest * 0], 0)
        size = concat([convert_to_tensor([1], "int64"), rest], 0)
        return sparse_reshape(sparse_slice(self.value, start, size), rest)


class RaggedResults:
    """Arrays that take the flat values and row lengths of rows which make a ragged tensor."""

    def __init__(self, spec: RaggedTensorSpec, count: Any) -> None:
        self.spec = spec
        kind = spec.row_splits_dtype
        inner = [None, *(spec.shape.as_list()[spec.ragged_rank + 1 :] if spec.shape.rank else [])]
        flat_shape = inner if spec.shape.rank else None
        self.arrays = [
            GraphTensorArray(spec.dtype, count, infer_shape=False, element_shape=flat_shape),
            GraphTensorArray(kind, count, infer_shape=False, element_shape=[]),
        ]
        self.arrays += [
            GraphTensorArray(kind, count, infer_shape=False, element_shape=[None])
            for _ in range(spec.ragged_rank)
        ]

    def parts(self, row: Any, index: Any) -> list[Any]:
        """Return what a row puts into the arrays."""
        kind = self.spec.row_splits_dtype
        if not isinstance(row, RaggedTensor):
            if self.spec.ragged_rank > 0:
                row = RaggedTensor.from_tensor(
                    row, ragged_rank=self.spec.ragged_rank, row_splits_dtype=kind
                )
            else:
                row = convert_to_tensor(row)
                return [row, shape(row, kind)[0]]
        lengths = [cast(length, kind) for length in row.nested_row_lengths()]
        return [row.flat_values, cast(row.nrows(), kind), *lengths]

    def stacked(self, arrays: list[Any]) -> Any:
        """Return the ragged tensor of all rows."""
        flat, counts, *lengths = arrays
        nested = [counts.stack(), *(length.concat() for length in lengths)]
        return RaggedTensor.from_nested_row_lengths(flat.concat(), nested, validate=False)


class SparseResults:
    """Arrays that take the parts of sparse rows, which make a sparse tensor of one rank more."""

    def __init__(self, dtype: Any, rank: int | None, count: Any) -> None:
        self.count = count
        wide = None if rank is None else rank + 1
        self.arrays = [
            GraphTensorArray("int64", count, infer_shape=False, element_shape=[None, wide]),
            GraphTensorArray(dtype, count, infer_shape=False, element_shape=[None]),
            GraphTensorArray("int64", count, infer_shape=False, element_shape=[rank]),
        ]

    def parts(self, row: Any, index: Any) -> list[Any]:
        """Return what a row puts into the arrays."""
        column = row.indices[:, :1] * 0 + cast(index, "int64")
        return [concat([column, row.indices], 1), row.values, row.dense_shape]

    def stacked(self, arrays: list[Any]) -> Any:
        """Return the sparse tensor of all rows; it holds the largest of them."""
        indices, values, shapes = arrays
        count = cast(convert_to_tensor(self.count), "int64")
        whole = concat([[count], reduce_max(shapes.stack(), 0)], 0)
        return SparseTensor(indices.concat(), values.concat(), whole)


def composite_results(spec: Any, count: TensorLike) -> Any:
    """Return what collects results described by `spec`; None for plain tensors."""
    if isinstance(spec, RowReader):
        value = spec.value
        if isinstance(value, RaggedTensor):
            inner = RaggedTensorSpec(
                value.shape[1:], value.dtype, value.ragged_rank - 1, value.row_splits.dtype
            )
            return RaggedResults(inner, count)
        rank = value.dense_shape.shape[0]
        return SparseResults(value.dtype, None if rank is None else rank - 1, count)
    if isinstance(spec, RaggedTensorSpec):
        return RaggedResults(spec, count)
    if isinstance(spec, SparseTensorSpec):
        return SparseResults(spec.dtype, spec.shape.rank, count)
    return None
