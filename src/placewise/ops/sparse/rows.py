"""Rows of sparse tensors: softmax within them, empty ones filled, values mapped, slices masked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.distinct import setdiff1d
from placewise.ops.array.gather import gather
from placewise.ops.array.out_of_range import are_inside, zeroed_outside
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.unsorted_segments import unsorted_segment_sum
from placewise.ops.ragged import row_splits
from placewise.ops.sparse.places import check_rows, check_sizes, flat, like, numbers, taken
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse

sparse_softmax = define(
    "SparseSoftmax(sp_indices: int64, sp_values: T, sp_shape: int64) -> output: T",
    devices=("CPU",),
    host=("sp_shape",),
    T=FLOATS,
    doc="Return the softmax over the values that are there in each row of the last dimension.",
)
sparse_softmax.shape(lambda sp_indices, sp_values, sp_shape: sp_values.shape)


@sparse_softmax.kernel
def sparse_softmax_kernel(
    sp_indices: torch.Tensor, sp_values: torch.Tensor, sp_shape: np.ndarray[Any, Any]
) -> Any:
    if len(sp_shape) < 2:
        shown = ",".join(str(int(d)) for d in sp_shape)
        raise invalid(f"Input should have rank >= 2, but received shape: {shown}")
    check_sizes(sp_shape)
    check_rows(sp_indices, sp_values, sp_shape)
    if not len(sp_values):
        return sp_values
    rows = np.unique(flat(numbers(sp_indices)[:, :-1], sp_shape[:-1]), return_inverse=True)[1]
    where = like(rows.reshape(-1), sp_values)
    count = int(where.max()) + 1
    top = sp_values.new_full((count,), -float("inf"))
    top = top.scatter_reduce(0, where, sp_values.detach(), "amax")
    powers = torch.exp(sp_values - top[where])
    total = powers.new_zeros(count).index_add(0, where, powers)
    return powers / total[where]


@sparse_softmax.gradient
def sparse_softmax_gradient(call: Call, dy: Tensor) -> Any:
    indices, _, shape = call.inputs
    rows = flat(np.asarray(indices)[:, :-1], np.asarray(shape)[:-1])
    found, inverse = np.unique(rows, return_inverse=True)
    ids = convert_to_tensor(inverse.reshape(-1).astype(np.int64))
    y = call.output
    totals = unsorted_segment_sum(dy * y, ids, len(found))
    return None, y * (dy - gather(totals, ids)), None


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return the softmax over the last dimension; what is empty stays empty."""
    sp = as_sparse(sp_input)
    return SparseTensor(
        sp.indices, sparse_softmax(sp.indices, sp.values, sp.dense_shape, name), sp.dense_shape
    )


sparse_fill_empty_rows = define(
    "SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64, default_value: T)"
    " -> output_indices: int64, output_values: T, empty_row_indicator: bool,"
    " reverse_index_map: int64",
    host=("dense_shape",),
    doc="Return a sparse tensor with a default in the first column of each empty row.",
)


@sparse_fill_empty_rows.shape
def sparse_fill_empty_rows_shape(
    indices: Static, values: Static, dense_shape: Static, default_value: Static
) -> list[Dims]:
    rank = indices.shape[1] if indices.shape else None
    rows = None if dense_shape.value is None else int(np.asarray(dense_shape.value)[0])
    count = values.shape[0] if values.shape else None
    return [(None, rank), (None,), (rows,), (count,)]


@sparse_fill_empty_rows.kernel
def sparse_fill_empty_rows_kernel(
    indices: torch.Tensor, values: Any, dense_shape: np.ndarray[Any, Any], default_value: Any
) -> Any:
    if default_value.ndim:
        raise invalid(f"default_value must be a scalar, saw: {list(default_value.shape)}")
    if indices.ndim != 2:
        raise invalid(f"indices must be a matrix, saw: {bracketed(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"values must be a vector, saw: {bracketed(values.shape)}")
    if len(indices) != len(values):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of `indices` "
            f"({len(indices)})."
        )
    if not len(dense_shape):
        raise invalid("Dense shape cannot be empty.")
    if len(dense_shape) != indices.shape[1]:
        raise invalid(
            f"The length of `dense_shape` ({len(dense_shape)}) must match the second dimension of "
            f"`indices` ({indices.shape[1]})."
        )
    rows = int(dense_shape[0])
    if len(indices) and not rows:
        raise invalid(
            f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {len(indices)}"
        )
    filled = fill_rows(indices[:, 0], rows, "indices({}, 0)")
    added = indices.new_zeros(len(filled.missing), indices.shape[1])
    added[:, 0] = filled.missing
    return (
        torch.cat([indices, added]).index_select(0, filled.order),
        with_default(values, default_value, filled),
        filled.is_empty,
        filled.back,
    )


