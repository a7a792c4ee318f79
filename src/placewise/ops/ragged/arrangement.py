"""Ragged tensors joined, stacked, repeated, reversed, split, masked and given more dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat as dense_concat
from placewise.ops.array.concat import stack as dense_stack
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather_nd
from placewise.ops.array.reverse import reverse as dense_reverse
from placewise.ops.array.shape import expand_dims as dense_expand_dims
from placewise.ops.array.shape import reshape
from placewise.ops.array.shape import shape as dense_shape
from placewise.ops.array.shape import squeeze as dense_squeeze
from placewise.ops.array.static import get_static_value
from placewise.ops.array.tile import tile as dense_tile
from placewise.ops.array.transpose import transpose
from placewise.ops.array.where import boolean_mask as dense_boolean_mask
from placewise.ops.array.where import where as dense_where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.reduction import reduce_all
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.elementwise import apply
from placewise.ops.ragged.gather import take_rows
from placewise.ops.ragged.ragged_tensor import (
    RaggedTensor,
    _front,
    as_values,
    match_row_splits_dtypes,
    rows_of,
)
from placewise.ops.ragged.row_partition import RowPartition, wrong


def _ragged(value: TensorLike, like: DType | None = None) -> RaggedTensor:
    """Return a value as ragged at its second dimension."""
    if isinstance(value, RaggedTensor):
        return value
    ragged_tensor: RaggedTensor = RaggedTensor.from_tensor(
        value, row_splits_dtype=like or dtypes.int64
    )
    return ragged_tensor


def _axis(axis: int, rank: int | None) -> int:
    found = get_static_value(axis)
    if found is None:
        raise ValueError("axis must be known when program is built.")
    if np.asarray(found).dtype.kind not in "iu":
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    return _front(int(found), rank)


def concat(values: list[Any], axis: int) -> Any:
    """Return values joined along `axis`."""
    several = match_row_splits_dtypes(*map(as_values, values))
    if len(several) == 1:
        return several[0]
    rank = several[0].shape.rank
    axis = _axis(axis, rank)
    return _concat(several, axis)


def _concat(several: list[Any], axis: int) -> Any:
    if not any(isinstance(each, RaggedTensor) for each in several):
        return dense_concat(several, axis)
    dtype = next(each._partition.dtype for each in several if isinstance(each, RaggedTensor))
    several = [_ragged(each, dtype) for each in several]
    if axis == 0:
        splits = [row_splits.content(each.row_splits) for each in several]
        values = _concat([each.values for each in several], 0)
        return RaggedTensor.from_row_splits(values, _end_to_end(splits, dtype), validate=False)
    several = _with_as_many_rows(several)
    if axis > 1:
        several = [_checked_alike(several), *several[1:]]
        return several[0].with_values(_concat([each.values for each in several], axis - 1))
    splits = [row_splits.content(each.row_splits) for each in several]
    together = _concat(several, 0)
    picked = take_rows(together, _in_turn(row_splits.count(splits[0][1:]), len(several), dtype))
    return RaggedTensor.from_row_splits(
        picked.values, picked.row_splits[:: len(several)], validate=False
    )


def _end_to_end(splits: list[Any], dtype: DType) -> Any:
    """Return the splits of ragged tensors whose values follow each other."""
    if row_splits.is_known(*splits):
        joined = [splits[0]]
        for one in splits[1:]:
            joined.append(one[1:] + joined[-1][-1])
        return np.concatenate(joined)

    joined = [row_splits.tensor(splits[0], dtype)]
    for one in splits[1:]:
        joined.append(row_splits.tensor(one, dtype)[1:] + joined[-1][-1])
    return dense_concat(joined, 0)


def _in_turn(rows: int, tensors: int, dtype: DType) -> Any:
    """Return the places of row 0 of each of several tensors laid end to end, then row 1, …"""
    if row_splits.is_known(rows):
        order = np.arange(rows * tensors).reshape(tensors, rows).T.reshape(-1)
        return convert_to_tensor(order)

    return reshape(transpose(reshape(row_splits.arange(rows * tensors, rows), [tensors, -1])), [-1])


def _with_as_many_rows(several: list[Any]) -> list[Any]:
    counts = [each._partition.static_nrows for each in several]
    for index, count in enumerate(counts):
        if None not in (count, counts[0]) and count != counts[0]:
            raise wrong(
                f"Input tensors at index 0 (=x) and {index} (=y) have incompatible shapes.",
                "Condition x == y did not hold.",
                counts[0],
                count,
            )
    if None not in counts:
        return several
    first = several[0]
    splits = first.row_splits
    for other in several[1:]:
        same = first.nrows() == other.nrows()
        splits = row_splits.checked(splits, same, "Input tensors have incompatible shapes.")
    return [RaggedTensor.from_row_splits(first.values, splits, validate=False), *several[1:]]


def _checked_alike(several: list[RaggedTensor]) -> RaggedTensor:
    """Return the first of several; they must be cut alike, in a graph when it runs."""
    first = several[0]
    for other in several[1:]:
        if first._partition.is_like(other._partition):
            continue
        splits = row_splits.content(first.row_splits), row_splits.content(other.row_splits)
        same = row_splits.all_equal(*splits)
        if same is False:
            raise wrong(
                "Inputs must have identical ragged splits",
                "Condition x == y did not hold.",
                first.row_splits,
                other.row_splits,
            )
        agreed = row_splits.checked(
            row_splits.tensor(splits[0], first._partition.dtype),
            same,
            "Inputs must have identical ragged splits",
        )
        uniform = first._partition.uniform_row_length()
        partition = RowPartition(agreed, uniform_row_length=uniform)
        first = RaggedTensor(first.values, partition, internal=True)
    return first


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Return values side by side along a new dimension."""
    several = match_row_splits_dtypes(*map(as_values, values))
    if not several:
        raise ValueError("values may not be empty: there is nothing to stack")
    rank = several[0].shape.rank
    axis = _axis(axis, rank + 1)
    if rank == 0:
        return dense_stack(several)
    if rank == 1 and axis == 0:
        flat = several[0] if len(several) == 1 else dense_concat(several, 0)
        lengths = _lengths([_count(each) for each in several], dtypes.int32)
        return RaggedTensor.from_row_lengths(flat, lengths, validate=False)
    if axis == 0:
        lengths = [_count(each) for each in several]
        parts = [_ragged(each) for each in several]
        joined = parts[0] if len(parts) == 1 else _concat(parts, 0)
        rows = _lengths(lengths, joined._partition.dtype)
        return RaggedTensor.from_row_lengths(joined, rows, validate=False)
    return concat_or_only([expand_dims(each, axis) for each in several], axis)


