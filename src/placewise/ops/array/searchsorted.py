"""Positions computed: searchsorted, unravel_index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, REAL, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.contents import product, seen_as
from placewise.ops.array.gather import joined
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, define, op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.values import TORCH
from placewise.ops.work import gather_work

# In which torch searches, in place of those in which it does not.
_WIDER = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.uint16: torch.int32,
    torch.uint32: torch.int64,
}
_LOWEST = -(2**63)  # taken off unsigned numbers, it leaves signed ones in the same order


def _bound(name: str, side: str, doc: str) -> Bind:
    bind = define(
        f"{name}(sorted_inputs: T, values: T; out_type: type = int32) -> output: out_type",
        T=REAL,
        out_type=INDEX,
        differentiable=False,
        doc=doc,
        work=gather_work,
    )

    @bind.shape
    def bound_shape(sorted_inputs: Static, values: Static, *, out_type: DType) -> Dims:
        for argument, shape in (("sorted_inputs", sorted_inputs.shape), ("values", values.shape)):
            if shape is not None and len(shape) != 2:
                raise ValueError(_not_a_matrix(argument, len(shape)))
        return values.shape

    @bind.kernel
    def bound_kernel(sorted_inputs: torch.Tensor, values: torch.Tensor, *, out_type: DType) -> Any:
        for argument, value in (("sorted_inputs", sorted_inputs), ("values", values)):
            if value.dim() != 2:
                raise invalid(_not_a_matrix(argument, value.dim()))
        if sorted_inputs.shape[0] != values.shape[0]:
            raise invalid("Leading dim_size of both tensors must match.")
        rows, values = _ordered(sorted_inputs).contiguous(), _ordered(values).contiguous()
        places = _found_in_c(rows, values, side == "right")
        if places is None:
            places = torch.searchsorted(rows, values, right=side == "right")
        return places.to(TORCH[out_type])

    return bind


_KINDS: dict[Any, Literal["f", "d", "i", "q"]] = {
    torch.float32: "f",
    torch.float64: "d",
    torch.int32: "i",
    torch.int64: "q",
}


def _found_in_c(rows: torch.Tensor, values: torch.Tensor, is_right: bool) -> Any:
    """Return places by the native module; None where it has not the loop."""
    if native.code is None or rows.dtype not in _KINDS or rows.dtype is not values.dtype:
        return None
    ordered, wanted = host_array(rows, rows.dtype), host_array(values, values.dtype)
    if ordered is None or wanted is None or not wanted.size:
        return None
    places = torch.empty(values.shape, dtype=torch.int64)
    kind = _KINDS[rows.dtype]
    native.code.search_rows(ordered, wanted, places.numpy(), len(ordered), kind, is_right)
    return places


def _not_a_matrix(argument: str, rank: int) -> str:
    return f"Shape must be rank 2 but is rank {rank} for `{argument}` argument"


def _ordered(value: torch.Tensor) -> Any:
    """Return a matrix of a dtype torch does not search in as one it does, in the same order."""
    if value.dtype is torch.uint64:
        return seen_as(value, torch.int64) ^ _LOWEST
    return value.to(_WIDER.get(value.dtype, value.dtype))


_lower_bound = _bound("LowerBound", "left", "Return how many elements are less than each value.")
_upper_bound = _bound("UpperBound", "right", "Return how many elements are not above each value.")


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return where each value would be inserted in the sorted last axis of `sorted_sequence`."""
    known = convert_to_tensor(sorted_sequence)
    wanted = convert_to_tensor(values, dtype_hint=known.dtype)
    if side not in ("right", "left"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    for each in (known, wanted):
        if each.shape.rank == 0:
            raise invalid("slice index -1 of dimension 0 out of bounds. [Op:StridedSlice] name: ")
    bound = _lower_bound if side == "left" else _upper_bound
    shape = shape_of(wanted)
    rows = [reshape(each, _rows(each)) for each in (known, wanted)]
    return reshape(bound(*rows, out_type=out_type, name=name), shape)


def _rows(tensor: Any) -> Any:
    shape = shape_of(tensor)
    if isinstance(shape, np.ndarray):
        return np.asarray([product(shape[:-1].tolist()), shape[-1]], np.int32)
    return joined([-1], shape[-1:])


@op(
    "UnravelIndex(indices: Tidx, dims: Tidx) -> output: Tidx",
    Tidx=INDEX,
    differentiable=False,
    devices=("CPU",),
)
def unravel_index(indices: TensorLike, dims: Sequence[Any], name: str | None = None) -> Any:
    """Return the coordinates, in a tensor of shape `dims`, of places in the flat tensor."""
    return unravel_index.bind(indices, dims, name)


@unravel_index.shape
def unravel_index_shape(indices: Static, dims: Static) -> Dims:
    if indices.shape is None or dims.shape is None:
        return None
    count = dims.shape[0] if dims.shape else None
    return (count, *indices.shape) if len(indices.shape) <= 1 else (count, None)


@unravel_index.kernel
def unravel_index_kernel(indices: torch.Tensor, dims: torch.Tensor) -> Any:
    if dims.dim() != 1:
        raise invalid(f'The indices can only be scalar or vector, got "{list(dims.shape)}"')
    if indices.dim() > 1:
        raise invalid(f'The indices can only be scalar or vector, got "{bracketed(indices.shape)}"')
    if not indices.numel():
        raise invalid("received empty tensor indices")
    sizes = dims.tolist()
    for size in sizes:
        if size == 0:
            raise invalid(
                "Input dims cannot contain a dim of zero, but dims contains zero at index 0"
            )
    total = product(sizes)
    if total > torch.iinfo(dims.dtype).max:
        raise invalid(f"Input dims product is causing integer overflow: {bracketed(sizes)}")
    if indices.numel() and not (int(indices.min()) >= 0 and int(indices.max()) < total):
        raise invalid("index is out of bound as with dims")
    parts = []
    rest = indices
    for size in reversed(sizes):
        parts.append(rest % size)
        rest = torch.div(rest, size, rounding_mode="floor")
    parts.reverse()
    return torch.stack(parts) if parts else indices.new_zeros((0, *indices.shape))
