"""Python's indexing of ragged tensors: integers, slices, `...` and `tf.newaxis`.

The outermost dimension takes anything; an inner ragged one takes slices, since rows may be too
short for an integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import INDEX
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.ragged.gathering import ragged_ranges, take_rows
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.row_partition import RowPartition, splits_of_lengths


def getitem(rt: RaggedTensor, key: Any) -> Any:
    """Return what `rt[key]` names."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    keys = [_checked(each) for each in keys]
    if sum(each is Ellipsis for each in keys) > 1:
        raise ValueError("Found multiple ellipsis")
    if Ellipsis in keys:
        keys = _without_ellipsis(keys, rt)
    return _outer(rt, keys)


def _checked(key: Any) -> Any:
    if key is None or key is Ellipsis:
        return key
    if isinstance(key, slice):
        return slice(*(_plain(each) for each in (key.start, key.stop, key.step)))
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        return int(key)
    if isinstance(key, Tensor) and key.dtype in INDEX and key.shape.rank == 0:
        return int(key)
    if isinstance(key, np.ndarray) and key.ndim == 0 and key.dtype.kind in "iu":
        return int(key)
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {key!r}"
    )


def _plain(bound: Any) -> Any:
    if bound is None:
        return None
    if isinstance(bound, (int, np.integer, Tensor)) and not isinstance(bound, bool):
        return int(bound)
    raise TypeError(f"slice offsets must be integers or None, got {bound!r}")


def _without_ellipsis(keys: list[Any], rt: RaggedTensor) -> list[Any]:
    at = next(index for index, each in enumerate(keys) if each is Ellipsis)
    taken = sum(each is not None for each in keys) - 1
    rank = rt.shape.rank
    if taken > rank:
        raise IndexError(f"Too many indices for {rank}-dimensional ragged tensor")
    return [*keys[:at], *[slice(None)] * (rank - taken), *keys[at + 1 :]]


def _outer(value: Any, keys: list[Any]) -> Any:
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _outer(value, rest)
        if not isinstance(inner, RaggedTensor):
            from placewise.ops.array.shape import expand_dims

            return expand_dims(inner, 0)
        count = inner.nrows()
        return RaggedTensor.from_uniform_row_length(inner, count, nrows=_one(count), validate=False)
    if isinstance(first, int):
        return _outer(_row(value, first), rest)
    return _inner(_rows(value, first), rest)


def _one(like: Any) -> Any:
    return convert_to_tensor(1, like.dtype)


def _row(rt: RaggedTensor, index: int) -> Any:
    splits = rt.row_splits
    count = rt._partition.static_nrows
    if count is None:
        return rt.values[splits[index] : splits[index + 1]]
    if not -count <= index < count:
        raise IndexError(f"Row key {index} out of bounds")
    array = np.asarray(splits)
    index %= count
    return _piece(rt.values, int(array[index]), int(array[index + 1]))


def _piece(values: Any, low: int, high: int) -> Any:
    """Return `values[low:high]`."""
    if isinstance(values, RaggedTensor):
        return _rows(values, slice(low, high))
    return values[low:high]


def _rows(rt: RaggedTensor, key: slice) -> RaggedTensor:
    """Return the rows of a slice."""
    if key == slice(None):
        return rt
    splits = np.asarray(rt.row_splits)
    starts, limits = splits[:-1][key], splits[1:][key]
    if key.step in (None, 1):
        low = int(starts[0]) if len(starts) else 0
        high = int(limits[-1]) if len(starts) else 0
        values = _piece(rt.values, low, high)
        cut = np.concatenate([starts, limits[-1:]]) - low if len(starts) else splits[:1]
        uniform = rt._partition.uniform_row_length()
        partition = RowPartition(convert_to_tensor(cut), uniform_row_length=uniform)
        return RaggedTensor(values, partition, internal=True)
    return _runs(rt, starts, limits - starts, None)


def _runs(rt: RaggedTensor, starts: Any, lengths: Any, step: Any) -> RaggedTensor:
    """Return rows that are runs of the values."""
    places = ragged_ranges(starts, lengths) if step is None else _stepped(starts, lengths, step)
    values = take_rows(rt.values, convert_to_tensor(places.astype(np.int64)))
    kind = rt._partition.dtype.as_numpy_dtype
    partition = RowPartition(splits_of_lengths(lengths.astype(kind)))
    return RaggedTensor(values, partition, internal=True)


def _stepped(starts: Any, lengths: Any, step: int) -> Any:
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    within = np.arange(total) - np.repeat(ends - lengths, lengths)
    return np.repeat(starts, lengths) + within * step


def _inner(value: Any, keys: list[Any]) -> Any:
    """Apply keys to the dimensions behind the first."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[(slice(None), *keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _inner(value, rest)
        if not isinstance(inner, RaggedTensor):
            from placewise.ops.array.shape import expand_dims

            return expand_dims(inner, 1)
        rows = inner.nrows()
        return RaggedTensor.from_uniform_row_length(inner, _one(rows), nrows=rows, validate=False)
    if isinstance(first, int):
        length = value._partition.static_uniform_row_length
        if length is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        if not -length <= first < length:
            raise IndexError(f"Row key {first} out of bounds")
        places = np.asarray(value.row_starts()) + first % length
        return _inner(take_rows(value.values, convert_to_tensor(places)), rest)
    if first != slice(None):
        value = _sliced_rows(value, first)
    return value.with_values(_inner(value.values, rest)) if rest else value


def _sliced_rows(rt: RaggedTensor, key: slice) -> RaggedTensor:
    """Return each row cut by one slice, by Python's rules for each row's own length."""
    splits = np.asarray(rt.row_splits)
    starts, lengths = splits[:-1], np.diff(splits)
    step = 1 if key.step is None else key.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    begin = _bound(key.start, lengths, low, high, low if step > 0 else high)
    end = _bound(key.stop, lengths, low, high, high if step > 0 else low)
    counts = np.maximum(0, -((begin - end) // step) if step > 0 else -((end - begin) // -step))
    made = _runs(rt, starts + begin, counts, step)
    length = rt._partition.static_uniform_row_length
    if length is not None:
        size = convert_to_tensor(len(range(*key.indices(length))), rt._partition.dtype)
        made._partition = RowPartition(made.row_splits, uniform_row_length=size)
    return made


def _bound(given: int | None, lengths: Any, low: Any, high: Any, default: Any) -> Any:
    if given is None:
        return np.broadcast_to(default, lengths.shape)
    return np.clip(given + lengths if given < 0 else np.full_like(lengths, given), low, high)
