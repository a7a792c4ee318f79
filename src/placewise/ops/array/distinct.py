"""Distinct elements: unique, unique_with_counts, setdiff1d."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.contents import is_text, signed
from placewise.ops.declare import define
from placewise.ops.host_array import host_array
from placewise.ops.values import TORCH, Content
from placewise.ops.work import sort_work

Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])
ListDiff = namedtuple("ListDiff", ["out", "idx"])


def _found(x: Any, axis: int | None) -> tuple[Any, Any, Any]:
    """Return distinct elements in order of first appearance, the place of each, how many."""
    if is_text(x):
        return _found_text(x, axis)
    # How many there are is the size of the result: this waits for a device.
    _, inverse, counts = _torch_unique(x, axis)
    size = counts.shape[0]
    places = torch.arange(inverse.shape[0], device=x.device)
    first = torch.full((size,), inverse.shape[0], dtype=torch.int64, device=x.device)
    first.scatter_reduce_(0, inverse, places, "amin")
    order = torch.argsort(first)
    rank = torch.empty_like(order)
    rank[order] = torch.arange(size, device=x.device)
    chosen = signed(x).index_select(axis or 0, first[order]).view(x.dtype)
    return chosen, rank[inverse], counts[order]


def _torch_unique(x: Any, axis: int | None) -> Any:
    return torch.unique(signed(x), sorted=True, return_inverse=True, return_counts=True, dim=axis)


def _found_text(x: np.ndarray[Any, Any], axis: int | None) -> tuple[Any, Any, Any]:
    rows = np.moveaxis(x, axis or 0, 0)
    seen: dict[Any, int] = {}
    inverse: list[int] = []
    first: list[int] = []
    counts: list[int] = []
    for index in range(len(rows)):
        key = rows[index] if rows.ndim == 1 else tuple(rows[index].reshape(-1))
        place = seen.setdefault(key, len(seen))
        if place == len(first):
            first.append(index)
            counts.append(0)
        counts[place] += 1
        inverse.append(place)
    return (
        np.take(x, np.asarray(first, np.int64), axis or 0),
        torch.tensor(inverse, dtype=torch.int64),
        torch.tensor(counts, dtype=torch.int64),
    )


def _check_vector(x: Content) -> None:
    if len(x.shape) != 1:
        raise invalid("unique expects a 1D vector.")


def _axis(x: Content, axis: np.ndarray[Any, Any]) -> int | None:
    """Return the axis that the V2 ops got; none in an empty vector means a vector's own."""
    if axis.ndim != 1:
        raise invalid("axis expects a 1D vector.")
    if axis.size == 0:
        _check_vector(x)
        return None
    if axis.size != 1:
        raise invalid(f"axis does not support input tensors larger than 1 elements: {axis.size}")
    at, rank = int(axis.reshape(-1)[0]), len(x.shape)
    if not -rank <= at < rank:
        raise invalid(f"axis has to be between [0, {rank})")
    return at % rank


def _numbered_in_c(x: Content) -> Any:
    """Return distinct integers, which one each is and how many of each; None of other contents."""
    array = host_array(x, torch.int32, torch.int64)
    if array is None:
        return None
    values = array.astype(np.int64, copy=False)
    kept = np.empty(len(values), np.int64)
    first, index = np.empty(len(values), np.int32), np.empty(len(values), np.int32)
    count = native.code.distinct(values, kept, first, index)
    numbers = torch.from_numpy(index)
    return (
        torch.from_numpy(kept[:count].astype(array.dtype)),
        numbers,
        torch.bincount(numbers, minlength=count),
    )


def _distinct(x: Content, axis: int | None, kind: DType) -> tuple[Any, Any, Any]:
    size = x.shape[axis or 0]
    if not size or not np.prod(x.shape):
        count = min(size, 1)
        first = x[tuple([slice(None)] * (axis or 0) + [slice(0, count)])]
        device = "cpu" if is_text(x) else x.device
        zeros = torch.zeros(size, dtype=TORCH[kind], device=device)
        return first, zeros, torch.full((count,), size, dtype=TORCH[kind], device=device)
    compiled = _numbered_in_c(x) if native.code is not None and len(x.shape) == 1 else None
    y, idx, counts = _found(x, axis) if compiled is None else compiled
    return y, idx.to(TORCH[kind]), counts.to(TORCH[kind])


