"""Python's indexing of ragged tensors: integers, slices, `...` and `tf.newaxis`.

The outermost dimension takes anything; an inner ragged one takes slices, since rows may be too
short for an integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import INDEX
from placewise.core.errors import hint
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import expand_dims
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor, kept_on_host
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.ragged import row_splits
from placewise.ops.ragged.gather import take_rows
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.row_partition import RowPartition


def getitem(rt: RaggedTensor, key: Any) -> Any:
    """Return what `rt[key]` names."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    keys = [_checked(each) for each in keys]
    if sum(each is Ellipsis for each in keys) > 1:
        raise ValueError("Found multiple ellipsis")
    if any(each is Ellipsis for each in keys):
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
        return _whole(key)
    if isinstance(key, np.ndarray) and key.ndim == 0 and key.dtype.kind in "iu":
        return int(key)
    raise TypeError(
        hint(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {key!r}",
            "tf.gather takes indices from a tensor, tf.boolean_mask a mask",
        )
    )


def _plain(bound: Any) -> Any:
    if bound is None:
        return None
    if isinstance(bound, (int, np.integer, Tensor)) and not isinstance(bound, bool):
        return _whole(bound)
    raise TypeError(f"slice offsets must be integers or None, got {bound!r}")


def _whole(number: Any) -> Any:
    """Return a scalar as an int where it is known, else as the symbolic tensor it is."""
    static = get_static_value(number)
    return number if static is None else int(static)


def _without_ellipsis(keys: list[Any], rt: RaggedTensor) -> list[Any]:
    at = next(index for index, each in enumerate(keys) if each is Ellipsis)
    taken = sum(each is not None for each in keys) - 1
    rank = rt._known_rank()
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
            return expand_dims(inner, 0)
        count = inner.nrows()
        return RaggedTensor.from_uniform_row_length(inner, count, nrows=_one(count), validate=False)
    if isinstance(first, (int, Tensor)):
        return _outer(_row(value, first), rest)
    return _inner(_rows(value, first), rest)


def _one(like: Any) -> Any:
    return convert_to_tensor(1, like.dtype)


def _row(rt: RaggedTensor, index: Any) -> Any:
    splits = row_splits.content(rt.row_splits)
    count = rt._partition.static_nrows
    if isinstance(index, int) and count is not None:
        if not -count <= index < count:
            raise IndexError(f"Row key {index} out of bounds")
        index %= count
    elif isinstance(index, Tensor) or index < 0:
        size = row_splits.tensor(rt.nrows(), rt._partition.dtype)
        index = row_splits.tensor(index, rt._partition.dtype)
        index = index + size * row_splits.tensor(index < 0, rt._partition.dtype)
        splits = row_splits.tensor(splits, rt._partition.dtype)
        return _piece(rt.values, splits[index], splits[index + 1])
    return _piece(rt.values, _bare(splits[index]), _bare(splits[index + 1]))


def _bare(place: Any) -> Any:
    return place if isinstance(place, Tensor) else int(place)


def _piece(values: Any, low: Any, high: Any) -> Any:
    """Return `values[low:high]`, for bounds within the values."""
    if isinstance(values, RaggedTensor):
        return _rows(values, slice(low, high))
    return values[low:high]


def _rows(rt: RaggedTensor, key: slice) -> RaggedTensor:
    """Return the rows of a slice."""
    if key.start is None and key.stop is None and key.step is None:
        return rt
    splits = row_splits.content(rt.row_splits)
    if isinstance(splits, Tensor) or any(
        isinstance(each, Tensor) for each in (key.start, key.stop, key.step)
    ):
        return _symbolic_rows(rt, row_splits.tensor(splits, rt._partition.dtype), key)
    starts, limits = splits[:-1][key], splits[1:][key]
    if key.step in (None, 1):
        low = int(starts[0]) if len(starts) else 0
        high = int(limits[-1]) if len(starts) else 0
        values = _piece(rt.values, low, high)
        cut = np.concatenate([starts, limits[-1:]]) - low if len(starts) else splits[:1]
        uniform = rt._partition.uniform_row_length()
        partition = RowPartition(kept_on_host(cut), uniform_row_length=uniform)
        return RaggedTensor(values, partition, internal=True)
    return _runs(rt, starts, limits - starts, 1)


