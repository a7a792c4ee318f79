"""Ragged tensors joined, stacked, repeated, reversed, split, masked and given more dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.gathering import ragged_ranges, take_rows
from placewise.ops.ragged.ragged_tensor import (
    RaggedTensor,
    _front,
    as_values,
    match_row_splits_dtypes,
)
from placewise.ops.ragged.row_partition import known, wrong


def _ragged(value: Any, like: Any = None) -> RaggedTensor:
    """Return a value as ragged at its second dimension."""
    if isinstance(value, RaggedTensor):
        return value
    return RaggedTensor.from_tensor(value, row_splits_dtype=like or dtypes.int64)


def _axis(axis: Any, rank: int) -> int:
    found = known(axis)
    if found is None:
        raise ValueError("axis must be known when program is built.")
    return _front(int(found), rank)


def concat(values: Any, axis: Any) -> Any:
    """Return values joined along `axis`."""
    several = match_row_splits_dtypes(*map(as_values, values))
    if len(several) == 1:
        return several[0]
    rank = several[0].shape.rank
    axis = _axis(axis, rank)
    return _concat(several, axis)


def _concat(several: list[Any], axis: int) -> Any:
    from placewise.ops.array.stacking import concat as dense_concat

    if not any(isinstance(each, RaggedTensor) for each in several):
        return dense_concat(several, axis)
    dtype = next(each._partition.dtype for each in several if isinstance(each, RaggedTensor))
    several = [_ragged(each, dtype) for each in several]
    if axis == 0:
        splits = [np.asarray(each.row_splits) for each in several]
        joined = [splits[0]]
        for one in splits[1:]:
            joined.append(one[1:] + joined[-1][-1])
        values = _concat([each.values for each in several], 0)
        return RaggedTensor.from_row_splits(values, np.concatenate(joined), validate=False)
    counts = [each._partition.static_nrows for each in several]
    for index, count in enumerate(counts):
        if count != counts[0]:
            raise wrong(
                f"Input tensors at index 0 (=x) and {index} (=y) have incompatible shapes.",
                "Condition x == y did not hold.", counts[0], count,
            )  # fmt: skip
    if axis > 1:
        _check_alike(several)
        return several[0].with_values(_concat([each.values for each in several], axis - 1))
    rows = int(counts[0])
    together = _concat(several, 0)
    order = np.arange(rows * len(several)).reshape(len(several), rows).T.reshape(-1)
    picked = take_rows(together, convert_to_tensor(order))
    splits = np.asarray(picked.row_splits)[:: len(several)]
    return RaggedTensor.from_row_splits(picked.values, splits, validate=False)


def _check_alike(several: list[RaggedTensor]) -> None:
    for other in several[1:]:
        if not several[0]._partition.is_like(other._partition):
            raise wrong(
                "Inputs must have identical ragged splits", "Condition x == y did not hold.",
                several[0].row_splits, other.row_splits,
            )  # fmt: skip


def stack(values: Any, axis: Any = 0) -> Any:
    """Return values side by side along a new dimension."""
    several = match_row_splits_dtypes(*map(as_values, values))
    rank = several[0].shape.rank
    axis = _axis(axis, rank + 1)
    if rank == 0:
        from placewise.ops.array.stacking import stack as dense_stack

        return dense_stack(several)
    if rank == 1 and axis == 0:
        lengths = [each.shape[0] for each in several]
        from placewise.ops.array.stacking import concat as dense_concat

        flat = several[0] if len(several) == 1 else dense_concat(several, 0)
        return RaggedTensor.from_row_lengths(flat, np.asarray(lengths, np.int32), validate=False)
    if axis == 0:
        lengths = [_count(each) for each in several]
        parts = [_ragged(each) for each in several]
        joined = parts[0] if len(parts) == 1 else _concat(parts, 0)
        kind = joined._partition.dtype.as_numpy_dtype
        return RaggedTensor.from_row_lengths(joined, np.asarray(lengths, kind), validate=False)
    return concat_or_only([expand_dims(each, axis) for each in several], axis)


def concat_or_only(values: list[Any], axis: int) -> Any:
    """Return values joined; a single one as it is."""
    return values[0] if len(values) == 1 else _concat(values, axis)


def _count(value: Any) -> int:
    return int(value._partition.static_nrows if isinstance(value, RaggedTensor) else value.shape[0])


def expand_dims(value: Any, axis: Any) -> Any:
    """Return the same with a dimension of size 1 more, at `axis`."""
    if not isinstance(value, RaggedTensor):
        from placewise.ops.array.shape import expand_dims as dense_expand_dims

        return dense_expand_dims(value, axis)
    axis = _axis(axis, value.shape.rank + 1)
    if axis == 0:
        count = value.nrows()
        return RaggedTensor.from_uniform_row_length(
            value, count, nrows=convert_to_tensor(1, count.dtype), validate=False
        )
    if axis == 1:
        count = value.nrows()
        return RaggedTensor.from_uniform_row_length(
            value, convert_to_tensor(1, count.dtype), nrows=count, validate=False
        )
    return value.with_values(expand_dims(value.values, axis - 1))


def tile(value: RaggedTensor, multiples: Any) -> Any:
    """Return rows and their content repeated `multiples[d]` times along each dimension."""
    times = known(multiples)
    if times is None:
        raise ValueError("multiples must be known when program is built.")
    times = np.asarray(times)
    if times.shape != (value.shape.rank,):
        raise ValueError(f"Dimensions {value.shape.rank} and {times.size} are not compatible")
    return _tiled(value, times.tolist())


def _tiled(value: Any, times: list[int]) -> Any:
    if not isinstance(value, RaggedTensor):
        from placewise.ops.array.repeating import tile as dense_tile

        return dense_tile(value, times)
    inner = value.with_values(_tiled(value.values, [1, *times[2:]]))
    splits = np.asarray(inner.row_splits)
    lengths = np.diff(splits)
    rows = np.tile(np.arange(len(lengths)), times[0])
    each = times[1]
    starts = np.repeat(splits[:-1][rows], each)
    places = ragged_ranges(starts, np.repeat(lengths[rows], each))
    values = take_rows(inner.values, convert_to_tensor(places.astype(np.int64)))
    cut = (lengths[rows] * each).astype(splits.dtype)
    return RaggedTensor.from_row_lengths(values, cut, validate=False)


def reverse(value: Any, axis: Any) -> Any:
    """Return the same with the order along some axes turned round."""
    if not isinstance(value, RaggedTensor):
        from placewise.ops.array.reordering import reverse as dense_reverse

        return dense_reverse(value, axis)
    axes = {_front(int(each), value.shape.rank) for each in np.asarray(known(axis)).reshape(-1)}
    inner = [each - 1 for each in sorted(axes) if each > 1]
    if inner:
        value = value.with_values(reverse(value.values, inner))
    if 1 in axes:
        value = value[:, ::-1]
    return value[::-1] if 0 in axes else value


def squeeze(value: RaggedTensor, axes: Any) -> Any:
    """Return the same without dimensions of size 1; which ones must be said."""
    if not axes:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    rank = value.shape.rank
    wanted = sorted({_front(int(each), rank) for each in axes}, reverse=True)
    result: Any = value
    for axis in wanted:
        result = _squeezed(result, axis)
    return result


def _squeezed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        from placewise.ops.array.shape import squeeze as dense_squeeze

        return dense_squeeze(value, axis)
    if axis == 0:
        if value._partition.static_nrows != 1:
            raise invalid(
                "Can not squeeze dim[0], expected a dimension of 1, got "
                f"{value._partition.static_nrows}"
            )
        return value.values
    if axis == 1:
        lengths = np.asarray(value.row_lengths())
        if (lengths != 1).any():
            raise invalid("the given axis (axis = 1) is not squeezable!")
        return value.values
    return value.with_values(_squeezed(value.values, axis - 1))


def split(value: RaggedTensor, sizes: Any, axis: Any) -> list[Any]:
    """Return `value` cut into pieces of these sizes along `axis`, or into so many alike."""
    axis = _axis(axis, value.shape.rank)
    if isinstance(sizes, int):
        total = _size_along(value, axis)
        if total % sizes:
            raise invalid(
                f"Cannot exactly split axis {axis} with length {total} into {sizes} pieces"
            )
        sizes = [total // sizes] * sizes
    pieces = []
    low = 0
    for size in sizes:
        key = (*[slice(None)] * axis, slice(low, low + size))
        pieces.append(value[key])
        low += size
    return pieces


def _size_along(value: RaggedTensor, axis: int) -> int:
    size = value.shape[axis]
    if size is None:
        raise ValueError("Cannot split along a ragged dimension")
    return int(size)


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Return the elements of `data` where `mask` is True, keeping the dimensions before them.

    The last dimension the mask covers becomes ragged; a mask of one dimension picks rows.
    """
    mask, data = as_values(mask), as_values(data)
    if mask.dtype is not dtypes.bool:
        mask = convert_to_tensor(mask, dtypes.bool)
    mask, data = match_row_splits_dtypes(mask, data)
    rank = mask.shape.rank
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    return _masked(data, mask)


