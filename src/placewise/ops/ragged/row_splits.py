"""Arithmetic with row splits, lengths and places: on arrays where known, else on tensors.

Each function takes NumPy arrays or symbolic tensors and gives what it was given, so that what is
written with them runs at once in an eager program and becomes operations in a graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import identity, shape
from placewise.ops.array.tile import repeat as repeat_tensor
from placewise.ops.convert import convert_to_tensor, kept_on_host
from placewise.ops.debugging.assertions import Assert
from placewise.ops.flow.context import control_dependencies
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.reduction import reduce_all, reduce_max
from placewise.ops.math.scan import cumsum
from placewise.ops.ragged.row_partition import known


def content(value: Any) -> Any:
    """Return the content of an eager tensor as an array, a symbolic tensor as it is."""
    found = known(value)
    return value if found is None else found


def is_known(*values: Any) -> bool:
    """Return True unless one of the values is a tensor."""
    return not any(isinstance(each, Tensor) for each in values)


def tensor(value: Any, dtype: Any) -> Any:
    """Return an array or a tensor as a tensor of `dtype`."""
    if isinstance(value, Tensor):
        return value if value.dtype is dtype else cast(value, dtype)
    return kept_on_host(np.asarray(value, dtype.as_numpy_dtype))


def _alike(*values: Any) -> list[Any]:
    """Return values, of which some are tensors, as tensors of one dtype."""
    dtype = next(each.dtype for each in values if isinstance(each, Tensor))
    return [tensor(each, dtype) for each in values]


def diff(splits: Any) -> Any:
    """Return the lengths of rows from their splits."""
    return splits[1:] - splits[:-1]


def count(value: Any) -> Any:
    """Return the number of entries of a vector: an int where it is known."""
    if not isinstance(value, Tensor):
        return len(value)
    if value.shape.rank and value.shape[0] is not None:
        return value.shape[0]

    return shape(value, value.dtype)[0]


def arange(size: Any, like: Any) -> Any:
    """Return 0, 1, … `size` - 1; an array if `like` is one and the size is known."""
    if is_known(size, like):
        return np.arange(size)

    if isinstance(like, Tensor):
        return range_of(tensor(size, like.dtype), dtype=like.dtype)
    return range_of(size)


def repeat(values: Any, times: Any) -> Any:
    """Return each entry as often as `times` says."""
    if is_known(values, times):
        return np.repeat(values, times)

    values, times = _alike(values, times)
    return repeat_tensor(values, times, axis=0)


def take(values: Any, places: Any) -> Any:
    """Return the entries at these places."""
    if is_known(values, places):
        return values[places]

    values, places = _alike(values, places)
    return gather(values, places)


def add(x: Any, y: Any) -> Any:
    """Return a sum of which either side may be a tensor."""
    if is_known(x, y):
        return x + y
    x, y = _alike(x, y)
    return x + y


def splits_of(lengths: Any) -> Any:
    """Return the splits of rows of these lengths."""
    if is_known(lengths):
        return np.concatenate([[0], np.cumsum(lengths)])

    return concat([convert_to_tensor([0], lengths.dtype), cumsum(lengths)], 0)


def offsets(lengths: Any) -> Any:
    """Return, for rows of these lengths, each value's place within its row."""
    splits = splits_of(lengths)
    return arange(splits[-1], splits) - repeat(splits[:-1], lengths)


def runs(starts: Any, lengths: Any, step: Any = 1) -> Any:
    """Return the places start, start + step, … of several runs, one after the other."""
    return add(repeat(starts, lengths), offsets(lengths) * step)


def longest(lengths: Any) -> Any:
    """Return the greatest of some lengths, 0 if there is none."""
    if is_known(lengths):
        return int(lengths.max()) if lengths.size else 0

    return maximum(reduce_max(lengths), convert_to_tensor(0, lengths.dtype))


def checked(value: Any, condition: Any, message: str) -> Any:
    """Return `value`; if `condition` (of arrays: now, of tensors: when run) is False, raise."""
    if not isinstance(condition, Tensor):
        if not condition:
            raise invalid(message)
        return value

    with control_dependencies([Assert(condition, [message])]):
        return identity(tensor(value, value.dtype))


def all_equal(x: Any, y: Any) -> Any:
    """Return whether two vectors hold the same: a bool, or a tensor."""
    if is_known(x, y):
        return np.array_equal(x, y)

    x, y = _alike(x, y)
    same = reduce_all(equal.bind(x, y, incompatible_shape_error=False))
    if x.shape.is_fully_defined() and x.shape == y.shape:
        return same
    return same & (shape(x)[0] == shape(y)[0])