def concat_or_only(values: list[Any], axis: int) -> Any:
    """Return values joined; a single one as it is."""
    return values[0] if len(values) == 1 else _concat(values, axis)


def _count(value: Any) -> Any:
    """Return the size of dimension 0: an int where it is known, else a scalar tensor."""
    return rows_of(value)


def _lengths(counts: list[Any], dtype: DType) -> Any:
    if row_splits.is_known(*counts):
        return np.asarray(counts, dtype.as_numpy_dtype)

    return dense_stack([row_splits.tensor(each, dtype) for each in counts])


def expand_dims(value: Any, axis: Any) -> Any:
    """Return the same with a dimension of size 1 more, at `axis`."""
    if not isinstance(value, RaggedTensor):
        return dense_expand_dims(value, axis)
    axis = _axis(axis, value._known_rank() + 1)
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


def tile(value: RaggedTensor, multiples: list[Any]) -> Any:
    """Return rows and their content repeated `multiples[d]` times along each dimension."""
    times = get_static_value(multiples)
    if times is None:
        count = value._known_rank()
        return _tiled(value, [multiples[axis] for axis in range(count)])
    times = np.asarray(times)
    if times.shape != (value.shape.rank,):
        raise ValueError(f"Dimensions {value.shape.rank} and {times.size} are not compatible")
    return _tiled(value, times.tolist())


def _tiled(value: TensorLike, times: list[int]) -> Any:
    if not isinstance(value, RaggedTensor):
        return dense_tile(value, times)
    inner = value.with_values(_tiled(value.values, [1, *times[2:]]))
    dtype = inner._partition.dtype
    splits = row_splits.content(inner.row_splits)
    if not row_splits.is_known(*times[:2]):
        splits = row_splits.tensor(splits, dtype)
    outer, each = (row_splits.tensor(n, dtype) if isinstance(n, Tensor) else n for n in times[:2])
    rows = _again(row_splits.arange(row_splits.count(splits) - 1, splits), outer)
    starts, lengths = (
        row_splits.take(splits[:-1], rows),
        row_splits.take(row_splits.diff(splits), rows),
    )
    places = row_splits.runs(row_splits.repeat(starts, each), row_splits.repeat(lengths, each))
    if not isinstance(places, Tensor):
        places = convert_to_tensor(places.astype(np.int64))
    cut = row_splits.tensor(lengths * each, dtype)
    return RaggedTensor.from_row_lengths(take_rows(inner.values, places), cut, validate=False)