def _masked(data: Any, mask: Any) -> Any:
    rank = mask.shape.rank
    if rank == 1:
        count = _count(data)
        kept = np.asarray(mask)
        if len(kept) != count:
            raise invalid(f"mask has {len(kept)} elements for {count} rows")
        if not isinstance(data, RaggedTensor):
            from placewise.ops.array.selecting import boolean_mask as dense_boolean_mask

            return dense_boolean_mask(data, mask)
        return take_rows(data, convert_to_tensor(np.flatnonzero(kept)))
    data, mask = _ragged(data), _ragged(mask)
    if not data._partition.is_like(mask._partition):
        raise wrong("Inputs must have identical ragged splits", "Condition x == y did not hold.",
                    data.row_splits, mask.row_splits)  # fmt: skip
    values = _masked(data.values, mask.values)
    if rank == 2:
        splits = np.asarray(mask.row_splits)
        before = np.concatenate([[0], np.cumsum(np.asarray(mask.values))])
        cut = before[splits].astype(splits.dtype)
        return RaggedTensor.from_row_splits(values, cut, validate=False)
    return data.with_values(values)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return the places of True, or elements of `x` where True and of `y` elsewhere."""
    if x is None:
        from placewise.ops.array.gathering import gather_nd
        from placewise.ops.array.selecting import where as dense_where

        if condition.shape.rank == condition.ragged_rank + 1:
            sparse = condition.to_sparse()
            return gather_nd(sparse.indices, dense_where(sparse.values))
        sparse = condition.to_sparse()
        return gather_nd(sparse.indices, dense_where(sparse.values))
    from placewise.ops.array.selecting import where as dense_where
    from placewise.ops.ragged.elementwise import apply

    return apply(dense_where, [condition, x, y])
