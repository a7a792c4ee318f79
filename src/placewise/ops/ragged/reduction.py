"""Reductions of ragged tensors over any axes: sums, means, extremes, any and all."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.ragged_tensor import RaggedTensor, _front
from placewise.ops.ragged.row_partition import known


def reduce(kind: str, rt: RaggedTensor, axis: Any, keepdims: bool = False) -> Any:
    """Return a reduction of `rt`; `kind` is the name of the dense op (Sum, Mean, …)."""
    axes = known(axis)
    if axes is None:
        raise ValueError("axis must be known when program is built.")
    if not isinstance(rt, RaggedTensor):
        return _dense(kind)(rt, axes, keepdims)
    rank = rt.shape.rank
    wanted = sorted({_front(int(each), rank) for each in np.asarray(axes).reshape(-1)})
    if not wanted:
        return rt
    if kind in ("Any", "All"):
        return _of_booleans(kind, rt, wanted, keepdims)
    if len(wanted) == rank and not keepdims:
        return _dense(kind)(rt.flat_values)
    if kind == "Mean":
        return _mean(rt, wanted, keepdims)
    result: Any = rt
    for one in reversed(wanted):
        result = _over_one(kind, result, one, keepdims)
    return result


def _dense(kind: str) -> Any:
    from placewise.ops.math import reduction

    names = {"Sum": "sum", "Mean": "mean", "Max": "max", "Min": "min", "Prod": "prod",
             "Any": "any", "All": "all"}  # fmt: skip
    return getattr(reduction, f"reduce_{names[kind]}")


def _mean(rt: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    from placewise.ops.array.creation import ones_like

    counts = rt.with_flat_values(ones_like(rt.flat_values))
    return reduce("Sum", rt, axes, keepdims) / reduce("Sum", counts, axes, keepdims)


def _of_booleans(kind: str, rt: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    from placewise.ops.math.casting import cast

    numbers = rt.with_flat_values(cast(rt.flat_values, dtypes.int32))
    found = reduce("Sum" if kind == "Any" else "Prod", numbers, axes, keepdims)
    if isinstance(found, RaggedTensor):
        return found.with_flat_values(found.flat_values != 0)
    return found != 0


def _over_one(kind: str, value: Any, axis: int, keepdims: bool) -> Any:
    if not isinstance(value, RaggedTensor):
        return _dense(kind)(value, axis, keepdims)
    if axis == 0:
        columns = _offsets(value)
        lengths = np.diff(np.asarray(value.row_splits))
        count = int(lengths.max()) if lengths.size else 0
        result = segment(kind, value.values, columns, count)
        return _with_axis(result, 0) if keepdims else result
    if axis == 1:
        rows = np.asarray(value.value_rowids())
        result = segment(kind, value.values, rows, value._partition.static_nrows)
        return _with_axis(result, 1) if keepdims else result
    return value.with_values(_over_one(kind, value.values, axis - 1, keepdims))


def _with_axis(value: Any, axis: int) -> Any:
    from placewise.ops.array.shape import expand_dims

    return expand_dims(value, axis)


def _offsets(rt: RaggedTensor) -> Any:
    splits = np.asarray(rt.row_splits)
    lengths = np.diff(splits)
    return np.arange(int(splits[-1])) - np.repeat(splits[:-1], lengths)


def segment(kind: str, data: Any, segment_ids: Any, count: Any) -> Any:
    """Return the reduction of the rows of `data` that share a segment, place by place."""
    if not isinstance(data, RaggedTensor):
        from placewise.ops.math import unsorted_segments as dense

        function = getattr(dense, f"unsorted_segment_{kind.lower()}")
        return function(data, convert_to_tensor(np.asarray(segment_ids, np.int64)), count)
    segment_ids = np.asarray(segment_ids)
    lengths = np.diff(np.asarray(data.row_splits))
    longest = np.zeros(int(count), np.int64)
    np.maximum.at(longest, segment_ids, lengths)
    splits = np.concatenate([[0], np.cumsum(longest)]).astype(data._partition.dtype.as_numpy_dtype)
    places = np.repeat(splits[:-1][segment_ids], lengths) + _offsets(data)
    values = segment(kind, data.values, places, int(splits[-1]))
    return RaggedTensor.from_row_splits(values, splits, validate=False)
