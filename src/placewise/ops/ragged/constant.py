"""`tf.ragged.constant`: nested Python lists as ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.ops.array.creation import constant as dense_constant
from placewise.ops.convert import kept_on_host
from placewise.ops.ragged.ragged_tensor import RaggedTensor


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Return nested lists as a ragged tensor (a plain tensor when nothing can be ragged).

    `pylist`: nested lists whose rows may have different lengths; all values are at one depth.
    `dtype`: the dtype of the values; by default as `tf.constant` chooses it.
    `ragged_rank`: how many dimensions are ragged; by default all but the outermost, or those that
    `inner_shape` leaves.
    `inner_shape`: the shape of each innermost value, where these are uniform.
    `row_splits_dtype`: the dtype of the row boundaries, int64 or int32.

    Raises ValueError if values stand at different depths or do not fit `inner_shape`.

    >>> import placewise as tf
    >>> tf.ragged.constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    if isinstance(pylist, RaggedTensor):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    layout = ragged_layout(pylist, ragged_rank, inner_shape)
    if layout is None:
        inner = () if not _is_list(pylist) else inner_shape
        return dense_constant(pylist, dtype, None if inner is None else tuple(inner))
    rank, inner = layout
    nested_splits, values = cut_rows(pylist, rank)
    made = dense_constant(values, dtype, (len(values), *inner))
    kind = as_dtype(row_splits_dtype)
    for splits in reversed(nested_splits):
        made = RaggedTensor.from_row_splits(made, kept_on_host(splits, kind), validate=False)
    return made


def ragged_layout(
    pylist: Any, ragged_rank: int | None, inner_shape: Any
) -> tuple[int, tuple[int, ...]] | None:
    """Return how many dimensions of nested lists are ragged and the shape inside; None: none."""
    if not _is_list(pylist):
        _check_scalar(pylist, ragged_rank, inner_shape)
        return None
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    scalar_depth, depth = _depths(pylist)
    _check_depths(pylist, scalar_depth, depth, ragged_rank, inner_shape)
    inner = None if inner_shape is None else tuple(inner_shape)
    flat_already = ragged_rank is None and (
        depth < 2 or (inner is not None and depth - len(inner) < 2)
    )
    if ragged_rank == 0 or flat_already:
        return None
    if inner is None:
        inner = () if ragged_rank is None else _inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        ragged_rank = max(1, (depth if scalar_depth is None else scalar_depth - len(inner)) - 1)
    return ragged_rank, inner


def cut_rows(pylist: Any, ragged_rank: int) -> tuple[list[list[int]], list[Any]]:
    """Return the row splits of each ragged dimension, outermost first, and the values."""
    nested_splits = []
    values = list(pylist)
    for _ in range(ragged_rank):
        splits, joined = [0], []
        for row in values:
            joined.extend(row)
            splits.append(len(joined))
        nested_splits.append(splits)
        values = joined
    return nested_splits, values


_SCALARS = frozenset({int, float, bool, complex, str, bytes})


def _is_list(value: Any) -> bool:
    if type(value) in _SCALARS:
        return False
    return isinstance(value, (list, tuple)) or np.ndim(value) != 0


def _check_scalar(value: Any, ragged_rank: int | None, inner_shape: Any) -> None:
    if ragged_rank:
        raise ValueError(f"Invalid pylist={value!r}: incompatible with ragged_rank={ragged_rank}")
    if inner_shape:
        raise ValueError(
            f"Invalid pylist={value!r}: incompatible with dim(inner_shape)={len(inner_shape)}"
        )


def _depths(value: Any) -> tuple[int | None, int]:
    """Return how deep scalars are (None: there are none), and how deep lists are."""
    if not _is_list(value):
        return 0, 0
    if type(value) is list and value and _SCALARS.issuperset(map(type, value)):
        return 1, 1  # nearly all rows
    children = [_depths(child) for child in value]
    scalar_depths = {depth + 1 for depth, _ in children if depth is not None}
    if len(scalar_depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    list_depth = 1 + max((depth for _, depth in children), default=0)
    return next(iter(scalar_depths), None), list_depth


def _check_depths(
    pylist: Any, scalar_depth: int | None, depth: int, ragged_rank: Any, inner_shape: Any
) -> None:
    if scalar_depth is not None:
        if depth > scalar_depth:
            raise ValueError(
                f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value "
                "nesting"
            )
        if ragged_rank is not None and depth < ragged_rank:
            raise ValueError(
                f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}"
            )
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner_shape) + 1
        if expected != scalar_depth if scalar_depth is not None else expected < depth:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner_shape)}"
            )


def _inner_shape(pylist: Any, ragged_rank: int) -> tuple[int, ...]:
    """Return the shape all innermost values have below the ragged levels."""
    values = list(pylist)
    for level in range(ragged_rank):
        if not all(_is_list(each) for each in values):
            raise ValueError(
                f"pylist has scalar values depth {level + 1}, but ragged_rank={ragged_rank} "
                f"requires scalar value depth greater than {ragged_rank}"
            )
        values = [item for row in values for item in row]
    if not values:
        return ()
    first, *others = {_regular(value) for value in values}
    if first is None or others:
        raise ValueError("inner values have inconsistent shape")
    return first


def _regular(value: Any) -> tuple[int, ...] | None:
    if not _is_list(value):
        return ()
    shapes = {_regular(each) for each in value}
    if len(shapes) > 1 or None in shapes:
        return None
    return (len(value), *(next(iter(shapes)) if shapes else ()))  # type: ignore[misc]
