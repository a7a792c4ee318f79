"""Rows of the last axis as sets: intersection, difference, union, size."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.sparse.places import check_inside
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.values import from_numpy, to_numpy

_VALUES = frozenset(
    {
        dtypes.int8,
        dtypes.int16,
        dtypes.int32,
        dtypes.int64,
        dtypes.uint8,
        dtypes.uint16,
        dtypes.string,
    }
)
_ATTRS = "set_operation: string, validate_indices: bool = True"
_RESULT = "result_indices: int64, result_values: T, result_shape: int64"

Groups = dict[tuple[int, ...], list[Any]]


def _operation(name: str, inputs: str) -> Bind:
    bind = define(
        f"{name}({inputs}; {_ATTRS}) -> {_RESULT}",
        T=_VALUES,
        devices=("CPU",),
        differentiable=False,
        doc="Return a set operation on rows, as a sparse tensor.",
    )

    @bind.shape
    def set_operation_shape(*inputs: Static, **attrs: Any) -> list[Dims]:
        return [(None, None), (None,), (None,)]

    return bind


_dense_dense = _operation("DenseToDenseSetOperation", "set1: T, set2: T")
_dense_sparse = _operation(
    "DenseToSparseSetOperation", "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64"
)
_sparse_sparse = _operation(
    "SparseToSparseSetOperation",
    "set1_indices: int64, set1_values: T, set1_shape: int64, "
    "set2_indices: int64, set2_values: T, set2_shape: int64",
)


def _dense_groups(values: torch.Tensor) -> tuple[Groups, tuple[int, ...]]:
    array = to_numpy(values)
    if array.ndim < 2:
        raise invalid(f"Input tensor must have rank >= 2, got {array.ndim}.")
    rows = array.reshape(-1, array.shape[-1])
    lead = array.shape[:-1]
    return {
        tuple(map(int, np.unravel_index(i, lead))): row.tolist() for i, row in enumerate(rows)
    }, lead


def _sparse_groups(
    indices: torch.Tensor, values: torch.Tensor, shape: torch.Tensor, validate: bool
) -> tuple[Groups, tuple[int, ...]]:
    if indices.ndim != 2:
        raise invalid(f"indices must be a matrix, but got: {bracketed(indices.shape)}")
    places = indices.tolist()
    if validate and any(a >= b for a, b in pairwise(places)):
        raise invalid("indices are out of order. Many sparse ops require sorted indices.")
    if indices.ndim == 2 and indices.shape[1] == len(shape):
        check_inside(to_numpy(indices), to_numpy(shape))
    groups: Groups = {}
    for place, item in zip(places, to_numpy(values).tolist(), strict=True):
        groups.setdefault(tuple(place[:-1]), []).append(item)
    return groups, tuple(shape.tolist()[:-1])


def _combined(kind: str, a: list[Any], b: list[Any]) -> list[Any]:
    one, other = set(a), set(b)
    if kind == "a-b":
        return sorted(one - other)
    if kind == "b-a":
        return sorted(other - one)
    if kind == "intersection":
        return sorted(one & other)
    if kind == "union":
        return sorted(one | other)
    raise invalid(f"Invalid set_operation {kind}.")


def _result(first: Any, second: Any, like: Any, kind: str) -> tuple[Any, Any, Any]:
    (ours, lead), (theirs, other_lead) = first, second
    if lead != other_lead:
        raise invalid(f"Mismatched group shapes {list(lead)} vs. {list(other_lead)}.")
    indices: list[tuple[int, ...]] = []
    values: list[Any] = []
    longest = 0
    for group in sorted({*ours, *theirs}):
        found = _combined(kind, ours.get(group, []), theirs.get(group, []))
        longest = max(longest, len(found))
        indices += [(*group, i) for i in range(len(found))]
        values += found
    made: Any
    if is_text(like):
        made = np.empty(len(values), object)
        made[:] = values
    else:
        made = from_numpy(np.asarray(values, to_numpy(like).dtype))
    rank = len(lead) + 1
    return (
        torch.tensor(indices, dtype=torch.int64).reshape(-1, rank),
        made,
        torch.tensor([*lead, longest], dtype=torch.int64),
    )


@_dense_dense.kernel
def dense_to_dense_kernel(
    set1: Any, set2: Any, *, set_operation: str, validate_indices: bool
) -> Any:
    return _result(_dense_groups(set1), _dense_groups(set2), set1, set_operation)


@_dense_sparse.kernel
def dense_to_sparse_kernel(
    set1: Any,
    set2_indices: torch.Tensor,
    set2_values: Any,
    set2_shape: torch.Tensor,
    *,
    set_operation: str,
    validate_indices: bool,
) -> Any:
    other = _sparse_groups(set2_indices, set2_values, set2_shape, validate_indices)
    return _result(_dense_groups(set1), other, set1, set_operation)


@_sparse_sparse.kernel
def sparse_to_sparse_kernel(
    set1_indices: torch.Tensor,
    set1_values: Any,
    set1_shape: torch.Tensor,
    set2_indices: torch.Tensor,
    set2_values: Any,
    set2_shape: torch.Tensor,
    *,
    set_operation: str,
    validate_indices: bool,
) -> Any:
    first = _sparse_groups(set1_indices, set1_values, set1_shape, validate_indices)
    second = _sparse_groups(set2_indices, set2_values, set2_shape, validate_indices)
    return _result(first, second, set1_values, set_operation)


_set_size = define(
    "SetSize(set_indices: int64, set_values: T, set_shape: int64; validate_indices: bool = True)"
    " -> size: int32",
    T=_VALUES,
    devices=("CPU",),
    differentiable=False,
    doc="Return how many distinct elements each row of a sparse tensor has.",
)


@_set_size.shape
def set_size_shape(
    set_indices: Static, set_values: Static, set_shape: Static, *, validate_indices: bool
) -> Dims:
    if set_shape.value is not None:
        return tuple(set_shape.value[:-1].tolist())
    return None


@_set_size.kernel
def set_size_kernel(
    set_indices: torch.Tensor, set_values: Any, set_shape: torch.Tensor, *, validate_indices: bool
) -> Any:
    groups, lead = _sparse_groups(set_indices, set_values, set_shape, validate_indices)
    made = np.zeros(lead, np.int32)
    for place, items in groups.items():
        made[place] = len(set(items))
    return torch.from_numpy(made)


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "dense_shape") and hasattr(value, "indices")


def _dense_or_sparse(value: Any) -> Any:
    return value if _is_sparse(value) else convert_to_tensor(value)


def _apply(a: Any, b: Any, kind: str, validate_indices: bool) -> Any:
    a, b = _dense_or_sparse(a), _dense_or_sparse(b)
    if a.dtype is not b.dtype:
        raise TypeError(f"Types don't match, {a.dtype!r} vs {b.dtype!r}.")
    if a.dtype not in _VALUES:
        raise TypeError(
            f"'a' has invalid dtype `{a.dtype!r}` not in supported dtypes: `{set(_VALUES)}`."
        )
    flags = {"set_operation": kind, "validate_indices": validate_indices}
    if _is_sparse(a):
        if not _is_sparse(b):
            raise TypeError("Expected SparseTensor, got a Tensor for the second set.")
        parts = _sparse_sparse(
            a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, **flags
        )
    elif _is_sparse(b):
        parts = _dense_sparse(a, b.indices, b.values, b.dense_shape, **flags)
    else:
        parts = _dense_dense(a, b, **flags)
    return SparseTensor(*parts)


def _in_order(a: Tensor, b: Any) -> tuple[Any, Any, bool]:
    """Return the two with the dense one first, and whether they were swapped."""
    a, b = _dense_or_sparse(a), _dense_or_sparse(b)
    return (b, a, True) if _is_sparse(a) and not _is_sparse(b) else (a, b, False)


def set_size(a: Any, validate_indices: bool = True) -> Any:
    """Return how many distinct elements each row of a sparse tensor has."""
    if not _is_sparse(a):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    return _set_size(a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> Any:
    """Return, row by row, the elements in both `a` and `b`, as a SparseTensor."""
    a, b, _ = _in_order(a, b)
    return _apply(a, b, "intersection", validate_indices)


def set_difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> Any:
    """Return, row by row, the elements of `a` not in `b` (or the reverse), as a SparseTensor."""
    a, b, swapped = _in_order(a, b)
    return _apply(a, b, "a-b" if aminusb != swapped else "b-a", validate_indices)


def set_union(a: Any, b: Any, validate_indices: bool = True) -> Any:
    """Return, row by row, the elements in `a` or `b`, as a SparseTensor."""
    a, b, _ = _in_order(a, b)
    return _apply(a, b, "union", validate_indices)
