"""Older forms of ops, and ops that only graphs hold, for `tf.raw_ops` and imported graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, NUMBERS, REAL, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import seen_as, signed
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import bracketed, same_shape
from placewise.ops.math import extremes
from placewise.ops.values import TORCH
from placewise.ops.work import fill_work, reduction_work, sort_work

top_k_v1 = define(
    "TopK(input: T; k: int >= 0, sorted: bool = True) -> values: T, indices: int32",
    T=REAL,
    doc="Return the k largest elements of each row and where they were.",
    work=sort_work,
)


def _count(k: int) -> Any:
    return np.asarray(k, np.int32)


@top_k_v1.shape
def top_k_v1_shape(input: Static, *, k: int, sorted: bool) -> list[Dims]:
    given = Static((), dtypes.int32, _count(k))
    return extremes.top_k_shape(input, given, sorted=sorted, index_type=dtypes.int32)


@top_k_v1.kernel
def top_k_v1_kernel(input: torch.Tensor, *, k: int, sorted: bool) -> Any:
    return extremes.top_k_kernel(input, _count(k), sorted=sorted, index_type=dtypes.int32)


@top_k_v1.gradient
def top_k_v1_gradient(call: Call, dy: Tensor, _: Tensor) -> Any:
    present = call._replace(inputs=(*call.inputs, _count(call.attrs["k"])))
    return extremes.top_k_gradient(present, dy, _)[0]


in_top_k_v1 = define(
    "InTopK(predictions: float32, targets: T; k: int) -> precision: bool",
    T=INDEX,
    differentiable=False,
    devices=("CPU",),
    doc="Return whether each target is among the k largest predictions.",
    result="new",
    work=reduction_work,
    default_types={"T": dtypes.int32},
)


@in_top_k_v1.shape
def in_top_k_v1_shape(predictions: Static, targets: Static, *, k: int) -> Dims:
    return extremes.in_top_k_shape(predictions, targets, Static((), dtypes.int32, _count(k)))


@in_top_k_v1.kernel
def in_top_k_v1_kernel(predictions: torch.Tensor, targets: torch.Tensor, *, k: int) -> Any:
    return extremes.in_top_k_kernel(predictions, targets, _count(k))


empty = define(
    "Empty(shape: int32; dtype: type, init: bool = False) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    doc="Return a tensor of that shape, of zeros if `init`; any content otherwise.",
    repeatable=False,
    work=fill_work,
)
empty.shape(lambda shape, **_: from_value(shape))


@empty.kernel
def empty_kernel(
    shape: np.ndarray[Any, Any], *, dtype: DType, init: bool, torch_device: str = "cpu"
) -> Any:
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of int32, got shape {bracketed(shape.shape)}")
    if dtype is dtypes.string:
        return np.full(tuple(shape), b"", dtype=object)
    return torch.zeros(tuple(shape.tolist()), dtype=TORCH[dtype], device=torch_device)


def _in_place(name: str, change: Callable[[Any, Any, Any], Any], what: str) -> Bind:
    update = define(
        f"{name}(x: T, i: int32, v: T) -> y: T",
        T=NUMBERS | {dtypes.bool},
        differentiable=False,
        doc=f"Return `x` with rows {what} `v`.",
    )
    update.shape(same_shape)

    @update.kernel
    def kernel(x: Any, i: Any, v: Any) -> Any:
        if i.dim() != 1:
            raise invalid(f"i must be a vector. {bracketed(i.shape)}")
        if x.dim() != v.dim() or x.shape[1:] != v.shape[1:]:
            raise invalid(
                f"x and v shape doesn't match (ranks differ): {bracketed(x.shape)} vs. "
                f"{bracketed(v.shape)}"
            )
        if i.shape[0] != v.shape[0]:
            raise invalid(
                f"i and x shape doesn't match at index 0: {bracketed(i.shape)} vs. "
                f"{bracketed(v.shape)}"
            )
        # Any row number is taken modulo the number of rows.
        rows = torch.remainder(i.to(torch.int64), max(x.shape[0], 1))
        return change(x.clone(), rows, v)

    # Sums of unsigned integers have the bits of those of signed ones, for which torch has kernels.
    @update.kernel(on="wide_unsigned")
    def wide_unsigned_kernel(x: Any, i: Any, v: Any) -> Any:
        return seen_as(kernel(signed(x), i, signed(v)), x.dtype)

    return update


def _replaced(x: torch.Tensor, rows: torch.Tensor, v: torch.Tensor) -> Any:
    if not x.is_cpu:  # any of several for one row may stay
        return x.index_copy_(0, rows, v)
    for place, row in enumerate(rows.tolist()):  # the last of several for one row stays
        x[row] = v[place]
    return x


in_place_update = _in_place("InplaceUpdate", _replaced, "replaced by")
in_place_add = _in_place("InplaceAdd", lambda x, rows, v: x.index_add_(0, rows, v), "plus")
in_place_sub = _in_place(
    "InplaceSub", lambda x, rows, v: x.index_add_(0, rows, v, alpha=-1), "minus"
)