def _again(values: np.ndarray[Any, Any], times: int) -> Any:
    if row_splits.is_known(values, times):
        return np.tile(values, times)

    return dense_tile(values, [times])


def reverse(value: RaggedTensor, axis: list[Any]) -> Any:
    """Return the same with the order along some axes turned round."""
    if not isinstance(value, RaggedTensor):
        return dense_reverse(value, axis)
    given = get_static_value(axis)
    if given is None:
        raise ValueError("axis must be known when program is built.")
    axes = {_front(int(each), value.shape.rank) for each in np.asarray(given).reshape(-1)}
    inner = [each - 1 for each in sorted(axes) if each > 1]
    if inner:
        value = value.with_values(reverse(value.values, inner))
    if 1 in axes:
        value = value[:, ::-1]
    return value[::-1] if 0 in axes else value


def squeeze(value: RaggedTensor, axes: tuple[int, ...]) -> Any:
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
        return dense_squeeze(value, axis)
    if axis == 0:
        if value._partition.static_nrows not in (None, 1):
            raise invalid(
                "Can not squeeze dim[0], expected a dimension of 1, got "
                f"{value._partition.static_nrows}"
            )
        return value.values
    if axis == 1:
        if value._partition.static_uniform_row_length == 1:
            return value.values
        return _of_single_values(value)
    return value.with_values(_squeezed(value.values, axis - 1))


def _of_single_values(rt: RaggedTensor) -> Any:
    """Return the values of rows of length 1; in a graph the lengths are looked at when it runs."""
    lengths = row_splits.content(rt.row_lengths())
    message = "the given axis (axis = 1) is not squeezable!"
    if not isinstance(lengths, Tensor):
        return row_splits.checked(rt.values, bool((lengths == 1).all()), message)

    flat = row_splits.checked(rt.flat_values, reduce_all(lengths == 1), message)
    return rt.values.with_flat_values(flat) if isinstance(rt.values, RaggedTensor) else flat


def split(value: RaggedTensor, sizes: Any, axis: Any) -> list[Any]:
    """Return `value` cut into pieces of these sizes along `axis`, or into so many alike."""
    rank = value.shape.rank
    if isinstance(sizes, int) and sizes == 1:
        return [value]
    axis = _axis(axis, rank)
    if _is_ragged(value, axis):
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` "
            f"{axis}."
        )
    total = None if rank is None else value.shape[axis]
    if total is None and axis == 0:
        total = value.nrows()
    if isinstance(sizes, int):
        if total is None:
            raise ValueError("Cannot split along a dimension of unknown size")
        sizes = [total // sizes] * sizes
    if any(not isinstance(size, (int, Tensor)) for size in sizes):
        raise TypeError(
            f"`num_or_size_splits` must be an `int` or 1-D list or `Tensor`. Received {sizes}."
        )
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise invalid(f"`num_or_size_splits` must be non-negative. Received: {sizes}")
    if any(isinstance(size, Tensor) for size in sizes):
        is_valid = reduce_all(dense_stack(sizes) >= 0)
        value = _checked(value, is_valid, "`num_or_size_splits` must be non-negative.")
    if total is not None:
        value = _divided_exactly(value, sizes, total)
    pieces = []
    low = 0
    for size in sizes:
        key = (*[slice(None)] * axis, slice(low, low + size))
        pieces.append(value[key])
        low = low + size
    return pieces


def _is_ragged(value: RaggedTensor, axis: int) -> bool:
    """Return True if the rows along `axis` may differ in length."""
    if not 0 < axis <= value.ragged_rank:
        return False
    rows: Any = value
    for _ in range(axis - 1):
        rows = rows.values
    return rows._partition.uniform_row_length() is None


def _divided_exactly(value: RaggedTensor, sizes: Any, total: Any) -> RaggedTensor:
    """Return `value`, of `total` slices; unless `sizes` are as many, it raises, also when run."""
    message = (
        "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`."
    )
    whole = sum(sizes)
    if isinstance(whole, int) and isinstance(total, int):
        if whole != total:
            raise invalid(f"{message} Received: {sizes} for {total} slices")
        return value
    dtype = value._partition.dtype
    return _checked(value, equal(cast(whole, dtype), cast(total, dtype)), message)


