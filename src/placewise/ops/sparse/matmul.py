"""Products of a sparse and a dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import NotFoundError, invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.gather import gather, gather_nd
from placewise.ops.array.out_of_range import are_inside
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.transpose import matrix_transpose
from placewise.ops.math.complex_numbers import conj
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.sparse.places import numbers
from placewise.ops.sparse.sparse_tensor import as_sparse, is_sparse
from placewise.ops.work import sparse_matmul_work

# What TensorFlow's CPU kernel multiplies.
_TYPES = frozenset(
    {
        dtypes.bfloat16,
        dtypes.float16,
        dtypes.float32,
        dtypes.float64,
        dtypes.int32,
        dtypes.complex64,
        dtypes.complex128,
    }
)

sparse_tensor_dense_matmul = define(
    "SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T;"
    " adjoint_a: bool = False, adjoint_b: bool = False) -> product: T",
    host=("a_shape",),
    Tindices=INDEX,
    doc="Return a sparse matrix times a dense one.",
    work=sparse_matmul_work,
    default_types={"Tindices": dtypes.int64},
)


@sparse_tensor_dense_matmul.shape
def sparse_tensor_dense_matmul_shape(
    a_indices: Static,
    a_values: Static,
    a_shape: Static,
    b: Static,
    *,
    adjoint_a: bool,
    adjoint_b: bool,
) -> Dims:
    rows = inner = None
    sizes = None if a_shape.value is None else np.asarray(a_shape.value)
    if sizes is not None and sizes.shape == (2,):
        rows, inner = (int(size) for size in (sizes[::-1] if adjoint_a else sizes))
    if b.shape is None or len(b.shape) != 2:
        return (rows, None)
    theirs, columns = b.shape[::-1] if adjoint_b else b.shape
    if None not in (inner, theirs) and inner != theirs:
        raise ValueError(f"Dimensions must be equal, but are {inner} and {theirs}")
    return (rows, columns)


@sparse_tensor_dense_matmul.kernel
def sparse_tensor_dense_matmul_kernel(
    a_indices: torch.Tensor,
    a_values: Any,
    a_shape: np.ndarray[Any, Any],
    b: Any,
    *,
    adjoint_a: bool,
    adjoint_b: bool,
) -> Any:
    _check(a_indices, a_values, a_shape, b, adjoint_a, adjoint_b)
    rows, columns = (1, 0) if adjoint_a else (0, 1)
    row, column = a_indices[:, rows].long(), a_indices[:, columns].long()
    count = int(a_shape[rows])
    if not a_indices.is_cpu:
        return _product_on_device(
            row, column, a_values, b, count, adjoint_a=adjoint_a, adjoint_b=adjoint_b
        )
    array = numbers(a_indices)
    if len(array) and ((array < 0) | (array >= a_shape)).any():
        _complain(array, a_shape, adjoint_a)
    values = a_values.conj().resolve_conj() if adjoint_a and a_values.is_complex() else a_values
    other = b.mH if adjoint_b else b
    # Half precision sums in single, as the reference kernel does.
    narrow = values.dtype in (torch.float16, torch.bfloat16)
    if narrow:
        values, other = values.float(), other.float()
    if values.dtype in (torch.float32, torch.float64) and len(values):
        matrix = torch.sparse_coo_tensor(
            torch.stack([row, column]), values, (count, other.shape[0]), check_invariants=False
        )
        product = torch.sparse.mm(matrix, other.contiguous())
    else:
        parts = values[:, None] * other[column]
        product = parts.new_zeros(count, other.shape[1]).index_add(0, row, parts)
    return product.to(a_values.dtype) if narrow else product


# Of how many elements products are held at once; more go in several parts.
_AT_ONCE = 1 << 24


def _product_on_device(
    row: Any, column: Any, values: Any, b: Any, count: int, *, adjoint_a: bool, adjoint_b: bool
) -> Any:
    """Return the product without a look at the places, added up product by product.

    As on TensorFlow's GPU a row that is not there is dropped, a column that is not gives NaN.
    """
    wide = torch.float32 if values.dtype in (torch.float16, torch.bfloat16) else values.dtype
    entries = (values.conj() if adjoint_a else values).to(wide)
    other = (b.mH if adjoint_b else b).to(wide)
    made = entries.new_zeros(count, other.shape[1])
    if not count:
        return made.to(values.dtype)
    here = are_inside(row, count)
    row, is_known = torch.where(here, row, 0), are_inside(column, other.shape[0])
    nothing = float("nan") if wide.is_floating_point or wide.is_complex else 0
    step = max(_AT_ONCE // max(other.shape[1], 1), 1)
    for start in range(0, len(row), step):
        part = slice(start, start + step)
        if other.shape[0]:
            near = column[part].clamp(0, other.shape[0] - 1)
            products = entries[part, None] * other.index_select(0, near)
        else:
            products = made.new_zeros(len(row[part]), other.shape[1])
        products = products.masked_fill(~is_known[part, None], nothing)
        made.index_add_(0, row[part], products.masked_fill(~here[part, None], 0))
    return made.to(values.dtype)


def _complain(indices: np.ndarray[Any, Any], shape: np.ndarray[Any, Any], adjoint_a: bool) -> None:
    bad = (indices < 0) | (indices >= shape)
    row, column = np.argwhere(bad)[0]
    # The product has m rows, each a sum over k: what an index counts depends on which side it is.
    what = "k" if bool(column) != adjoint_a else "m"
    raise invalid(
        f"{what} ({indices[row, column]}) from index[{row},{column}] out of bounds "
        f"(>={shape[column]})"
    )


def _check(indices: Any, values: Any, shape: Any, b: Any, adjoint_a: bool, adjoint_b: bool) -> None:
    if b.ndim != 2:
        raise invalid("Tensor 'b' is not a matrix")
    if shape.ndim != 1:
        raise invalid("Tensor 'a_shape' is not a vector")
    if len(shape) != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    if values.ndim != 1:
        raise invalid("Tensor 'a_values' is not a vector")
    if indices.ndim != 2:
        raise invalid("Tensor 'a_indices' is not a matrix")
    if indices.shape[0] != values.shape[0]:
        raise invalid("Number of rows of a_indices does not match number of entries in a_values")
    inner = int(shape[0 if adjoint_a else 1])
    other = b.shape[1 if adjoint_b else 0]
    if inner != other:
        raise invalid(
            f"Cannot multiply A and B because inner dimension does not match: {inner} vs. {other}. "
            f" Did you forget a transpose?  Dimensions of A: [{shape[0]}, {shape[1]}).  Dimensions "
            f"of B: {bracketed(b.shape)}"
        )


@sparse_tensor_dense_matmul.gradient
def sparse_tensor_dense_matmul_gradient(call: Call, dy: Tensor) -> Any:
    indices, values, shape, b = call.inputs
    adjoint_a, adjoint_b = call.attrs["adjoint_a"], call.attrs["adjoint_b"]
    db = sparse_tensor_dense_matmul(indices, values, shape, dy, adjoint_a=not adjoint_a)
    if adjoint_b:
        db = matrix_transpose(db, conjugate=True)
    row, column = indices[:, 0], indices[:, 1]
    if adjoint_a:
        row, column = column, row
    other = matrix_transpose(b) if adjoint_b else conj(b)
    da = reduce_sum(gather(dy, row) * gather(other, column), 1)
    if adjoint_a:
        da = conj(da)
    return None, da, None, db


def sparse_dense_matmul(
    sp_a: Any,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of a sparse and a dense matrix (either may be the sparse one)."""
    if is_sparse(b) and not is_sparse(sp_a):
        flipped = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return matrix_transpose(flipped, conjugate=True)
    a = as_sparse(sp_a)
    dense = convert_to_tensor(b)
    if a.dtype not in _TYPES:
        _no_kernel(a.dtype)
    return sparse_tensor_dense_matmul(
        a.indices,
        a.values,
        a.dense_shape,
        dense,
        adjoint_a=adjoint_a,
        adjoint_b=adjoint_b,
        name=name,
    )


