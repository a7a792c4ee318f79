"""`tensor[...]` with arrays, lists and masks among the indices: NumPy's rules, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.core.tensor import Tensor
from placewise.numpy_api import array_shapes
from placewise.numpy_api.promotion import asarray

_ARRAYS = (list, np.ndarray, Tensor)


def has_arrays(item: Any) -> bool:
    """Return True if an index is, or has, what is more than numbers and slices."""
    parts = item if isinstance(item, tuple) else (item,)
    return any(_is_array(part) for part in parts)


def pick(tensor: Any, item: Any, plain: Any) -> Any:
    """Return what NumPy would; `plain` indexes by slices and new axes alone.

    Where arrays stand beside each other, their common shape takes their place; where a slice or a
    new axis is between them, it comes first. Unlike NumPy, and like TensorFlow, numbers are not
    taken for arrays here.
    """
    if tensor.shape.rank is None:
        return _pick_rows(tensor, item)
    parts = _spread_out(item if isinstance(item, tuple) else (item,), tensor.shape.rank)
    basic: list[Any] = []
    places: list[Any] = []
    axes: list[int] = []  # of the sliced tensor
    runs: list[int] = []  # which of the parts are arrays; numbers do not count
    axis = number = 0
    for part in parts:
        if not _is_array(part):
            basic.append(part)
            is_kept = part is tf.newaxis or isinstance(part, slice)
            axis, number = axis + is_kept, number + is_kept
            continue
        for place in _places(part):
            basic.append(slice(None))
            places.append(place)
            axes.append(axis)
            axis += 1
        runs.append(number)
        number += 1
    sliced = plain(tensor, tuple(basic)) if basic else tensor
    rank = sliced.shape.rank
    others = [each for each in range(rank) if each not in axes]
    sizes = tf.shape(sliced, tf.int64)
    found = [_counted(place, sizes[each]) for place, each in zip(places, axes, strict=True)]
    found = array_shapes.broadcast_arrays(*found)
    made = tf.gather_nd(tf.transpose(sliced, [*axes, *others]), tf.stack(found, -1))
    if runs[-1] - runs[0] + 1 != len(runs):
        return made
    width, before = found[0].shape.rank, sum(each < axes[0] for each in others)
    order = [*range(width, width + before), *range(width), *range(width + before, made.shape.rank)]
    return tf.transpose(made, order)


def _pick_rows(tensor: Any, item: Any) -> Any:
    """Return rows of a tensor of unknown rank; of its other axes nothing can be said."""
    if isinstance(item, tuple):
        raise ValueError("tensor has an unknown rank: it can be indexed by one array, not several")
    array = asarray(item)
    if array.dtype.is_bool:
        return tf.boolean_mask(tensor, array)
    return tf.gather(tensor, _counted(_places(array)[0], tf.shape(tensor, tf.int64)[0]))


def _is_array(part: Any) -> bool:
    return isinstance(part, _ARRAYS) and (np.ndim(part) > 0 or asarray(part).dtype.is_bool)


def _spread_out(parts: tuple[Any, ...], rank: int) -> list[Any]:
    """Return the parts with slices in place of an ellipsis, and for axes that are not named."""
    taken = sum(_width(part) for part in parts if part is not Ellipsis)
    full = [slice(None)] * (rank - taken)
    for number, part in enumerate(parts):
        if part is Ellipsis:
            return [*parts[:number], *full, *parts[number + 1 :]]
    return [*parts, *full]


def _width(part: Any) -> int:
    """Return how many axes a part stands for; a mask stands for as many as it has."""
    if part is tf.newaxis:
        return 0
    is_mask = isinstance(part, _ARRAYS) and asarray(part).dtype.is_bool
    return int(np.ndim(part)) if is_mask else 1


def _places(part: Any) -> list[Any]:
    """Return the numbers of places that a part stands for, one tensor for each of its axes."""
    array = asarray(part)
    if array.dtype.is_bool:
        return list(tf.unstack(tf.where(array), num=array.shape.rank, axis=1))
    if not array.dtype.is_integer:
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return [tf.cast(array, tf.int64)]


def _counted(place: Any, size: Any) -> Any:
    """Return places counted from the beginning."""
    return tf.where(place < 0, place + size, place)