def _checked(value: RaggedTensor, condition: Any, message: str) -> RaggedTensor:
    """Return `value`, of which nothing is read unless `condition` holds when it is run."""
    splits = row_splits.checked(value.row_splits, condition, message)
    partition = RowPartition(splits, uniform_row_length=value._partition.uniform_row_length())
    return RaggedTensor(value.values, partition, internal=True)


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
        if not isinstance(data, RaggedTensor):
            if data.shape.rank == 0:
                raise ValueError(f"Shapes {data.shape} and {mask.shape} are incompatible")
            if None not in (mask.shape[0], data.shape[0]) and mask.shape[0] != data.shape[0]:
                raise invalid(f"mask has {mask.shape[0]} elements for {data.shape[0]} rows")
            return dense_boolean_mask(data, mask)
        return _kept_rows(data, row_splits.content(mask))
    data = _ragged(data, mask._partition.dtype if isinstance(mask, RaggedTensor) else None)
    mask = _ragged(mask, data._partition.dtype)
    data = _checked_alike([data, mask])
    values = _masked(data.values, mask.values)
    if rank == 2:
        splits = row_splits.content(mask.row_splits)
        kept = row_splits.content(mask.values)
        if row_splits.is_known(splits, kept):
            cut = np.concatenate([[0], np.cumsum(kept)])[splits].astype(splits.dtype)
        else:
            cut = row_splits.take(
                row_splits.splits_of(row_splits.tensor(kept, mask._partition.dtype)), splits
            )
        return RaggedTensor.from_row_splits(values, cut, validate=False)
    return data.with_values(values)


def _kept_rows(data: RaggedTensor, kept: Any) -> Any:
    count = data._partition.static_nrows
    if not isinstance(kept, Tensor):
        if count is not None and len(kept) != count:
            raise invalid(f"mask has {len(kept)} elements for {count} rows")
        return take_rows(data, convert_to_tensor(np.flatnonzero(kept)))

    return take_rows(data, dense_where(kept)[:, 0])


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return the places of True, or elements of `x` where True and of `y` elsewhere."""
    if x is None:
        if condition.shape.rank == condition.ragged_rank + 1:
            sparse = condition.to_sparse()
            return gather_nd(sparse.indices, dense_where(sparse.values))
        sparse = condition.to_sparse()
        return gather_nd(sparse.indices, dense_where(sparse.values))

    dtype = next((each.dtype for each in (x, y) if isinstance(each, (RaggedTensor, Tensor))), None)
    x = _operand(x, dtype)
    return apply(dense_where, [_operand(condition, dtypes.bool), x, _operand(y, dtype or x.dtype)])


def _operand(value: Any, dtype: DType | None) -> Any:
    is_ready = isinstance(value, (RaggedTensor, Tensor))
    return value if is_ready else convert_to_tensor(value, dtype_hint=dtype)


def where_v1(condition: Any, x: Any, y: Any) -> Any:
    """Return elements of `x` and `y` as a ragged `condition` says, or rows as a vector does."""
    if isinstance(condition, RaggedTensor):
        if not (isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor)):
            raise ValueError("Input shapes do not match.")
        for each in (x, y):
            pairs = zip(condition.nested_row_splits, each.nested_row_splits, strict=False)
            same = [row_splits.all_equal(*map(row_splits.content, pair)) for pair in pairs]
            if each.ragged_rank != condition.ragged_rank or any(one is False for one in same):
                raise ValueError("Input shapes do not match.")
            for one in same:
                condition = _checked(condition, one, "Input shapes do not match.")
        return apply(dense_where, [condition, x, y])
    condition = convert_to_tensor(condition)
    condition.shape.assert_has_rank(1)
    count = dense_shape(condition, dtypes.int64)[0]
    rows = range_of(count)
    return take_rows(concat([x, y], 0), dense_where(condition, rows, rows + count))