_unique = define(
    "Unique(x: T; out_idx: type = int32) -> y: T, idx: out_idx",
    differentiable=False,
    doc="Return the distinct elements of a vector and, for each element, which one it is.",
    work=sort_work,
    out_idx=INDEX,
)
_counted = define(
    "UniqueWithCounts(x: T; out_idx: type = int32) -> y: T, idx: out_idx, count: out_idx",
    differentiable=False,
    doc="Return the distinct elements of a vector, which one each is, and how many of each.",
    work=sort_work,
    out_idx=INDEX,
)
_unique_along = define(
    "UniqueV2(x: T, axis: Taxis; out_idx: type = int32) -> y: T, idx: out_idx",
    host=("axis",),
    Taxis=INDEX,
    differentiable=False,
    doc="Return the distinct slices of `x` along an axis.",
    work=sort_work,
    out_idx=INDEX,
)
_counted_along = define(
    "UniqueWithCountsV2(x: T, axis: Taxis; out_idx: type = int32)"
    " -> y: T, idx: out_idx, count: out_idx",
    host=("axis",),
    Taxis=INDEX,
    differentiable=False,
    doc="Return the distinct slices of `x` along an axis, and how many of each there are.",
    work=sort_work,
    out_idx=INDEX,
)


def unique(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Any:
    """Return the distinct elements of a vector, in order of first appearance, and where each is."""
    return Unique(*_unique(x, out_idx=out_idx, name=name))


def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> Any:
    """Return the distinct elements of a vector, where each is, and how many of each there are."""
    return UniqueWithCounts(*_counted(x, out_idx=out_idx, name=name))


@_unique.shape
def unique_shape(x: Static, *, out_idx: DType) -> list[Dims]:
    if x.shape is not None and len(x.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(x.shape)}")
    return [(None,), x.shape or (None,)]


@_unique.kernel
def unique_kernel(x: Content, *, out_idx: DType) -> Any:
    _check_vector(x)
    return _distinct(x, None, out_idx)[:2]


@_counted.shape
def unique_with_counts_shape(x: Static, *, out_idx: DType) -> list[Dims]:
    return [*unique_shape(x, out_idx=out_idx), (None,)]


@_counted.kernel
def unique_with_counts_kernel(x: Content, *, out_idx: DType) -> Any:
    _check_vector(x)
    return _distinct(x, None, out_idx)


@_unique_along.shape
def unique_v2_shape(x: Static, axis: Static, *, out_idx: DType) -> list[Dims]:
    if x.shape is None or axis.value is None:
        return [None if x.shape is None else (None,) * len(x.shape), (None,)]
    at = int(np.asarray(axis.value).reshape(-1)[0]) if np.asarray(axis.value).size else 0
    at %= max(len(x.shape), 1)
    return [(*x.shape[:at], None, *x.shape[at + 1 :]), (x.shape[at],)]


@_unique_along.kernel
def unique_v2_kernel(x: Content, axis: np.ndarray[Any, Any], *, out_idx: DType) -> Any:
    return _distinct(x, _axis(x, axis), out_idx)[:2]


@_counted_along.shape
def unique_with_counts_v2_shape(x: Static, axis: Static, *, out_idx: DType) -> list[Dims]:
    return [*unique_v2_shape(x, axis, out_idx=out_idx), (None,)]


@_counted_along.kernel
def unique_with_counts_v2_kernel(x: Content, axis: np.ndarray[Any, Any], *, out_idx: DType) -> Any:
    return _distinct(x, _axis(x, axis), out_idx)


_list_diff = define(
    "ListDiff(x: T, y: T; out_idx: type = int32) -> out: T, idx: out_idx",
    devices=("CPU",),
    differentiable=False,
    doc="Return the elements of vector `x` that are not in vector `y`, and where they are.",
    out_idx=INDEX,
)


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> Any:
    """Return the elements of vector `x` that are not in vector `y`, in order, and their places."""
    return ListDiff(*_list_diff(x, y, out_idx=index_dtype, name=name))


@_list_diff.shape
def list_diff_shape(x: Static, y: Static, *, out_idx: DType) -> list[Dims]:
    return [(None,), (None,)]


@_list_diff.kernel
def list_diff_kernel(x: Content, y: Content, *, out_idx: DType) -> Any:
    for name, each in (("x", x), ("y", y)):
        if len(each.shape) != 1:
            raise invalid(f"{name} should be a 1D vector.")
    if is_text(x):
        known = set(y)
        kept = torch.tensor([item not in known for item in x], dtype=torch.bool)
        places = torch.nonzero(kept).reshape(-1)
        return x[places.numpy()], places.to(TORCH[out_idx])
    # How many are left is the size of the result: this waits for a device.
    places = torch.nonzero(~torch.isin(signed(x), signed(y))).reshape(-1)
    return x[places], places.to(TORCH[out_idx])
