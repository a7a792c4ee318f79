"""Systems without an exact solution: least squares, pseudo-inverses, ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import complex128, float32, int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import eye
from placewise.ops.array.shape import expand_dims, sizes_of
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.flow.control import cond
from placewise.ops.linalg.factor import cholesky, svd
from placewise.ops.linalg.inverse import cholesky_solve
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.matrices import MATRIX, check_matrix, equal_dimension, in_float
from placewise.ops.linalg.transpose import matrix_transpose
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_max, reduce_sum
from placewise.ops.work import factorization_work

matrix_solve_ls = define(
    "MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: float64; fast: bool = True) -> output: T",
    T=MATRIX,
    devices=("CPU",),
    doc="The least-squares solutions of systems of equations.",
    work=factorization_work,
)

# Where many small systems fill more than this, one kernel for all of them is faster.
_CACHE_BYTES = 256_000


def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: Any = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Any:
    """Return x that makes |matrix · x - rhs|² + l2_regularizer · |x|² smallest.

    `fast` solves the normal equations; otherwise a slower way that also stands rank deficiency.
    """
    matrix = convert_to_tensor(matrix)
    if matrix.dtype is complex128 and l2_regularizer != 0:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to "
            "poor accuracy."
        )
    rows, columns = matrix._shape_tuple[-2:]
    if fast is False or rows is None or columns is None or _is_many(matrix):
        return matrix_solve_ls(matrix, rhs, l2_regularizer, fast=fast, name=name)
    if rows >= columns:
        factor = _gramian_factor(matrix, l2_regularizer, columns_first=True)
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True), name=name)
    factor = _gramian_factor(matrix, l2_regularizer, columns_first=False)
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True, name=name)


def _is_many(matrix: Tensor) -> bool:
    shape = matrix._shape_tuple
    if None in shape:
        return False
    total = int(np.prod(shape)) * matrix.dtype.size
    is_large: bool = total > _CACHE_BYTES and int(np.prod(shape[:-2])) > min(shape[-2:])
    return is_large


def _gramian_factor(matrix: Tensor, l2_regularizer: TensorLike, *, columns_first: bool) -> Any:
    gramian = matmul(matrix, matrix, adjoint_a=columns_first, adjoint_b=not columns_first)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        side = sizes_of(gramian)[-1]
        gramian = gramian + l2_regularizer * eye(side, dtype=matrix.dtype)
    return cholesky(gramian)


@matrix_solve_ls.shape
def matrix_solve_ls_shape(
    matrix: Static, rhs: Static, l2_regularizer: Static, *, fast: bool
) -> Dims:
    if matrix.shape is None or rhs.shape is None:
        return None
    for each in (matrix.shape, rhs.shape):
        if len(each) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(each)}")
    equal_dimension(matrix.shape[-2], rhs.shape[-2])
    batch = (equal_dimension(a, b) for a, b in zip(matrix.shape[:-2], rhs.shape[:-2], strict=True))
    return (*batch, matrix.shape[-1], rhs.shape[-1])


@matrix_solve_ls.kernel
def matrix_solve_ls_kernel(
    matrix: torch.Tensor, rhs: torch.Tensor, l2_regularizer: torch.Tensor, *, fast: bool
) -> Any:
    check_matrix(matrix)
    if l2_regularizer.dim():
        raise invalid(f"l2_regularizer must be scalar, got shape {bracketed(l2_regularizer.shape)}")
    weight = float(l2_regularizer)
    if weight < 0:
        raise invalid("l2_regularizer must be >= 0.")
    if matrix.dim() != rhs.dim():
        raise invalid("All input tensors must have the same rank.")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    if not fast:
        return in_float(lambda a, b: torch.linalg.pinv(a) @ b, matrix, rhs)
    return in_float(lambda a, b: _normal_solution(a, b, weight), matrix, rhs)


def _normal_solution(matrix: torch.Tensor, rhs: torch.Tensor, weight: float) -> Any:
    rows, columns = matrix.shape[-2:]
    tall = rows >= columns
    gramian = matrix.mH @ matrix if tall else matrix @ matrix.mH
    if weight:
        gramian = gramian + weight * torch.eye(
            gramian.shape[-1], dtype=matrix.dtype, device=matrix.device
        )
    factor, info = torch.linalg.cholesky_ex(gramian)
    if bool(info.any()):
        raise invalid(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or "
            "provide a larger l2_regularizer > 0."
        )
    if tall:
        return torch.cholesky_solve(matrix.mH @ rhs, factor)
    return matrix.mH @ torch.cholesky_solve(rhs, factor)


@matrix_solve_ls.gradient
def matrix_solve_ls_gradient(call: Call, dy: Tensor) -> Any:
    if call.attrs["fast"] is False:
        raise ValueError("Gradient not defined for fast=False")
    a, b, weight = call.inputs
    weight = cast(weight, a.dtype)
    rows, columns = sizes_of(a)[-2:]

    def of_tall() -> Any:
        return _gradient_of_tall(a, b, weight, call.output, dy)

    def of_wide() -> Any:
        return _gradient_of_wide(a, b, weight, dy)

    tall = rows >= columns
    if isinstance(tall, Tensor):
        return (*cond(tall, of_tall, of_wide), None)
    return (*(of_tall() if tall else of_wide()), None)


def _gradient_of_tall(a: Tensor, b: Tensor, weight: Tensor, output: Tensor, dy: Tensor) -> Any:
    factor = _gramian_factor(a, weight, columns_first=True)
    z = cholesky_solve(factor, dy)
    outer = matmul(output, z, adjoint_b=True)
    both = outer + matrix_transpose(outer)
    return matmul(b, z, adjoint_b=True) - matmul(a, both), matmul(a, z)


def _gradient_of_wide(a: Tensor, b: Tensor, weight: Tensor, dy: Tensor) -> Any:
    factor = _gramian_factor(a, weight, columns_first=False)
    db = cholesky_solve(factor, matmul(a, dy))
    solved = cholesky_solve(factor, b)
    first = matmul(db, matmul(solved, a, adjoint_a=True))
    second = matmul(solved, dy - matmul(a, db, adjoint_a=True), adjoint_b=True)
    return second - first, db


def _longer_side(a: Tensor) -> Any:
    """Return the number of rows or columns, whichever are more, as the elements' type."""
    rows, columns = sizes_of(a)[-2:]
    if isinstance(rows, Tensor) or isinstance(columns, Tensor):
        return cast(maximum(rows, columns), a.dtype)
    return float(max(rows, columns))


