"""Rows picked out of ragged tensors by index."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
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
    rows = np.asarray(indices).reshape(-1)
    for each in splits:
        array = np.asarray(each)
        rows = ragged_ranges(array[:-1][rows], np.diff(array)[rows])
    shape = convert_to_tensor(np.asarray(values.shape.as_list(), np.int64))
    slices = IndexedSlices(gradients[-1], convert_to_tensor(rows.astype(np.int64)), shape)
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
        from placewise.ops.array.gathering import gather as dense_gather

        flat = dense_gather(params, indices.flat_values, axis=axis)
        if axis:
            raise ValueError("ragged indices along an inner axis of a dense tensor: not supported")
        return flat
    if axis > 1:
        return params.with_values(_inner_gather(params.values, indices, axis - 1))
    splits = np.asarray(params.row_splits)
    places = np.asarray(indices)
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


def _batch_gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Gather within each batch: row i of the result from row i of both."""
    ragged_indices = _leveled(indices, batch_dims)
    ragged_params = _leveled(params, max(batch_dims, axis))
    if batch_dims > 1:
        inner = _batch_gather(ragged_params.values, ragged_indices.values, axis - 1, batch_dims - 1)
        return ragged_params.with_values(inner)
    counts, starts = np.diff(np.asarray(ragged_params.row_splits)), ragged_params.row_starts()
    places = np.asarray(ragged_indices.flat_values)
    rows = np.asarray(ragged_indices.value_rowids())
    if isinstance(ragged_indices.values, RaggedTensor):
        inner = ragged_indices
        while isinstance(inner.values, RaggedTensor):
            rows = np.repeat(rows, np.asarray(inner.values.row_lengths()))
            inner = inner.values
    extra = (slice(None),) + (None,) * (places.ndim - 1)
    rows = rows[extra]
    if places.size and ((places < 0) | (places >= counts[rows])).any():
        raise invalid("indices out of range in a batched gather of ragged rows")
    where = convert_to_tensor((places + np.asarray(starts)[rows]).astype(np.int64))
    picked = take_rows(ragged_params.values, where) if places.ndim == 1 else gather(
        ragged_params.values, where
    )  # fmt: skip
    result = RaggedTensor._from_nested_row_partitions(picked, ragged_indices._nested_row_partitions)
    if not isinstance(indices, RaggedTensor):
        if isinstance(picked, RaggedTensor):
            return RaggedTensor.from_uniform_row_length(
                picked, indices.shape[1], indices.shape[0], validate=False
            )
        return result.to_tensor()
    return result


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
        return reshape(flat, [*indices.shape.as_list()[:-1], *flat.shape.as_list()[1:]])
    index = np.asarray(indices)
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


def _check(rows: Any, count: int, index: Any) -> None:
    if ((rows < 0) | (rows >= count)).any():
        raise invalid(f"indices {index.tolist()} do not all index into the ragged params")
