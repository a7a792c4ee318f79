"""Reductions of ragged tensors over any axes: sums, means, extremes, any and all."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import ones_like
from placewise.ops.array.shape import expand_dims
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math import reduction, unsorted_segments
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.ragged_tensor import RaggedTensor, _front
from placewise.ops.strings.join import reduce_join, unsorted_segment_join


def reduce(kind: str, rt: RaggedTensor, axis: Any, keepdims: bool = False) -> Any:
    """Return a reduction of `rt`; `kind` is the name of the dense op (Sum, Mean, …)."""
    axes = get_static_value(axis)
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


def join(rt: RaggedTensor, axis: Any, keepdims: bool, separator: Any) -> Any:
    """Return strings put together along some axes, all of them if `axis` is None."""
    rank = rt.shape.rank
    axes = range(rank) if axis is None else np.asarray(get_static_value(axis)).reshape(-1)
    result: Any = rt
    for one in sorted({_front(int(each), rank) for each in axes}, reverse=True):
        result = _over_one(_Joining(separator), result, one, keepdims)
    return result


class _Joining:
    """The dense ops that join strings with a separator, in place of a kind's name."""

    def __init__(self, separator: Any) -> None:
        self.separator = separator

    def dense(self, value: Any, axis: int, keepdims: bool) -> Any:
        return reduce_join(value, axis, keepdims, self.separator)

    def segments(self, data: Any, segment_ids: Any, count: Any) -> Any:
        return unsorted_segment_join(data, segment_ids, count, self.separator)


def _dense(kind: Any) -> Any:
    if isinstance(kind, _Joining):
        return kind.dense

    names = {
        "Sum": "sum",
        "Mean": "mean",
        "Max": "max",
        "Min": "min",
        "Prod": "prod",
        "Any": "any",
        "All": "all",
    }
    return getattr(reduction, f"reduce_{names[kind]}")


def _mean(rt: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    counts = rt.with_flat_values(ones_like(rt.flat_values))
    return reduce("Sum", rt, axes, keepdims) / reduce("Sum", counts, axes, keepdims)


def _of_booleans(kind: str, rt: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    numbers = rt.with_flat_values(cast(rt.flat_values, dtypes.int32))
    found = reduce("Sum" if kind == "Any" else "Prod", numbers, axes, keepdims)
    if isinstance(found, RaggedTensor):
        return found.with_flat_values(found.flat_values != 0)
    return found != 0


def _over_one(kind: Any, value: Any, axis: int, keepdims: bool) -> Any:
    if not isinstance(value, RaggedTensor):
        return _dense(kind)(value, axis, keepdims)
    if axis == 0:
        lengths = row_splits.diff(row_splits.content(value.row_splits))
        result = segment(
            kind, value.values, row_splits.offsets(lengths), row_splits.longest(lengths)
        )
        return _with_axis(result, 0) if keepdims else result
    if axis == 1 and not isinstance(value.values, RaggedTensor):
        result = _segments(kind)(value.values, value.value_rowids(), value.nrows())
        return _with_axis(result, 1) if keepdims else result
    if axis == 1:
        count = value._partition.static_nrows
        rows = row_splits.content(value.value_rowids())
        result = segment(kind, value.values, rows, value.nrows() if count is None else count)
        return _with_axis(result, 1) if keepdims else result
    return value.with_values(_over_one(kind, value.values, axis - 1, keepdims))


def _segments(kind: Any) -> Any:
    if isinstance(kind, _Joining):
        return kind.segments

    return getattr(unsorted_segments, f"unsorted_segment_{kind.lower()}")


def _with_axis(value: Any, axis: int) -> Any:
    return expand_dims(value, axis)


def segment(kind: Any, data: Any, segment_ids: Any, count: Any) -> Any:
    """Return the reduction of the rows of `data` that share a segment, place by place."""
    if not isinstance(data, RaggedTensor):
        ids = segment_ids
        if not isinstance(ids, Tensor):
            ids = convert_to_tensor(np.asarray(segment_ids, np.int64))
        return _segments(kind)(data, ids, count)
    lengths = row_splits.diff(row_splits.content(data.row_splits))
    splits = row_splits.splits_of(_longest_of_each(lengths, segment_ids, count))
    starts = row_splits.repeat(row_splits.take(splits[:-1], segment_ids), lengths)
    places = row_splits.add(starts, row_splits.offsets(lengths))
    values = segment(kind, data.values, places, splits[-1])
    made = row_splits.tensor(splits, data._partition.dtype)
    return RaggedTensor.from_row_splits(values, made, validate=False)


def _longest_of_each(lengths: Any, segment_ids: Any, count: Any) -> Any:
    """Return, for each segment, the greatest length of its rows."""
    if row_splits.is_known(lengths, segment_ids, count):
        longest = np.zeros(int(count), np.int64)
        np.maximum.at(longest, segment_ids, lengths)
        return longest

    dtype = next(each.dtype for each in (lengths, segment_ids, count) if isinstance(each, Tensor))
    lengths, segment_ids = row_splits.tensor(lengths, dtype), row_splits.tensor(segment_ids, dtype)
    zero = convert_to_tensor(0, dtype)
    return maximum(_segments("Max")(lengths, segment_ids, count), zero)