def _no_kernel(dtype: Any) -> None:
    raise NotFoundError(
        None,
        None,
        "Could not find device for node: {{node SparseTensorDenseMatMul}} = "
        f"SparseTensorDenseMatMul[T=DT_{dtype.name.upper()}, Tindices=DT_INT64, "
        "adjoint_a=false, adjoint_b=false]",
    )


def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: float = 1.0,
    alpha: float = 1.0,
    output_type: DTypeLike = dtypes.float32,
) -> Any:
    """Return `alpha * (mat1 @ mat2) + beta * values` at some places: (indices, values, shape)."""
    indices = convert_to_tensor(indices)
    values = convert_to_tensor(values, output_type)
    dense_shape = convert_to_tensor(dense_shape)
    mat1, mat2 = convert_to_tensor(mat1, output_type), convert_to_tensor(mat2, output_type)
    if indices.shape.rank != 2:
        products = gather_nd(matmul(mat1, mat2), indices, batch_dims=indices.shape.rank - 2)
    elif mat1.shape.rank == 2:
        rows = gather(mat1, indices[:, 0])
        columns = gather(matrix_transpose(mat2), indices[:, 1])
        products = reduce_sum(rows * columns, -1)
    else:
        products = gather_nd(matmul(mat1, mat2), indices)
    return indices, alpha * products + beta * values, dense_shape