def _symbolic_rows(rt: RaggedTensor, splits: Any, key: slice) -> RaggedTensor:
    starts, lengths = splits[:-1][key], row_splits.diff(splits)[key]
    made = _runs(rt, starts, lengths, 1)
    uniform = rt._partition.uniform_row_length()
    if uniform is not None:
        made._partition = RowPartition(made.row_splits, uniform_row_length=uniform)
    return made


def _runs(rt: RaggedTensor, starts: Any, lengths: Any, step: Any) -> RaggedTensor:
    """Return rows that are runs of the values."""
    places = row_splits.runs(starts, lengths, step)
    wide = places if isinstance(places, Tensor) else convert_to_tensor(places.astype(np.int64))
    partition = RowPartition(row_splits.tensor(row_splits.splits_of(lengths), rt._partition.dtype))
    return RaggedTensor(take_rows(rt.values, wide), partition, internal=True)


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
            return expand_dims(inner, 1)
        rows = inner.nrows()
        return RaggedTensor.from_uniform_row_length(inner, _one(rows), nrows=rows, validate=False)
    if isinstance(first, int):
        length = value._partition.static_uniform_row_length
        if length is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        if not -length <= first < length:
            raise IndexError(f"Row key {first} out of bounds")
        places = row_splits.content(value.row_starts()) + first % length
        places = row_splits.tensor(places, value._partition.dtype)
        return _inner(take_rows(value.values, places), rest)
    if isinstance(first, Tensor):
        return _inner(_one_each(value, first), rest)
    if any(each is not None for each in (first.start, first.stop, first.step)):
        value = _sliced_rows(value, first)
    return value.with_values(_inner(value.values, rest)) if rest else value


def _one_each(rt: RaggedTensor, index: Any) -> Any:
    """Return the entry at a symbolic index of each row; rows must have one length."""
    length = rt._partition.uniform_row_length()
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    index = row_splits.tensor(index, length.dtype)
    index = index + length * row_splits.tensor(index < 0, length.dtype)
    inside = (index >= 0) & (index < length)
    index = row_splits.checked(index, inside, "Row key out of bounds")
    return take_rows(rt.values, rt.row_starts() + index)


def _sliced_rows(rt: RaggedTensor, key: slice) -> RaggedTensor:
    """Return each row cut by one slice, by Python's rules for each row's own length."""
    splits = row_splits.content(rt.row_splits)
    if isinstance(key.step, Tensor):
        raise ValueError("slice step of an inner ragged dimension must be known")
    if any(isinstance(each, Tensor) for each in (key.start, key.stop)):
        splits = row_splits.tensor(splits, rt._partition.dtype)
    starts, lengths = splits[:-1], row_splits.diff(splits)
    step = 1 if key.step is None else key.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    begin = _bound(key.start, lengths, low, high, low if step > 0 else high)
    end = _bound(key.stop, lengths, low, high, high if step > 0 else low)
    counts = _at_least(-((begin - end) // step) if step > 0 else -((end - begin) // -step), 0)
    made = _runs(rt, starts + begin, counts, step)
    length = rt._partition.static_uniform_row_length
    if length is not None and not any(isinstance(each, Tensor) for each in (key.start, key.stop)):
        size = convert_to_tensor(len(range(*key.indices(length))), rt._partition.dtype)
        made._partition = RowPartition(made.row_splits, uniform_row_length=size)
    return made


def _at_least(value: Any, low: Any) -> Any:
    if not isinstance(value, Tensor):
        return np.maximum(value, low)

    return maximum(value, row_splits.tensor(low, value.dtype))


def _bound(given: Any, lengths: Any, low: Any, high: Any, default: Any) -> Any:
    """Return where the slice of each row begins or ends."""
    if not isinstance(lengths, Tensor):
        if given is None:
            return np.broadcast_to(default, lengths.shape)
        return np.clip(given + lengths if given < 0 else np.full_like(lengths, given), low, high)

    low, high = lengths * 0 + low, row_splits.tensor(high, lengths.dtype)
    if given is None:
        return lengths * 0 + default
    given = row_splits.tensor(given, lengths.dtype)
    own = lengths * row_splits.tensor(given < 0, lengths.dtype) + given
    return minimum(_at_least(own, low), high)
