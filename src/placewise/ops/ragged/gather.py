"""Rows picked out of ragged tensors by index."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, known_sizes
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.creation import zeros
from placewise.ops.array.gather import gather as dense_gather
from placewise.ops.array.gather import gather_nd as dense_gather_nd
from placewise.ops.array.shape import expand_dims, reshape, shape
from placewise.ops.array.shape import shape as shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import check_output_count
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.cast import cast
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.ragged_tensor import RaggedTensor, as_values, match_row_splits_dtypes
from placewise.ops.values import Content, from_numpy, to_numpy

ragged_gather = define(
    "RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK*Tsplits >= 1,"
    " params_dense_values: Tvalues,"
    " indices: Tindices; OUTPUT_RAGGED_RANK: int >= 0)"
    " -> output_nested_splits: OUTPUT_RAGGED_RANK*Tsplits, output_dense_values: Tvalues",
    devices=("CPU",),
    host=("params_nested_splits",),
    Tindices=INDEX,
    Tsplits=INDEX,
    doc="Return the rows of a ragged tensor that indices name.",
)


@ragged_gather.shape
def ragged_gather_shape(
    params_nested_splits: list[Static],
    params_dense_values: Static,
    indices: Static,
    *,
    OUTPUT_RAGGED_RANK: int,  # noqa: N803 - its name
) -> list[Any]:
    check_output_count("OUTPUT_RAGGED_RANK", OUTPUT_RAGGED_RANK)
    inner = params_dense_values.shape
    splits: list[Dims] = [(None,)] * OUTPUT_RAGGED_RANK
    sizes = known_sizes(indices.shape)
    if sizes is not None:
        count = 1
        for level, size in enumerate(sizes):
            count *= size
            if level < OUTPUT_RAGGED_RANK:
                # One row more than entries: the splits of the level this dimension becomes.
                splits[level] = (count + 1,)
    return [splits, None if inner is None else (None, *inner[1:])]


# torch has no `index_select` of these.
_NOT_SELECTED = (torch.uint16, torch.uint32, torch.uint64)


def ragged_ranges(
    starts: np.ndarray[Any, Any], lengths: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return the places start, start + 1, … of several runs, one after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    places: np.ndarray[Any, Any] = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return places


@ragged_gather.kernel
def ragged_gather_kernel(
    params_nested_splits: list[np.ndarray[Any, Any]],
    params_dense_values: Content,
    indices: torch.Tensor,
    *,
    OUTPUT_RAGGED_RANK: int,  # noqa: N803 - its name
) -> Any:
    if not params_nested_splits:
        raise invalid("params_nested_splits must be non empty")
    dims = tuple(indices.shape)
    if len(params_nested_splits) + len(dims) - 1 != OUTPUT_RAGGED_RANK:
        raise invalid("OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK + indices.rank - 1")
    ends = [len(splits) for splits in params_nested_splits[1:]] + [len(params_dense_values)]
    for splits, end in zip(params_nested_splits, ends, strict=True):
        if splits.size and splits[-1] > end:
            raise invalid("Ragged splits must not point past values")
    kind = params_nested_splits[0].dtype
    rows = to_numpy(indices).reshape(-1)
    count = len(params_nested_splits[0]) - 1
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        first = int(np.argmax((rows < 0) | (rows >= count)))
        place = f"[{','.join(map(str, np.unravel_index(first, dims)))}]" if dims else ""
        raise invalid(f"indices{place} = {rows[first]} is not in [0, {count})")
    made = []
    outer = 1
    for before, size in itertools.pairwise(dims):
        outer *= before
        made.append(np.arange(outer + 1, dtype=kind) * kind.type(size))
    for splits in params_nested_splits:
        starts = splits[rows]
        lengths = splits[rows + 1] - starts
        picked_splits = np.zeros(len(lengths) + 1, kind)
        np.cumsum(lengths, out=picked_splits[1:])
        made.append(picked_splits)
        rows = ragged_ranges(starts, lengths)
    if not dims:
        made = made[1:]  # one row, without the dimension of rows
    if isinstance(params_dense_values, np.ndarray):
        picked: Any = params_dense_values[rows]
    else:
        where = torch.from_numpy(rows).to(params_dense_values.device)
        if params_dense_values.dtype in _NOT_SELECTED:
            picked = params_dense_values[where]
        else:  # half the time
            picked = params_dense_values.index_select(0, where)
    return [from_numpy(each) for each in made], picked


@ragged_gather.gradient
def ragged_gather_gradient(call: Call, *gradients: Any) -> Any:
    splits, values, indices = call.inputs

    rows = row_splits.content(indices)
    rows = reshape(rows, [-1]) if isinstance(rows, Tensor) else rows.reshape(-1)
    for each in splits:
        cut = row_splits.content(each)
        rows = row_splits.runs(
            row_splits.take(cut[:-1], rows), row_splits.take(row_splits.diff(cut), rows)
        )
    wide = rows if isinstance(rows, Tensor) else convert_to_tensor(rows.astype(np.int64))
    slices = IndexedSlices(gradients[-1], wide, shape_of(values, wide.dtype))
    return (None,) * len(splits), slices, None


def take_rows(value: Any, rows: Any) -> Any:
    """Return the rows of a tensor or ragged tensor at a vector of indices."""
    if not isinstance(value, RaggedTensor):
        return dense_gather(value, rows)
    splits, flat = ragged_gather(
        list(value.nested_row_splits), value.flat_values, rows, OUTPUT_RAGGED_RANK=value.ragged_rank
    )
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def gather(params: Any, indices: Any, axis: int | None = None, batch_dims: int = 0) -> Any:
    """Return the slices of `params` that `indices` names; either may be ragged.

    As in TensorFlow, a place behind the end of its row is one of the rows that follow: only what
    lies outside of all rows raises.
    """
    params, indices = match_row_splits_dtypes(as_values(params), as_values(indices))
    rank = params.shape.rank
    if batch_dims != indices.shape.rank:
        batch_dims = _from_the_front("batch_dims", batch_dims, "indices", indices.shape.rank)
    if rank is not None and batch_dims >= rank:
        raise ValueError("batch_dims must be less than rank(params)")
    axis = batch_dims if axis is None else _from_the_front("axis", axis, "params", rank)
    if axis < batch_dims:
        raise ValueError("axis must be greater than or equal to batch_dims")
    return _gather(params, indices, axis, batch_dims)


def _from_the_front(what: str, axis: int, whose: str, rank: int | None) -> int:
    """Return an axis counted from the front, which must be one of `rank`."""
    if rank is None:
        if axis < 0:
            raise ValueError(
                f"{what}={axis} may only be negative if rank({whose}) is statically known."
            )
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"{what}={axis} out of bounds: expected {-rank}<={what}<{rank}")
    return axis + rank if axis < 0 else axis


def _gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Gather along axes counted from the front, the first `batch_dims` of both going together."""
    if not isinstance(params, RaggedTensor) and not isinstance(indices, RaggedTensor):
        return dense_gather(params, indices, axis=axis, batch_dims=batch_dims)
    if batch_dims:
        return _batch_gather(params, indices, axis, batch_dims)
    if axis > 1:
        params = _ragged(params, indices)
        return params.with_values(_gather(params.values, indices, axis - 1, 0))
    rank = _known_rank(indices)
    if axis == 1:
        return _gather(_joined(params), indices + _row_starts(params, indices, rank + 1), 0, 0)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gather(params, indices.values, 0, 0))
    levels = params.ragged_rank + rank - 1
    splits, flat = ragged_gather(
        list(params.nested_row_splits), params.flat_values, indices, OUTPUT_RAGGED_RANK=levels
    )
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def _batch_gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Gather within each batch: row i of the result from row i of both."""
    batch = indices.shape[:batch_dims]
    if not params.shape[:batch_dims].is_compatible_with(batch):
        raise ValueError(
            f"batch shape from indices {batch} does not match params shape {params.shape}"
        )
    if batch_dims > 1:
        for other, (name, one) in zip(
            ("params", "indices"), (("indices", indices), ("params", params)), strict=True
        ):
            dense = not isinstance(indices if other == "indices" else params, RaggedTensor)
            if dense and one.uniform_row_length is None:
                raise ValueError(
                    "batch shape from indices does not match params shape: ragged "
                    f"{name} dimension corresponds to uniform {other} dimension"
                )
        params, indices = _ragged(params, indices), _ragged(indices, params)
        inner = _gather(params.values, indices.values, axis - 1, batch_dims - 1)
        return params.with_values(inner)
    if axis > 1:
        # Every row within a row of params gets the indices of that row.
        params = _ragged(params, indices)
        own = take_rows(indices, params.value_rowids())
        return _batch_gather(params, params.with_values(own), axis, 2)
    starts = _row_starts(params, indices, _known_rank(indices))
    return _gather(_joined(params), indices + starts, 0, 0)


def _ragged(value: Any, other: Any) -> Any:
    """Return a tensor as rows, with row splits of the dtype of the other, which is ragged."""
    if isinstance(value, RaggedTensor):
        return value
    return RaggedTensor.from_tensor(value, ragged_rank=1, row_splits_dtype=other._partition.dtype)


def _joined(params: Any) -> Any:
    """Return the rows of `params` one after the other, as one dimension instead of two."""
    if isinstance(params, RaggedTensor):
        return params.values

    if params.shape[1:].is_fully_defined():
        return reshape(params, [-1, *params.shape.as_list()[2:]])
    return reshape(params, concat([[-1], shape(params)[2:]], 0))


def _row_starts(params: Any, indices: Any, rank: int) -> Any:
    """Return where each row of `params` begins, to be added to indices of that rank."""
    if isinstance(params, RaggedTensor):
        starts = cast(params.row_starts(), indices.dtype)
    else:
        sizes = shape(params, indices.dtype)
        starts = range_of(sizes[0]) * sizes[1]
    return reshape(starts, [-1] + [1] * (rank - 1))


def _known_rank(indices: Any) -> int:
    rank = indices.shape.rank
    if rank is None:
        raise ValueError("rank(indices) must be known statically")
    return int(rank)


def gather_nd(params: Any, indices: Any, batch_dims: int = 0) -> Any:
    """Return the values or slices of `params` at whole index vectors; either may be ragged."""
    if batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    params, indices = as_values(params), as_values(indices)
    rank = _known_rank(indices)
    if rank == 0:
        raise ValueError("indices.rank must be at least 1.")
    if isinstance(indices, RaggedTensor):
        if indices.ragged_rank == rank - 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        return indices.with_values(gather_nd(params, indices.values))
    if indices.shape[-1] is None:
        raise ValueError("indices.shape[-1] must be statically known.")

    if not isinstance(params, RaggedTensor):
        return dense_gather_nd(params, indices)
    if rank == 1 and indices.shape[0] == 1:
        return take_rows(params, indices)  # as TensorFlow: one row, and the dimension stays
    if rank == 1:
        return gather_nd(params, expand_dims(indices, 0))[0]
    if rank == 2:
        return _gather_vectors(params, indices)
    flat = gather_nd(params, reshape(indices, [-1, indices.shape[-1]]))
    if isinstance(flat, RaggedTensor):
        sizes = shape(indices, flat._partition.dtype)
        for axis in range(rank - 2, 0, -1):
            flat = RaggedTensor.from_uniform_row_length(flat, sizes[axis])
        return flat
    return reshape(flat, concat([shape(indices)[:-1], shape(flat)[1:]], 0))


def _gather_vectors(params: RaggedTensor, indices: Any) -> Any:
    """Return the slices at the rows of a matrix: each level of rows leads to places in the next."""
    depth = indices.shape[-1]
    if depth == 0:
        return take_rows(expand_dims(params, 0), zeros(shape(indices)[:1], dtypes.int64))
    value: Any = params
    rows = indices[:, 0]
    for level in range(1, depth):
        if not isinstance(value, RaggedTensor):
            return dense_gather_nd(value, concat([rows[:, None], indices[:, level:]], 1))
        rows = (
            row_splits.tensor(row_splits.take(value.row_splits, rows), indices.dtype)
            + indices[:, level]
        )
        value = value.values
    return take_rows(value, rows)
