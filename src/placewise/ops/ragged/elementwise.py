"""Element-by-element ops on ragged tensors: with tensors, with each other, with broadcasting.

Two ragged tensors must be cut alike; a dimension that is uniformly 1 stretches, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core.tensor import Tensor
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import reshape, sizes_of
from placewise.ops.array.static import get_static_value
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import not_equal
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.ragged_tensor import RaggedTensor, match_row_splits_dtypes
from placewise.ops.ragged.row_partition import RowPartition, known, wrong


def apply(function: Callable[..., Any], operands: list[Any]) -> Any:
    """Return `function` of operands, of which some are ragged, element by element."""
    ragged = [each for each in operands if isinstance(each, RaggedTensor)]
    if len(ragged) == 1 and all(each is ragged[0] or _is_scalar(each) for each in operands):
        rt = ragged[0]
        return rt.with_flat_values(function(*[flat_of(each) for each in operands]))
    match_row_splits_dtypes(*ragged)
    first = ragged[0]._nested_row_partitions
    if all(
        _is_scalar(each) or (isinstance(each, RaggedTensor) and _same(first, each))
        for each in operands
    ):
        result = function(*[flat_of(each) for each in operands])
        return RaggedTensor._from_nested_row_partitions(result, first)
    if len(ragged) == len(operands) and _cut_alike_if_run(ragged):
        partitions = [ragged[0]._partition, *first[1:]]
        for each in ragged[1:]:
            others = each._nested_row_partitions
            partitions = [_agreed(*both) for both in zip(partitions, others, strict=True)]
        result = function(*[flat_of(each) for each in operands])
        return RaggedTensor._from_nested_row_partitions(result, partitions)
    dtype = ragged[0].dtype
    tensors = [
        each if isinstance(each, (RaggedTensor, Tensor)) else convert_to_tensor(each, dtype)
        for each in operands
    ]
    partitions, flats = broadcast(tensors)
    return RaggedTensor._from_nested_row_partitions(function(*flats), partitions)


def flat_of(value: Any) -> Any:
    """Return the flat values of a ragged tensor, anything else as it is."""
    return value.flat_values if isinstance(value, RaggedTensor) else value


def _is_scalar(value: Any) -> bool:
    if isinstance(value, RaggedTensor):
        return False
    if isinstance(value, (int, float, complex, bool, str, bytes, np.generic)):
        return True
    shape = getattr(value, "shape", None)
    return shape is not None and len(shape) == 0


def _same(partitions: tuple[RowPartition, ...], rt: RaggedTensor) -> bool:
    others = rt._nested_row_partitions
    return len(others) == len(partitions) and all(
        mine.is_like(theirs) for mine, theirs in zip(partitions, others, strict=True)
    )


def _cut_alike_if_run(ragged: list[RaggedTensor]) -> bool:
    """True if symbolic operands have ragged dimensions alike, so that none of them stretches."""
    if len({(each.ragged_rank, each.shape.rank) for each in ragged}) > 1:
        return False
    partitions = [each for rt in ragged for each in rt._nested_row_partitions]
    return any(known(each.row_splits()) is None for each in partitions) and all(
        each.uniform_row_length() is None and each.static_nrows != 1 for each in partitions
    )


def _agreed(mine: RowPartition, theirs: RowPartition) -> RowPartition:
    """Return a partition; when it runs, both must be alike."""
    if mine.is_like(theirs):
        return mine
    splits = row_splits.content(mine.row_splits())
    same = row_splits.all_equal(splits, row_splits.content(theirs.row_splits()))
    return RowPartition(
        row_splits.checked(
            row_splits.tensor(splits, mine.dtype), same, "Condition x == y did not hold."
        )
    )


def broadcast(tensors: list[Any]) -> tuple[list[RowPartition], list[Any]]:
    """Return the partitions that all operands broadcast to, and their flat values so stretched."""
    rank = max(each.shape.rank for each in tensors)
    levels = max(
        each.ragged_rank + rank - each.shape.rank
        for each in tensors
        if isinstance(each, RaggedTensor)
    )
    dtype = next(each._partition.dtype for each in tensors if isinstance(each, RaggedTensor))
    operands = [_raised(each, rank, levels, dtype) for each in tensors]
    total = _common([each.nrows for each in operands])
    chosen = [
        _fitting(
            _stretched(each.nrows, row_splits.arange(total, each.splits[0])), each.nrows, total
        )
        for each in operands
    ]
    partitions = []
    for level in range(levels):
        splits = [each.splits[level] for each in operands]
        uniform = [each.uniform[level] for each in operands]
        lengths = [
            row_splits.take(row_splits.diff(cut), rows)
            for cut, rows in zip(splits, chosen, strict=True)
        ]
        kept = _kept(lengths, uniform)
        rows = row_splits.repeat(row_splits.arange(row_splits.count(kept), kept), kept)
        offsets = row_splits.offsets(kept)
        chosen = [
            row_splits.add(
                row_splits.take(row_splits.take(cut[:-1], chose), rows), _stretched(size, offsets)
            )
            for cut, chose, size in zip(splits, chosen, uniform, strict=True)
        ]
        size = None
        if all(each is not None for each in uniform):
            size = row_splits.tensor(_common(uniform), dtype)
        made = row_splits.tensor(row_splits.splits_of(kept), dtype)
        partitions.append(RowPartition(made, uniform_row_length=size))
    return partitions, [
        _picked(each.flat, rows) for each, rows in zip(operands, chosen, strict=True)
    ]


class _Operand:
    """A value as flat values below a given number of levels of rows.

    `uniform` holds, for each level, the one length of its rows, None where it is ragged.
    """

    def __init__(self, nrows: Any, splits: list[Any], uniform: list[Any], flat: Any):
        self.nrows, self.flat = nrows, flat
        self.splits, self.uniform = splits, uniform


def _stretched(size: Any, places: Any) -> Any:
    """Return places along a dimension, all 0 if it is uniformly 1 and stretches."""
    if size is None:
        return places
    if not isinstance(size, Tensor):
        return places * 0 if size == 1 else places

    return places * cast(not_equal(size, 1), row_splits.tensor(places, size.dtype).dtype)


def _fitting(places: Any, size: Any, common: Any) -> Any:
    """Return places; when they are counted, a size must be 1 or that of all operands."""
    if not isinstance(size, Tensor) or size is common:
        return places
    fits = (size == 1) | (size == common)
    return row_splits.checked(
        row_splits.tensor(places, size.dtype), fits, "Condition x == y did not hold."
    )


def _kept(lengths: list[Any], uniform: list[Any]) -> Any:
    """Return the lengths that rows of all operands have after those of 1 stretched."""
    ragged = [index for index, size in enumerate(uniform) if size is None]
    if not ragged:
        size = _common(uniform)
        longest = next((n for n, one in zip(lengths, uniform, strict=True) if one is size), None)
        kept = lengths[0] * 0 + size if longest is None else longest
        for each in uniform:
            kept = _fitting(kept, each, size)
        return kept
    kept = lengths[ragged[0]]
    for index, size in enumerate(uniform):
        if index == ragged[0] or (not isinstance(size, Tensor) and size == 1):
            continue
        same = row_splits.all_equal(lengths[index], kept)
        if isinstance(size, Tensor):
            kept, same = row_splits.tensor(kept, size.dtype), same | (size == 1)
        if same is False:
            raise _differ(lengths[index], kept)
        if same is not True:
            kept = row_splits.checked(kept, same, "Condition x == y did not hold.")
    return kept


def _raised(value: Any, rank: int, levels: int, dtype: Any) -> _Operand:
    """Return an operand with leading dimensions of 1 up to `rank`, and `levels` of rows."""
    if not isinstance(value, RaggedTensor):
        dims = [1] * (rank - value.shape.rank) + sizes_of(value, dtype)
        flat = _flattened(value, dims, levels)
        return _Operand(dims[0], *_uniform_levels(dims[0], dims[1 : levels + 1]), flat)
    missing = rank - len(value.shape)
    count = value._partition.static_nrows
    if count is None:
        count = value.nrows()
    splits: list[Any] = []
    uniform: list[Any] = []
    if missing:
        splits, uniform = _uniform_levels(1, [1] * (missing - 1) + [count])
    for partition in value._nested_row_partitions:
        splits.append(row_splits.content(partition.row_splits()))
        size = partition.uniform_row_length()
        static = None if size is None else get_static_value(size)
        uniform.append(size if static is None else int(static))
    flat = value.flat_values
    left = levels - len(splits)
    if left:
        dims = sizes_of(flat, dtype)
        more, sizes = _uniform_levels(dims[0], dims[1 : left + 1])
        splits += more
        uniform += sizes
        flat = _flattened(flat, dims, left)
    return _Operand(1 if missing else count, splits, uniform, flat)


def _flattened(value: Any, dims: list[Any], levels: int) -> Any:
    """Return a tensor with its first `levels` + 1 dimensions as one."""
    first: Any = 1
    for size in dims[: levels + 1]:
        first = first * size
    return reshape(value, [first, *dims[levels + 1 :]])


def _uniform_levels(count: Any, sizes: list[Any]) -> tuple[list[Any], list[Any]]:
    splits = []
    for size in sizes:
        like = next((each for each in (count, size) if isinstance(each, Tensor)), 0)
        splits.append(row_splits.arange(count + 1, like) * size)
        count = count * size
    return splits, list(sizes)


def _common(counts: list[Any]) -> Any:
    """Return the size that sizes, of which those of 1 stretch, have in common."""
    fixed = {count for count in counts if not isinstance(count, Tensor) and count != 1}
    if len(fixed) > 1:
        raise wrong(
            "Condition x == y did not hold.",
            "First 1 elements of x:",
            counts[0],
            "First 1 elements of y:",
            counts[1],
        )
    if fixed:
        return fixed.pop()

    open_sizes = [count for count in counts if isinstance(count, Tensor)]
    size = open_sizes[0] if open_sizes else 1
    for other in open_sizes[1:]:
        size = size if other is size else where(size == 1, other, size)
    return size


def _differ(mine: Any, theirs: Any) -> Exception:
    return wrong(
        "Condition x == y did not hold.",
        "First elements of x:",
        np.cumsum([0, *theirs]),
        "First elements of y:",
        np.cumsum([0, *mine]),
    )


def _picked(flat: Any, rows: Any) -> Any:
    if isinstance(rows, Tensor):
        return gather(flat, rows)
    if len(rows) == flat.shape[0] and np.array_equal(rows, np.arange(len(rows))):
        return flat
    return gather(flat, convert_to_tensor(rows.astype(np.int64)))
