"""Rows picked out of ragged tensors by index."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.ragged import cuts
from placewise.ops.ragged.ragged_tensor import RaggedTensor, as_values, match_row_splits_dtypes
from placewise.ops.values import from_numpy, to_numpy

ragged_gather = define(
    "RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK*Tsplits, params_dense_values: Tvalues,"
    " indices: Tindices; OUTPUT_RAGGED_RANK: int)"
    " -> output_nested_splits: OUTPUT_RAGGED_RANK*Tsplits, output_dense_values: Tvalues",
    devices=("CPU",), host=("params_nested_splits",), Tindices=INDEX, Tsplits=INDEX,
    doc="Return the rows of a ragged tensor that indices name.",
)  # fmt: skip


@ragged_gather.shape
def ragged_gather_shape(
    params_nested_splits: Any, params_dense_values: Static, indices: Static,
    *, OUTPUT_RAGGED_RANK: int,  # noqa: N803 - its name
) -> list[Any]:  # fmt: skip
    inner = params_dense_values.shape
    splits: list[Dims] = [(None,)] * OUTPUT_RAGGED_RANK
    if indices.shape is not None and None not in indices.shape:
        count = 1
        for level, size in enumerate(indices.shape):
            count *= size
            if level < OUTPUT_RAGGED_RANK:
                # One row more than entries: the splits of the level this dimension becomes.
                splits[level] = (count + 1,)
    return [splits, None if inner is None else (None, *inner[1:])]


def ragged_ranges(starts: Any, lengths: Any) -> np.ndarray[Any, Any]:
    """Return the places start, start + 1, … of several runs, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)


@ragged_gather.kernel
def ragged_gather_kernel(
    params_nested_splits: Any, params_dense_values: Any, indices: Any,
    *, OUTPUT_RAGGED_RANK: int,  # noqa: N803 - its name
) -> Any:  # fmt: skip
    if not params_nested_splits:
        raise invalid("params_nested_splits must be non empty")
    dims = tuple(indices.shape)
    if len(params_nested_splits) + len(dims) - 1 != OUTPUT_RAGGED_RANK:
        raise invalid("OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK + indices.rank - 1")
    kind = params_nested_splits[0].dtype
    rows = to_numpy(indices).reshape(-1)
    count = len(params_nested_splits[0]) - 1
    outside = (rows < 0) | (rows >= count)
    if outside.any():
        first = int(np.argmax(outside))
        place = ",".join(map(str, np.unravel_index(first, dims))) if dims else ""
        raise invalid(f"indices[{place}] = {rows[first]} is not in [0, {count})")
    made = []
    outer = 1
    for before, size in itertools.pairwise(dims):
        outer *= before
        made.append(np.arange(outer + 1, dtype=kind) * kind.type(size))
    for splits in params_nested_splits:
        lengths = np.diff(splits)[rows]
        made.append(np.concatenate([[0], np.cumsum(lengths)]).astype(kind))
        rows = ragged_ranges(splits[:-1][rows], lengths)
    if isinstance(params_dense_values, np.ndarray):
        picked: Any = params_dense_values[rows]
    else:
        where = torch.from_numpy(rows).to(params_dense_values.device)
        picked = params_dense_values[where]
    return [from_numpy(each) for each in made], picked


@ragged_gather.gradient
def ragged_gather_gradient(call: Any, *gradients: Any) -> Any:
    from placewise.ops.indexed_slices import IndexedSlices

    splits, values, indices = call.inputs
    from placewise.ops.array.shape import reshape
    from placewise.ops.array.shape import shape as shape_of

    rows = cuts.content(indices)
    rows = reshape(rows, [-1]) if isinstance(rows, Tensor) else rows.reshape(-1)
    for each in splits:
        cut = cuts.content(each)
        rows = cuts.runs(cuts.take(cut[:-1], rows), cuts.take(cuts.diff(cut), rows))
    wide = rows if isinstance(rows, Tensor) else convert_to_tensor(rows.astype(np.int64))
    slices = IndexedSlices(gradients[-1], wide, shape_of(values, wide.dtype))
    return (None,) * len(splits), slices, None