class FilledRows(NamedTuple):
    """Which rows are missing among some, how all of them are ordered, and where each went."""

    is_empty: Any
    missing: Any
    order: Any
    back: Any


def fill_rows(rows: torch.Tensor, count: int, shown: str) -> FilledRows:
    """Return what becomes of the numbers of the rows that are there, once every row is.

    As in TensorFlow one out of range raises everywhere: how many are missing is the size of the
    result, and reading that waits for a device in any case.
    """
    inside = are_inside(rows, count)
    if not bool(inside.all()):
        first = int(inside.to(torch.uint8).argmin())
        raise invalid(f"{shown.format(first)} is invalid: {int(rows[first])} >= {count}")
    is_empty = torch.ones(count, dtype=torch.bool, device=rows.device).index_fill_(0, rows, False)
    missing = torch.nonzero(is_empty)[:, 0]
    order = torch.argsort(torch.cat([rows, missing]), stable=True)
    back = torch.empty_like(order)
    back.index_copy_(0, order, torch.arange(len(order), device=order.device))
    return FilledRows(is_empty, missing, order, back[: len(rows)])


def with_default(values: torch.Tensor, default_value: torch.Tensor, filled: FilledRows) -> Any:
    """Return the values of rows, with a default where one is missing."""
    count = len(filled.missing)
    if isinstance(values, np.ndarray):
        more = np.empty(count, dtype=object)
        more[...] = default_value[()]
        return taken(np.concatenate([values, more]), filled.order)
    return torch.cat([values, default_value.expand(count)])[filled.order]


@sparse_fill_empty_rows.gradient
def sparse_fill_empty_rows_gradient(
    call: Call, _: Tensor, dy: Tensor, __: Tensor, ___: Tensor
) -> Any:
    values, default = sparse_fill_empty_rows_grad(call.outputs[3], dy)
    return None, values, None, default


sparse_fill_empty_rows_grad = define(
    "SparseFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T)"
    " -> d_values: T, d_default_value: T",
    doc="Return the gradients of values and default of rows that were filled.",
)


@sparse_fill_empty_rows_grad.shape
def sparse_fill_empty_rows_grad_shape(reverse_index_map: Static, grad_values: Static) -> list[Dims]:
    return [reverse_index_map.shape, ()]


@sparse_fill_empty_rows_grad.kernel
def sparse_fill_empty_rows_grad_kernel(reverse_index_map: torch.Tensor, grad_values: Any) -> Any:
    if grad_values.dim() != 1:
        raise invalid(f"grad_values must be a vector, saw: {bracketed(grad_values.shape)}")
    places, count = reverse_index_map, len(grad_values)
    inside = are_inside(places, count)
    if places.is_cpu and not bool(inside.all()):
        raise invalid(f"Elements in reverse index must be in [0, {count})")
    if not count:
        return grad_values.new_zeros(len(places)), grad_values.sum(dtype=grad_values.dtype)
    places = places.clamp(0, count - 1)
    own = torch.zeros(count, dtype=torch.int32, device=places.device)
    own = own.index_add_(0, places, inside.to(torch.int32)) > 0
    d_values = zeroed_outside(grad_values.index_select(0, places), inside)
    return d_values, grad_values.masked_fill(own, 0).sum(dtype=grad_values.dtype)


def fill_empty_rows(sp_input: Any, default_value: TensorLike, name: str | None = None) -> Any:
    """Return (filled, is_empty): `default_value` at the first column of every empty row."""
    sp = as_sparse(sp_input)
    default = convert_to_tensor(default_value, sp.dtype)
    indices, values, empty, _ = sparse_fill_empty_rows(
        sp.indices, sp.values, sp.dense_shape, default, name
    )
    return SparseTensor(indices, values, sp.dense_shape), empty


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return a sparse tensor with `op` of the values of the sparse arguments as values."""
    found = [each for each in nest.flatten([args, kwargs]) if isinstance(each, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    indices = found[0].indices
    for other in found[1:]:
        for mine, theirs in (
            (found[0].dense_shape, other.dense_shape),
            (found[0].indices, other.indices),
        ):
            if mine is not theirs:
                message = (
                    "Sparse tensors passed to map_values must have the same indices and shapes"
                )
                same = row_splits.all_equal(row_splits.content(mine), row_splits.content(theirs))
                indices = row_splits.checked(indices, same, message)
    flat_args, flat_kwargs = nest.map_structure(_values_of, [list(args), kwargs])
    return SparseTensor(indices, op(*flat_args, **flat_kwargs), found[0].dense_shape)


def _values_of(value: Any) -> Any:
    return value.values if isinstance(value, SparseTensor) else value


def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Return IndexedSlices without the rows that `mask_indices` names."""
    kept, rows = setdiff1d(a.indices, convert_to_tensor(mask_indices, a.indices.dtype))
    return IndexedSlices(gather(a.values, rows), kept, a.dense_shape)
