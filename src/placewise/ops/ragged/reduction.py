"""Reductions of ragged tensors over any axes: sums, means, extremes, any and all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
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


class Kind(NamedTuple):
    """One reduction: of a tensor along axes, and of the rows that share a segment."""

    dense: Any  # the op over whole tensors
    segments: Any = None  # the op over segments, where there is one


SUM = Kind(reduction.reduce_sum, unsorted_segments.unsorted_segment_sum)
MAX = Kind(reduction.reduce_max, unsorted_segments.unsorted_segment_max)
MIN = Kind(reduction.reduce_min, unsorted_segments.unsorted_segment_min)
PROD = Kind(reduction.reduce_prod, unsorted_segments.unsorted_segment_prod)
MEAN = Kind(reduction.reduce_mean)
ANY, ALL = Kind(reduction.reduce_any), Kind(reduction.reduce_all)


def reduce(kind: Kind, rt: RaggedTensor, axis: Any, keepdims: bool = False) -> Any:
    """Return a reduction of `rt`."""
    axes = get_static_value(axis)
    if axes is None:
        raise ValueError("axis must be known at graph construction time.")
    if not isinstance(rt, RaggedTensor):
        return kind.dense(rt, axes, keepdims)
    if np.asarray(axes).size and np.asarray(axes).dtype.kind not in "iu":
        raise TypeError(
            f"axis must be an int; got {type(np.asarray(axes).flat[0].item()).__name__}"
        )
    rank = rt.shape.rank
    wanted = sorted({_front(int(one), rank) for one in np.asarray(axes).reshape(-1)})
    if not wanted:
        return rt
    if kind in (ANY, ALL):
        return _of_booleans(kind, rt, wanted, keepdims)
    if kind is MEAN:  # of integers too: as ragged tensors have it, not as whole ones
        return _mean(rt, wanted, keepdims)
    if len(wanted) == rank and not keepdims:
        return kind.dense(rt.flat_values)
    result: Any = rt
    for one in reversed(wanted):
        result = _over_one(kind, result, one, keepdims)
    return result


def join(rt: RaggedTensor, axis: int, keepdims: bool, separator: str) -> Any:
    """Return strings put together along some axes, all of them if `axis` is None."""
    rank = rt._known_rank()
    axes = range(rank) if axis is None else np.asarray(get_static_value(axis)).reshape(-1)
    kind = Kind(
        lambda value, axis, keepdims: reduce_join(value, axis, keepdims, separator),
        lambda data, segment_ids, count: unsorted_segment_join(data, segment_ids, count, separator),
    )
    result: Any = rt
    for one in sorted({_front(int(one), rank) for one in axes}, reverse=True):
        result = _over_one(kind, result, one, keepdims)
    return result


def _mean(rt: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    counts = rt.with_flat_values(ones_like(rt.flat_values))
    return reduce(SUM, rt, axes, keepdims) / reduce(SUM, counts, axes, keepdims)


def _of_booleans(kind: Kind, rt: RaggedTensor, axes: list[int], keepdims: bool) -> Any:
    numbers = rt.with_flat_values(cast(rt.flat_values, dtypes.int32))
    found = reduce(SUM if kind is ANY else PROD, numbers, axes, keepdims)
    if isinstance(found, RaggedTensor):
        return found.with_flat_values(found.flat_values != 0)
    return found != 0


def _over_one(kind: Kind, value: RaggedTensor, axis: int, keepdims: bool) -> Any:
    if not isinstance(value, RaggedTensor):
        return kind.dense(value, axis, keepdims)
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


def _segments(kind: Kind) -> Callable[..., Any]:
    if kind.segments is None:
        raise ValueError(f"{kind.dense.__name__} has no form for segments")
    segments: Callable[..., Any] = kind.segments
    return segments


def _with_axis(value: Tensor, axis: int) -> Any:
    return expand_dims(value, axis)


def segment(kind: Kind, data: TensorLike, segment_ids: Any, count: Any) -> Any:
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


def _longest_of_each(
    lengths: np.ndarray[Any, Any], segment_ids: np.ndarray[Any, Any], count: int
) -> Any:
    """Return, for each segment, the greatest length of its rows."""
    if row_splits.is_known(lengths, segment_ids, count):
        longest = np.zeros(int(count), np.int64)
        np.maximum.at(longest, segment_ids, lengths)
        return longest

    inputs: tuple[Any, ...] = (lengths, segment_ids, count)
    dtype = next(each.dtype for each in inputs if isinstance(each, Tensor))
    lengths, segment_ids = row_splits.tensor(lengths, dtype), row_splits.tensor(segment_ids, dtype)
    zero = convert_to_tensor(0, dtype)
    return maximum(unsorted_segments.unsorted_segment_max(lengths, segment_ids, count), zero)