def _check_float_matrix(a: Tensor) -> None:
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a._shape_tuple is not None and len(a._shape_tuple) < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {len(a._shape_tuple)}).")


def matrix_rank(
    a: TensorLike,
    tol: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Any:
    """Return how many singular values of matrices are larger than `tol`."""
    a = convert_to_tensor(a, dtype_hint=float32)
    _check_float_matrix(a)
    s = svd(a, compute_uv=False)
    if tol is None:
        eps = float(np.finfo(a.dtype.as_numpy_dtype).eps)
        tol = eps * _longer_side(a) * reduce_max(s, axis=-1, keepdims=True)
    return reduce_sum(cast(s > tol, int32), axis=-1, name=name)


def pinv(
    a: TensorLike, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the pseudo-inverses of matrices.

    Singular values below `rcond` times the largest count as zero.
    """
    a = convert_to_tensor(a)
    _check_float_matrix(a)
    kind = a.dtype.as_numpy_dtype
    if rcond is None:
        rcond = 10.0 * _longer_side(a) * float(np.finfo(kind).eps)
    rcond = convert_to_tensor(rcond, dtype=a.dtype)
    s, u, v = svd(a, full_matrices=False, compute_uv=True)
    cutoff = expand_dims(rcond * reduce_max(s, axis=-1), -1)
    s = where(s > cutoff, s, np.asarray(np.inf, kind))
    return matmul(v / expand_dims(s, -2), u, adjoint_b=True, name=name)
