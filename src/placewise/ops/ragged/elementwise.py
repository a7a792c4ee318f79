"""Element-by-element ops on ragged tensors: with tensors, with each other, with broadcasting.

Two ragged tensors must be cut alike; a dimension that is uniformly 1 stretches, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.ragged_tensor import RaggedTensor, match_row_splits_dtypes
from placewise.ops.ragged.row_partition import RowPartition, wrong


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
    counts = [each.static_nrows for each in operands]
    total = _common(counts, "Condition x == y did not hold.")
    chosen = [np.zeros(total, np.int64) if count == 1 else np.arange(total) for count in counts]
    partitions = []
    for level in range(levels):
        splits = [each.splits[level] for each in operands]
        lengths = [np.diff(cut)[rows] for cut, rows in zip(splits, chosen, strict=True)]
        stretches = [each.is_one(level) for each in operands]
        kept = next((n for n, one in zip(lengths, stretches, strict=True) if not one), lengths[0])
        for length, one in zip(lengths, stretches, strict=True):
            if not one and not np.array_equal(length, kept):
                raise _differ(length, kept)
        rows = np.repeat(np.arange(len(kept)), kept)
        ends = np.cumsum(kept)
        offsets = np.arange(len(rows)) - np.repeat(ends - kept, kept)
        chosen = [
            cut[:-1][chose][rows] + (0 if one else offsets)
            for cut, chose, one in zip(splits, chosen, stretches, strict=True)
        ]
        kind = dtype.as_numpy_dtype
        cuts = np.concatenate([[0], ends]).astype(kind)
        uniform = None
        if all(each.uniform[level] is not None for each in operands):
            size = max(each.uniform[level] for each in operands)
            uniform = convert_to_tensor(size, dtype)
        partitions.append(RowPartition(convert_to_tensor(cuts), uniform_row_length=uniform))
    return partitions, [
        _picked(each.flat, rows) for each, rows in zip(operands, chosen, strict=True)
    ]


class _Operand:
    """A value as flat values below a given number of levels of rows."""

    def __init__(self, static_nrows: int, splits: list[Any], uniform: list[Any], flat: Any):
        self.static_nrows, self.flat = static_nrows, flat
        self.splits, self.uniform = splits, uniform

    def is_one(self, level: int) -> bool:
        """True if a dimension is uniformly 1, so that it may stretch."""
        return bool(self.uniform[level] == 1)


def _raised(value: Any, rank: int, levels: int, dtype: Any) -> _Operand:
    """Return an operand with leading dimensions of 1 up to `rank`, and `levels` of rows."""
    from placewise.ops.array.shape import reshape

    if not isinstance(value, RaggedTensor):
        dims = [1] * (rank - value.shape.rank) + value.shape.as_list()
        inner = dims[levels + 1 :]
        flat = reshape(value, [int(np.prod(dims[: levels + 1], dtype=np.int64)), *inner])
        return _Operand(dims[0], *_uniform_levels(dims[0], dims[1 : levels + 1]), flat)
    missing = rank - value.shape.rank
    count = value._partition.static_nrows
    splits: list[Any] = []
    uniform: list[Any] = []
    if missing:
        splits, uniform = _uniform_levels(1, [1] * (missing - 1) + [count])
    for partition in value._nested_row_partitions:
        splits.append(np.asarray(partition.row_splits()))
        uniform.append(partition.static_uniform_row_length)
    flat = value.flat_values
    left = levels - len(splits)
    if left:
        dims = flat.shape.as_list()
        more, sizes = _uniform_levels(dims[0], dims[1 : left + 1])
        splits += more
        uniform += sizes
        flat = reshape(flat, [int(np.prod(dims[: left + 1], dtype=np.int64)), *dims[left + 1 :]])
    return _Operand(1 if missing else count, splits, uniform, flat)  # type: ignore[arg-type]


def _uniform_levels(count: int, sizes: list[int]) -> tuple[list[Any], list[Any]]:
    splits = []
    for size in sizes:
        splits.append(np.arange(count + 1, dtype=np.int64) * size)
        count *= size
    return splits, list(sizes)


def _common(counts: list[Any], message: str) -> int:
    found = {count for count in counts if count != 1}
    if len(found) > 1:
        raise wrong(
            message, "First 1 elements of x:", counts[0], "First 1 elements of y:", counts[1]
        )
    return int(found.pop()) if found else 1


def _differ(mine: Any, theirs: Any) -> Exception:
    return wrong(
        "Condition x == y did not hold.", "First elements of x:", np.cumsum([0, *theirs]),
        "First elements of y:", np.cumsum([0, *mine]),
    )  # fmt: skip


def _picked(flat: Any, rows: Any) -> Any:
    from placewise.ops.array.gathering import gather

    if len(rows) == flat.shape[0] and np.array_equal(rows, np.arange(len(rows))):
        return flat
    return gather(flat, convert_to_tensor(rows.astype(np.int64)))