def take_rows(value: Any, rows: Any) -> Any:
    """Return the rows of a tensor or ragged tensor at a vector of indices."""
    if not isinstance(value, RaggedTensor):
        from placewise.ops.array.gathering import gather as dense_gather

        return dense_gather(value, rows)
    splits, flat = ragged_gather(
        list(value.nested_row_splits), value.flat_values, rows, OUTPUT_RAGGED_RANK=value.ragged_rank
    )
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def gather(params: Any, indices: Any, axis: int = 0, batch_dims: int = 0) -> Any:
    """Return the slices of `params` that `indices` names; either may be ragged."""
    params, indices = match_row_splits_dtypes(as_values(params), as_values(indices))
    if batch_dims < 0:
        batch_dims += indices.shape.rank
    if axis < 0:
        axis += params.shape.rank
    if batch_dims:
        return _batch_gather(params, indices, axis, batch_dims)
    if axis:
        return _inner_gather(params, indices, axis)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return take_rows(params, indices)
    rank = indices.shape.rank
    splits, flat = ragged_gather(
        list(params.nested_row_splits), params.flat_values, indices,
        OUTPUT_RAGGED_RANK=params.ragged_rank + rank - 1,
    )  # fmt: skip
    if rank == 0:
        return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def _inner_gather(params: Any, indices: Any, axis: int) -> Any:
    """Gather along a later axis: the same indices for every slice before it."""
    if not isinstance(params, RaggedTensor):
        if not isinstance(indices, RaggedTensor):
            from placewise.ops.array.gathering import gather as dense_gather

            return dense_gather(params, indices, axis=axis)
        params = RaggedTensor.from_tensor(params, ragged_rank=axis)
    if axis > 1:
        return params.with_values(_inner_gather(params.values, indices, axis - 1))
    if isinstance(indices, RaggedTensor):
        return _inner_gather_of_rows(params, indices)
    splits = cuts.content(params.row_splits)
    places = cuts.content(indices)
    if not cuts.is_known(splits, places):
        return _inner_gather_when_run(params, indices)
    lengths = np.diff(splits)
    if places.size and ((places < 0) | (places >= lengths[:, None])).any():
        row, column = np.argwhere((places < 0) | (places >= lengths[:, None]))[0]
        raise invalid(f"indices[{column}] = {places[column]} is not in [0, {lengths[row]})")
    rows = (splits[:-1, None] + places.reshape(1, -1)).reshape(-1)
    picked = take_rows(params.values, convert_to_tensor(rows.astype(np.int64)))
    if isinstance(picked, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(picked, places.size, validate=False)
    from placewise.ops.array.shape import reshape

    return reshape(picked, [len(lengths), *places.shape, *picked.shape.as_list()[1:]])


def _inner_gather_of_rows(params: RaggedTensor, indices: RaggedTensor) -> RaggedTensor:
    """Return, for every row of `params`, what ragged indices name in it: their shape in each."""
    from placewise.ops.array.repeating import tile
    from placewise.ops.array.shape import reshape, shape
    from placewise.ops.array.stacking import concat
    from placewise.ops.math.reduction import reduce_all

    dtype, rows = params._partition.dtype, params.nrows()
    flat = cuts.tensor(indices.flat_values, dtype)
    ones = [1] * flat.shape.rank
    inside = (flat >= 0) & (flat < reshape(params.row_lengths(), [-1, *ones]))
    flat = cuts.checked(flat, cuts.content(reduce_all(inside)), "indices out of range in a gather")
    places = reshape(params.row_starts(), [-1, *ones]) + flat
    sizes = shape(flat, dtype)
    picked = gather(params.values, reshape(places, concat([[rows * sizes[0]], sizes[1:]], 0)))
    for lengths in reversed(indices.nested_row_lengths()):
        picked = RaggedTensor.from_row_lengths(picked, tile(lengths, [rows]), validate=False)
    return RaggedTensor.from_uniform_row_length(picked, indices.nrows(), rows, validate=False)


def _inner_gather_when_run(params: RaggedTensor, indices: Any) -> Any:
    from placewise.ops.array.shape import reshape, shape
    from placewise.ops.array.stacking import concat
    from placewise.ops.math.reduction import reduce_all

    dtype = params._partition.dtype
    flat = cuts.tensor(reshape(indices, [1, -1]), dtype)
    lengths = reshape(params.row_lengths(), [-1, 1])
    inside = reduce_all((flat >= 0) & (flat < lengths))
    flat = cuts.checked(flat, inside, "indices do not all index into the ragged params")
    rows = reshape(reshape(params.row_starts(), [-1, 1]) + flat, [-1])
    picked = take_rows(params.values, rows)
    if isinstance(picked, RaggedTensor):
        size = shape(flat, dtype)[1]
        return RaggedTensor.from_uniform_row_length(picked, size, params.nrows(), validate=False)
    sizes = [[params.nrows()], shape(indices, dtype), shape(picked, dtype)[1:]]
    return reshape(picked, concat(sizes, 0))


def _batch_gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Gather within each batch: row i of the result from row i of both."""
    ragged_indices = _leveled(indices, batch_dims)
    ragged_params = _leveled(params, max(batch_dims, axis))
    if batch_dims > 1:
        inner = _batch_gather(ragged_params.values, ragged_indices.values, axis - 1, batch_dims - 1)
        return ragged_params.with_values(inner)
    splits = cuts.content(ragged_params.row_splits)
    places = cuts.content(ragged_indices.flat_values)
    rows = cuts.content(ragged_indices.value_rowids())
    inner = ragged_indices
    while isinstance(inner.values, RaggedTensor):
        rows = cuts.repeat(rows, cuts.content(inner.values.row_lengths()))
        inner = inner.values
    where = _places_in_batches(splits, rows, places)
    picked = take_rows(ragged_params.values, where) if where.shape.rank == 1 else gather(
        ragged_params.values, where
    )  # fmt: skip
    result = RaggedTensor._from_nested_row_partitions(picked, ragged_indices._nested_row_partitions)
    if not isinstance(indices, RaggedTensor):
        if isinstance(picked, RaggedTensor):
            from placewise.ops.array.shape import shape

            sizes = shape(indices, picked._partition.dtype)
            return RaggedTensor.from_uniform_row_length(picked, sizes[1], sizes[0], validate=False)
        return result.to_tensor()
    return result


def _places_in_batches(splits: Any, rows: Any, places: Any) -> Any:
    """Return the places, among all values, of places within rows."""
    message = "indices out of range in a batched gather of ragged rows"
    if cuts.is_known(splits, rows, places):
        rows = rows[(slice(None),) + (None,) * (places.ndim - 1)]
        inside = (places >= 0) & (places < np.diff(splits)[rows])
        cuts.checked(None, bool(inside.all()), message)
        return convert_to_tensor((places + splits[:-1][rows]).astype(np.int64))
    from placewise.ops.array.shape import expand_dims
    from placewise.ops.math.reduction import reduce_all

    dtype = dtypes.int64
    splits, rows, places = (cuts.tensor(each, dtype) for each in (splits, rows, places))
    for axis in range(1, places.shape.rank):
        rows = expand_dims(rows, axis)
    inside = reduce_all((places >= 0) & (places < cuts.take(cuts.diff(splits), rows)))
    return cuts.checked(places, inside, message) + cuts.take(splits[:-1], rows)


def _leveled(value: Any, ragged_rank: int) -> RaggedTensor:
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(
        value, ragged_rank=ragged_rank
    )  # fmt: skip


def gather_nd(params: Any, indices: Any, batch_dims: int = 0) -> Any:
    """Return the values or slices of `params` at whole index vectors; either may be ragged."""
    params, indices = as_values(params), as_values(indices)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather_nd(params, indices.values))
    depth = indices.shape[-1]
    if indices.shape.rank != 2:
        from placewise.ops.array.shape import reshape

        flat = gather_nd(params, reshape(indices, [-1, depth]))
        if isinstance(flat, RaggedTensor):
            for size in reversed(indices.shape.as_list()[1:-1]):
                flat = RaggedTensor.from_uniform_row_length(flat, size)
            return flat
        from placewise.ops.array.shape import shape
        from placewise.ops.array.stacking import concat

        return reshape(flat, concat([shape(indices)[:-1], shape(flat)[1:]], 0))
    index = cuts.content(indices)
    if isinstance(index, Tensor) or (
        isinstance(params, RaggedTensor)
        and not cuts.is_known(*map(cuts.content, params.nested_row_splits))
    ):
        return _gather_nd_when_run(params, cuts.tensor(index, dtypes.int64))
    value, rows = params, index[:, 0] if depth else np.zeros(0)
    for level in range(1, depth):
        if not isinstance(value, RaggedTensor):
            from placewise.ops.array.gathering import gather_nd as dense_gather_nd

            rest = np.concatenate([rows[:, None], index[:, level:]], 1)
            return dense_gather_nd(value, rest)
        splits = np.asarray(value.row_splits)
        _check(rows, len(splits) - 1, index)
        starts, limits = splits[:-1][rows], splits[1:][rows]
        if ((index[:, level] < 0) | (index[:, level] >= limits - starts)).any():
            raise invalid(f"indices {index.tolist()} do not all index into the ragged params")
        rows, value = starts + index[:, level], value.values
    return take_rows(value, convert_to_tensor(rows.astype(np.int64)))


def _gather_nd_when_run(params: Any, index: Any) -> Any:
    from placewise.ops.array.gathering import gather_nd as dense_gather_nd
    from placewise.ops.array.stacking import concat
    from placewise.ops.math.reduction import reduce_all

    value, rows = params, index[:, 0]
    for level in range(1, index.shape[1]):
        if not isinstance(value, RaggedTensor):
            return dense_gather_nd(value, concat([rows[:, None], index[:, level:]], 1))
        splits = cuts.tensor(value.row_splits, dtypes.int64)
        places, lengths = index[:, level], cuts.take(cuts.diff(splits), rows)
        inside = reduce_all((places >= 0) & (places < lengths))
        message = "indices do not all index into the ragged params"
        rows = cuts.take(splits[:-1], rows) + cuts.checked(places, inside, message)
        value = value.values
    return take_rows(value, rows)


def _check(rows: Any, count: int, index: Any) -> None:
    if ((rows < 0) | (rows >= count)).any():
        raise invalid(f"indices {index.tolist()} do not all index into the ragged params")
