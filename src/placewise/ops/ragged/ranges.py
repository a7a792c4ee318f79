"""Ragged ranges, row splits and segment ids, and partitions of data stacked as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import reshape
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_all
from placewise.ops.math.sort import argsort
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.conversion import merge_dims
from placewise.ops.ragged.gather import take_rows
from placewise.ops.ragged.ragged_tensor import RaggedTensor, as_values
from placewise.ops.ragged.row_partition import RowPartition, known, partition_tensor
from placewise.ops.values import TORCH

_RANGES = frozenset({dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})

ragged_range = define(
    "RaggedRange(starts: T, limits: T, deltas: T; Tsplits: type = int64)"
    " -> rt_nested_splits: Tsplits, rt_dense_values: T",
    devices=("CPU",),
    differentiable=False,
    T=_RANGES,
    doc="Return several ranges as the rows of a ragged tensor.",
    default_types={"T": dtypes.int32},
    Tsplits=INDEX,
)


@ragged_range.shape
def ragged_range_shape(
    starts: Static,
    limits: Static,
    deltas: Static,
    *,
    Tsplits: DType,  # noqa: N803 - its name
) -> list[Dims]:
    for each in (starts, limits, deltas):
        if each.shape is not None and len(each.shape) == 1 and each.shape[0] is not None:
            return [(each.shape[0] + 1,), (None,)]
    return [(None,), (None,)]


@ragged_range.kernel
def ragged_range_kernel(
    starts: torch.Tensor,
    limits: torch.Tensor,
    deltas: torch.Tensor,
    *,
    Tsplits: DType,  # noqa: N803 - its name
) -> Any:
    for what, value in (("starts", starts), ("limits", limits), ("deltas", deltas)):
        if value.ndim > 1:
            raise invalid(f"{what} must be a scalar or vector")
    sizes = {value.shape[0] for value in (starts, limits, deltas) if value.ndim}
    if len(sizes) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    count = sizes.pop() if sizes else 1
    starts, limits, deltas = (each.expand(count) for each in (starts, limits, deltas))
    if (deltas == 0).any():
        raise invalid("Requires delta != 0")
    exact = [each.to(torch.float64) for each in (starts, limits, deltas)]
    if starts.dtype.is_floating_point:
        lengths = torch.ceil(torch.abs((exact[1] - exact[0]) / exact[2])).to(torch.int64)
    else:
        gap = (limits.to(torch.int64) - starts.to(torch.int64)).abs()
        step = deltas.to(torch.int64).abs()
        lengths = (gap + step - 1) // step
    ahead = torch.where(deltas > 0, limits > starts, limits < starts)
    lengths = torch.where(ahead, lengths, 0)
    if lengths.sum().item() > 2**31:
        raise invalid("Requires ((limit - start) / delta) <= 2147483647")
    splits = torch.zeros(count + 1, dtype=torch.int64)
    splits[1:] = lengths.cumsum(0)
    rows = torch.repeat_interleave(torch.arange(count), lengths)
    within = torch.arange(rows.shape[0]) - splits[:-1][rows]
    values = starts[rows] + within.to(starts.dtype) * deltas[rows]
    return splits.to(TORCH[Tsplits]), values


def range(  # TensorFlow's name
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """Return ranges as rows: from `starts` (or 0) up to `limits`, in steps of `deltas`."""
    if limits is None:
        starts, limits = 0, starts
    kind = None if dtype is None else as_dtype(dtype)
    values = [
        convert_to_tensor(each, kind, dtype_hint=dtypes.int32)
        if not hasattr(each, "dtype") or kind is None
        else _cast(convert_to_tensor(each), kind)
        for each in (starts, limits, deltas)
    ]
    if kind is None:
        order = [dtypes.int32, dtypes.int64, dtypes.bfloat16, dtypes.float32, dtypes.float64]
        kinds = [each.dtype for each in values]
        best = max(kinds, key=lambda each: order.index(each) if each in order else -1)
        values = [_cast(each, best) for each in values]
    splits, flat = ragged_range(*values, Tsplits=as_dtype(row_splits_dtype), name=name)
    return RaggedTensor.from_row_splits(flat, splits, validate=False)


def _cast(value: Any, dtype: Any) -> Any:
    if value.dtype is dtype:
        return value

    return cast(value, dtype)


def row_splits_to_segment_ids(
    splits: Sequence[Any], name: str | None = None, out_type: DTypeLike | None = None
) -> Any:
    """Return, for each value, the row it is in."""
    made = partition_tensor(splits, "splits")
    if made.shape.rank != 1:
        raise ValueError(f"Shape {made.shape} must have rank 1")
    if made.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    ids = RowPartition(made).value_rowids()
    return ids if out_type is None else _cast(ids, as_dtype(out_type))


def segment_ids_to_row_splits(
    segment_ids: Any,
    num_segments: Any = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Any:
    """Return where the rows begin that sorted segment ids name."""
    ids = partition_tensor(
        segment_ids
        if hasattr(segment_ids, "dtype")
        else np.asarray(segment_ids, np.int32)
        if len(segment_ids)
        else np.zeros(0, np.int32),
        "segment_ids",
    )
    if out_type is None:
        out_type = dtypes.int64 if not hasattr(segment_ids, "dtype") else ids.dtype
    ids = _cast(ids, as_dtype(out_type))
    array = known(ids)
    if array is not None:
        count = int(array.max()) + 1 if array.size else 0
        if num_segments is not None:
            count = int(num_segments)
        lengths = np.bincount(array, minlength=count)[:count] if array.size else np.zeros(count)
        splits = np.concatenate([[0], np.cumsum(lengths)]).astype(array.dtype)
        return convert_to_tensor(splits)
    return RowPartition.from_value_rowids(ids, num_segments, validate=False).row_splits()


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Return rows: row i holds the data whose partition is i, in order."""
    data, partitions = as_values(data), as_values(partitions)
    if isinstance(partitions, RaggedTensor):
        data = as_values(data)
        return stack_dynamic_partitions(data.values, partitions.values, num_partitions)
    if partitions.shape.rank == 0:
        partitions, data = reshape(partitions, [1]), data[None]
    while partitions.shape.rank > 1:
        data, partitions = merge_dims(data, 0, 1), merge_dims(partitions, 0, 1)
    chosen = row_splits.content(partitions)
    static = get_static_value(num_partitions)
    if isinstance(chosen, Tensor) or static is None:
        return _stacked_when_run(data, row_splits.tensor(chosen, partitions.dtype), num_partitions)
    count = int(static)
    if not 0 <= count < 2**31:
        raise invalid(f"size ({count}) must be non-negative and fit into 32 bits")
    if chosen.size and (chosen.min() < 0 or chosen.max() >= count):
        raise invalid("partitions must be in [0, num_partitions)")
    if isinstance(data, RaggedTensor):
        chosen = chosen.astype(data._partition.dtype.as_numpy_dtype)
    order = np.argsort(chosen, kind="stable")
    values = take_rows(data, convert_to_tensor(order))
    return RaggedTensor.from_value_rowids(
        values, convert_to_tensor(chosen[order]), nrows=count, validate=False
    )


def _stacked_when_run(data: Any, partitions: Any, num_partitions: Any) -> Any:
    if isinstance(data, RaggedTensor):
        partitions = row_splits.tensor(partitions, data._partition.dtype)
    count = row_splits.tensor(num_partitions, partitions.dtype)
    inside = reduce_all((partitions >= 0) & (partitions < count))
    message = "partitions must be in [0, num_partitions)"
    partitions = row_splits.checked(partitions, inside, message)
    order = argsort(partitions, stable=True)
    return RaggedTensor.from_value_rowids(
        take_rows(data, order), gather(partitions, order), nrows=count, validate=False
    )
