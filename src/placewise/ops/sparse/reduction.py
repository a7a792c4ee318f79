"""Sums and maxima of sparse tensors over some of their dimensions, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import AxisLike
from placewise.core.dtypes import NUMBERS, REAL, DType
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.gather import gather_nd
from placewise.ops.array.shape import reshape
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, Call, define
from placewise.ops.sparse.places import (
    check_dense_shape,
    check_rows,
    flat,
    front_axes,
    like,
    numbers,
)
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse
from placewise.ops.values import from_numpy


def _reduced_shape(input_shape: Static, reduction_axes: Static, keep_dims: bool) -> Dims:
    if input_shape.value is None:
        return None
    dims = [int(d) for d in np.asarray(input_shape.value)]
    if reduction_axes.value is None:
        return (None,) * len(dims) if keep_dims else None
    axes = front_axes(reduction_axes.value, len(dims))
    if keep_dims:
        return tuple(1 if axis in axes else d for axis, d in enumerate(dims))
    return tuple(d for axis, d in enumerate(dims) if axis not in axes)


def _groups(
    indices: torch.Tensor, shape: np.ndarray[Any, Any], axes: list[int]
) -> tuple[Any, list[int], list[int]]:
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    dims = [int(shape[axis]) for axis in kept]
    return numbers(indices)[:, kept], kept, dims


def _combined(values: torch.Tensor, groups: np.ndarray[Any, Any], count: int, how: str) -> Any:
    where = like(groups, values)
    if how == "sum":
        return values.new_zeros(count).index_add(0, where, values)
    low = -float("inf") if values.is_floating_point() else torch.iinfo(values.dtype).min
    start = torch.full((count,), low, dtype=values.dtype, device=values.device)
    return start.scatter_reduce(0, where, values, "amax", include_self=False)


def _family(word: str, how: str, types: frozenset[DType]) -> tuple[Bind, Bind]:
    inputs = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
    dense = define(
        f"SparseReduce{word}({inputs}; keep_dims: bool = False) -> output: T",
        devices=("CPU",),
        host=("input_shape", "reduction_axes"),
        T=types,
        differentiable=how == "sum",
        doc=f"Return the {how} of a sparse tensor over some axes.",
    )
    sparse = define(
        f"SparseReduce{word}Sparse({inputs}; keep_dims: bool = False)"
        " -> output_indices: int64, output_values: T, output_shape: int64",
        devices=("CPU",),
        host=("input_shape", "reduction_axes", "output_shape"),
        T=types,
        differentiable=False,
        doc=f"Return the {how} over some axes as a sparse tensor.",
    )

    def dense_shape(
        input_indices: Static,
        input_values: Static,
        input_shape: Static,
        reduction_axes: Static,
        *,
        keep_dims: bool,
    ) -> Dims:
        return _reduced_shape(input_shape, reduction_axes, keep_dims)

    def dense_kernel(
        input_indices: torch.Tensor,
        input_values: torch.Tensor,
        input_shape: np.ndarray[Any, Any],
        reduction_axes: np.ndarray[Any, Any],
        *,
        keep_dims: bool,
    ) -> Any:
        check_dense_shape(input_shape)
        check_rows(input_indices, input_values, input_shape)
        axes = front_axes(reduction_axes, len(input_shape))
        places, kept, dims = _groups(input_indices, input_shape, axes)
        count = int(np.prod(dims, dtype=np.int64))
        groups = flat(places, dims)
        result = _combined(input_values, groups, count, how)
        if how == "max":
            empty = np.ones(count, bool)
            empty[groups] = False
            result = result.masked_fill(like(empty, result), 0)
        full = [int(d) if axis in kept else 1 for axis, d in enumerate(input_shape)]
        return result.reshape(full if keep_dims else dims)

    def sparse_shape(
        input_indices: Static,
        input_values: Static,
        input_shape: Static,
        reduction_axes: Static,
        *,
        keep_dims: bool,
    ) -> list[Dims]:
        shape = _reduced_shape(input_shape, reduction_axes, keep_dims)
        rank = None if shape is None else len(shape)
        return [(None, rank), (None,), (rank,)]

    def sparse_kernel(
        input_indices: torch.Tensor,
        input_values: torch.Tensor,
        input_shape: np.ndarray[Any, Any],
        reduction_axes: np.ndarray[Any, Any],
        *,
        keep_dims: bool,
    ) -> Any:
        check_dense_shape(input_shape)
        check_rows(input_indices, input_values, input_shape)
        axes = front_axes(reduction_axes, len(input_shape))
        places, kept, dims = _groups(input_indices, input_shape, axes)
        keys = flat(places, dims)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        values = _combined(input_values, inverse.reshape(-1), len(first), how)
        found = places[first]
        if keep_dims:
            full = np.zeros((len(found), len(input_shape)), np.int64)
            full[:, kept] = found
            found = full
            dims = [int(d) if axis in kept else 1 for axis, d in enumerate(input_shape)]
        return like(found, input_values), values, from_numpy(np.asarray(dims, np.int64))

    dense.shape(dense_shape)
    dense.kernel(dense_kernel)
    sparse.shape(sparse_shape)
    sparse.kernel(sparse_kernel)
    return dense, sparse


sparse_reduce_sum, sparse_reduce_sum_sparse = _family("Sum", "sum", NUMBERS)
sparse_reduce_max, sparse_reduce_max_sparse = _family("Max", "max", REAL)


@sparse_reduce_sum.gradient
def sparse_reduce_sum_gradient(call: Call, dy: Tensor) -> Any:
    indices, _, shape, axes = call.inputs
    rank = shape.shape[0]
    given = get_static_value(axes)
    if rank is None or given is None:
        raise ValueError("The rank and the axes of a sparse sum must be known for its gradient.")
    reduced = front_axes(np.asarray(given), rank)
    stays = np.asarray([axis not in reduced for axis in range(rank)], np.int64)
    # Along a reduced axis, every place took part in the only one there is.
    places, kept = convert_to_tensor(indices) * stays, convert_to_tensor(shape) * stays
    return None, gather_nd(reshape(dy, kept + (1 - stays)), places), None, None


def _axes(axis: Any) -> Any:
    if axis is None:
        return np.zeros(0, np.int32)
    return np.asarray(axis, np.int32).reshape(-1) if not hasattr(axis, "dtype") else axis


def _reduced(
    pair: tuple[Any, ...], sp_input: Any, axis: Any, keepdims: bool | None, sparse: bool, name: Any
) -> Any:
    sp = as_sparse(sp_input)
    axes = _axes(axis)
    if axis is None:
        axes = np.arange(sp.dense_shape.shape[0], dtype=np.int32)
    parts = (sp.indices, sp.values, sp.dense_shape, axes)
    if sparse:
        return SparseTensor(*pair[1](*parts, keep_dims=bool(keepdims), name=name))
    return pair[0](*parts, keep_dims=bool(keepdims), name=name)


def reduce_sum(
    sp_input: Any,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the sum over `axis` (all): dense, or sparse if asked for."""
    pair = (sparse_reduce_sum, sparse_reduce_sum_sparse)
    return _reduced(pair, sp_input, axis, keepdims, output_is_sparse, name)


def reduce_max(
    sp_input: Any,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the largest value that is there over `axis` (all); 0 where there is none."""
    pair = (sparse_reduce_max, sparse_reduce_max_sparse)
    return _reduced(pair, sp_input, axis, keepdims, output_is_sparse, name)
