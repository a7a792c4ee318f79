"""Ragged tensors as sparse ones, dense ones as ragged; dimensions merged or measured."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np

from placewise import native
from placewise.core import dtypes
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, known_sizes
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import ones, zeros_like
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.masks import sequence_mask
from placewise.ops.array.shape import reshape, shape
from placewise.ops.array.where import boolean_mask, where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.clip import clip_by_value
from placewise.ops.math.comparison import equal, not_equal
from placewise.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_sum
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.ragged_tensor import RaggedTensor, _as_type
from placewise.ops.ragged.row_partition import checked_when_run, known, wrong
from placewise.ops.sparse.sparse_tensor import SparseTensor, is_sparse
from placewise.ops.values import Content, from_numpy

ragged_tensor_to_sparse = define(
    "RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK*Tsplits >= 1, rt_dense_values: T)"
    " -> sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    host=("rt_nested_splits",),
    devices=("CPU",),
    Tsplits=INDEX,
    doc="Return the parts of the sparse tensor that holds the same values as nested rows.",
)


@ragged_tensor_to_sparse.shape
def ragged_tensor_to_sparse_shape(
    rt_nested_splits: list[Static], rt_dense_values: Static
) -> list[Dims]:
    shape = rt_dense_values.shape
    if shape is None:
        return [(None, None), (None,), (None,)]
    rank = len(rt_nested_splits) + len(shape)
    sizes = known_sizes(shape)
    count = None if sizes is None else math.prod(sizes)
    return [(count, rank), (count,), (rank,)]


@ragged_tensor_to_sparse.kernel
def ragged_tensor_to_sparse_kernel(
    rt_nested_splits: list[np.ndarray[Any, Any]], rt_dense_values: Content
) -> Any:
    if not rt_nested_splits:
        raise invalid("rt_nested_splits must be non empty")
    for splits in rt_nested_splits:
        if not splits.size or splits[0] != 0:
            raise invalid("First value of ragged splits must be 0.")
    if int(rt_nested_splits[-1][-1]) != rt_dense_values.shape[0]:
        raise invalid(
            f"Final value of ragged splits must match the length the corresponding ragged array: "
            f"{int(rt_nested_splits[-1][-1])} != {rt_dense_values.shape[0]}"
        )
    inner = list(rt_dense_values.shape[1:])
    if not inner and len(rt_nested_splits) == 1:
        found = _places_in_c(rt_nested_splits[0], rt_dense_values)
        if found is not None:
            return found
    columns = [np.arange(len(rt_nested_splits[0]) - 1, dtype=np.int64)]
    sizes = [len(rt_nested_splits[0]) - 1]
    for splits in rt_nested_splits:
        lengths = np.diff(splits)
        columns = [np.repeat(column, lengths) for column in columns]
        columns.append(np.arange(len(columns[0])) - np.repeat(splits[:-1], lengths))
        sizes.append(int(lengths.max()) if lengths.size else 0)
    each = int(np.prod(inner, dtype=np.int64))
    if inner:
        columns = [np.repeat(column, each) for column in columns]
        grid = np.indices(inner).reshape(len(inner), -1)
        columns += [np.tile(axis, rt_dense_values.shape[0]) for axis in grid]
    indices = np.stack(columns, 1).astype(np.int64, copy=False)
    shape = np.asarray([*sizes, *inner], np.int64)
    return from_numpy(indices), rt_dense_values.reshape(-1), from_numpy(shape)


def _places_in_c(splits: np.ndarray[Any, Any], values: Content) -> Any:
    """Return the parts of a sparse matrix by the native module; None of splits out of order."""
    if native.code is None:
        return None
    places = np.empty((values.shape[0], 2), np.int64)
    longest = native.code.ragged_places(np.ascontiguousarray(splits), places, splits.itemsize)
    if longest < 0:
        return None
    shape = np.asarray([len(splits) - 1, longest], np.int64)
    return from_numpy(places), values, from_numpy(shape)


def to_sparse(rt: RaggedTensor, name: str | None) -> Any:
    """Return `rt` as a sparse tensor."""
    parts = ragged_tensor_to_sparse(list(rt.nested_row_splits), rt.flat_values, name=name)
    return SparseTensor(*parts)


_NOT_RIGHT_RAGGED = "SparseTensor is not right-ragged"


def _right_ragged(indices: Any) -> Any:
    """Return symbolic indices; unless each row is without gaps, they raise when run."""
    row, column = indices[:, 0], indices[:, 1]
    goes_on = equal(row[1:], row[:-1])
    follows = equal(column[1:], where(goes_on, column[:-1] + 1, zeros_like(column[1:])))
    first = reduce_all(equal(column[:1], 0))
    return checked_when_run(indices, _NOT_RIGHT_RAGGED, first, reduce_all(follows))


def from_sparse(st_input: Any, row_splits_dtype: DType) -> Any:
    """Return the rows of a sparse matrix without gaps."""
    if not is_sparse(st_input):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    indices, shape = known(st_input.indices), known(st_input.dense_shape)
    if (st_input.dense_shape.shape[0] or st_input.indices.shape[1:][0]) != 2:
        raise ValueError("rank(st_input) must be 2.")
    if indices is None:
        places = _right_ragged(st_input.indices)
    else:
        places = st_input.indices
        same = np.zeros(len(indices), bool)
        same[1:] = indices[1:, 0] == indices[:-1, 0]
        expected = np.zeros(len(indices), np.int64)
        expected[1:] = np.where(same[1:], indices[:-1, 1] + 1, 0)
        if not np.array_equal(expected, indices[:, 1]):
            raise wrong(_NOT_RIGHT_RAGGED, "Condition x == y did not hold.", indices)
    rowids = cast(places[:, 0], row_splits_dtype)
    nrows = int(shape[0]) if shape is not None else cast(st_input.dense_shape[0], row_splits_dtype)
    if not isinstance(nrows, int):
        return RaggedTensor.from_value_rowids(st_input.values, rowids, nrows, validate=False)
    count = convert_to_tensor(nrows, row_splits_dtype)
    return RaggedTensor.from_value_rowids(st_input.values, rowids, count, validate=False)


def from_tensor(
    tensor: Any, lengths: Any, padding: int | None, ragged_rank: int, row_splits_dtype: DType
) -> Any:
    """Return a tensor as `ragged_rank` nested levels of rows."""
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {tensor.shape.rank}."
        )
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
        return _cut_nested(tensor, lengths, ragged_rank)
    if ragged_rank > 1:
        return _nested_from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)
    if padding is not None:
        lengths = _lengths_without(tensor, padding, row_splits_dtype)
    if lengths is not None:
        return _cut(tensor, lengths, row_splits_dtype)
    return _whole(tensor, row_splits_dtype)


def _whole(tensor: Any, row_splits_dtype: Any) -> Any:
    dims = tensor._shape_tuple
    if dims is not None and None not in dims:
        rows, columns = dims[:2]
        values = reshape(tensor, (rows * columns, *dims[2:]))
        return RaggedTensor.from_uniform_row_length(
            values,
            convert_to_tensor(columns, row_splits_dtype),
            convert_to_tensor(rows, row_splits_dtype),
            validate=False,
        )
    sizes = shape(tensor, row_splits_dtype)
    values = reshape(tensor, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    return RaggedTensor.from_uniform_row_length(values, sizes[1], sizes[0], validate=False)


def _cut(tensor: Any, lengths: Any, row_splits_dtype: Any) -> Any:
    lengths = _as_type(convert_to_tensor(lengths, dtype_hint=row_splits_dtype), row_splits_dtype)
    lengths.shape.assert_has_rank(1)
    columns = tensor.shape[1]
    array = known(lengths)
    if array is not None and columns is not None:
        lengths = convert_to_tensor(np.clip(array, 0, columns))
    else:
        columns = shape(tensor, row_splits_dtype)[1] if columns is None else columns
        none = convert_to_tensor(0, row_splits_dtype)
        lengths = clip_by_value(lengths, none, row_splits.tensor(columns, row_splits_dtype))
    mask = sequence_mask(lengths, maxlen=columns)
    return RaggedTensor.from_row_lengths(boolean_mask(tensor, mask), lengths, validate=False)


def _lengths_without(tensor: Any, padding: Any, row_splits_dtype: DType) -> Any:
    padding = convert_to_tensor(padding, tensor.dtype)
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    differs = not_equal(padding, tensor)
    if tensor.shape.rank > 2:
        differs = reduce_any(differs, axis=list(range(2, tensor.shape.rank)))
    columns = tensor.shape[1]
    if columns is None:
        columns = shape(tensor, row_splits_dtype)[1]
    places = range_of(1, columns + 1, dtype=row_splits_dtype)
    if tensor.shape[1] == 0 and tensor.shape[0] is not None:
        return convert_to_tensor(np.zeros(tensor.shape[0], row_splits_dtype.as_numpy_dtype))
    found = reduce_max(cast(differs, row_splits_dtype) * places, axis=1)
    # Of no columns at all, the greatest is the least number there is.
    return found if tensor.shape[1] else maximum(found, convert_to_tensor(0, row_splits_dtype))


def _cut_nested(tensor: Any, lengths: Any, ragged_rank: int) -> Any:
    if ragged_rank not in (1, len(lengths)):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be "
            f"len(lengths): {len(lengths)}. Received ragged_rank: {ragged_rank}."
        )
    tensor.shape.with_rank_at_least(len(lengths) + 1)
    kept = ones([reduce_sum(convert_to_tensor(lengths[-1]))], dtypes.bool)
    mask = RaggedTensor.from_nested_row_lengths(kept, lengths, validate=False)
    bounds: Any = tensor.shape[: len(lengths) + 1]
    if not bounds.is_fully_defined():
        bounds = shape(tensor, dtypes.int64)[: len(lengths) + 1]
    dense = mask.to_tensor(False, shape=bounds)
    return RaggedTensor.from_nested_row_lengths(
        boolean_mask(tensor, dense), lengths, validate=False
    )


def _nested_from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> Any:
    dims = tensor.shape.as_list()
    if None in dims:
        sizes = shape(tensor, row_splits_dtype)
        dims = [sizes[axis] if size is None else size for axis, size in enumerate(dims)]
    counts = list(itertools.accumulate(dims, operator.mul))
    flat = reshape(tensor, [counts[ragged_rank - 1], *dims[ragged_rank:]])
    result = from_tensor(flat, lengths, padding, 1, row_splits_dtype)
    for axis in range(ragged_rank - 1, 0, -1):
        result = RaggedTensor.from_uniform_row_length(
            result,
            row_splits.tensor(dims[axis], row_splits_dtype),
            row_splits.tensor(counts[axis - 1], row_splits_dtype),
            validate=False,
        )
    return result


def inner_row_lengths(rt: RaggedTensor, axis: int) -> Any:
    """Return the row lengths along an inner axis: ragged like the dimensions before it."""
    values = rt.values
    if isinstance(values, RaggedTensor):
        return rt.with_values(values.row_lengths(axis - 1))

    sizes = shape(values, rt._partition.dtype)
    return rt.with_values(ones(sizes[: axis - 1], rt._partition.dtype) * sizes[axis - 1])


def bounding_shape(rt: RaggedTensor, axis: int | None, out_type: Any) -> Any:
    """Return the smallest dense shape that holds `rt`, or its dimensions at `axis`."""
    splits = rt.nested_row_splits
    arrays = [array for each in splits if (array := known(each)) is not None]
    flat = rt.flat_values
    inner = flat._shape_tuple
    if len(arrays) == len(splits) and inner is not None and None not in inner:
        lengths = [np.diff(array) for array in arrays]
        sizes = [len(arrays[0]) - 1]
        sizes += [int(each.max()) if each.size else 0 for each in lengths]
        kind = rt._partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        whole: Any = np.asarray([*sizes, *inner[1:]], kind.as_numpy_dtype)
        if axis is None:
            return convert_to_tensor(whole)
        picked = np.asarray(known(axis))
        return convert_to_tensor(whole[picked])
    outer = [rt.nrows()] + [
        maximum(reduce_max(each), convert_to_tensor(0, rt._partition.dtype))
        for each in rt.nested_row_lengths()
    ]
    whole = concat([stack(outer), shape(flat, rt._partition.dtype)[1:]], 0)
    whole = _as_type(whole, out_type)
    return whole if axis is None else gather(whole, axis)


def merge_dims(value: Any, outer: int, inner: int) -> Any:
    """Return a (ragged) tensor with its dimensions from `outer` to `inner` as one."""
    if outer == inner:
        return value
    if outer == 0 and isinstance(value, RaggedTensor):
        return merge_dims(value.values, 0, inner - 1)
    if not isinstance(value, RaggedTensor):
        return _merge_dense(value, outer, inner)
    if outer > 1 or not isinstance(value.values, RaggedTensor):
        if outer == 1 and not isinstance(value.values, RaggedTensor):
            value = value.with_values(_whole(value.values, value._partition.dtype))
        else:
            return value.with_values(merge_dims(value.values, outer - 1, inner - 1))

    inner_splits = value.values.row_splits
    splits = gather(inner_splits, value.row_splits)
    merged = RaggedTensor.from_row_splits(value.values.values, splits, validate=False)
    return merge_dims(merged, 1, inner - 1)


def _merge_dense(value: Any, outer: int, inner: int) -> Any:
    dims = value._shape_tuple
    if dims is not None and dims[:outer].count(None) + dims[inner + 1 :].count(None) == 0:
        return reshape(value, [*dims[:outer], -1, *dims[inner + 1 :]])
    sizes = shape(value)
    return reshape(value, concat([sizes[:outer], [-1], sizes[inner + 1 :]], 0))
