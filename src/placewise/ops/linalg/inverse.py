"""Linear systems solved, matrices inverted, determinants."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import bfloat16
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.linalg.diagonal import band_part, diag_part
from placewise.ops.linalg.factor import cholesky
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.matrices import (
    MATRIX,
    check_matrix,
    check_square,
    equal_dimension,
    in_float,
    square,
    square_shape,
)
from placewise.ops.linalg.matrix_products import is_own, is_plain
from placewise.ops.math.complex_numbers import real
from placewise.ops.math.exponential import log
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.work import factorization_work

_STEP = 16  # rows of a product in `native/inverse.c`


def _lost(info: torch.Tensor, result: torch.Tensor, matrix: torch.Tensor) -> bool:
    """Return True if a matrix had a pivot that is zero or not a number.

    TensorFlow tells that on a GPU too; reading it waits for a device, once if all is well.
    """
    if not bool(info.any() | torch.isnan(result).any()):
        return False
    if bool(info.any()):
        return True
    factors, _, _ = torch.linalg.lu_factor_ex(matrix)
    pivots = torch.diagonal(factors, 0, -2, -1).abs()
    return not bool((pivots > 0).all())


@op(
    "MatrixInverse(input: T; adjoint: bool = False) -> output: T", T=MATRIX, work=factorization_work
)
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Any:
    """Return the inverses of square matrices, or of their adjoints."""
    return inv.bind(input, adjoint=adjoint, name=name)


inv.shape(square_shape)


@inv.kernel
def inv_kernel(input: torch.Tensor, *, adjoint: bool) -> Any:
    check_square(input)
    return in_float(_inverted, input.mH if adjoint else input)


def _inverted(matrix: torch.Tensor) -> Any:
    result, info = _by_factors(matrix) if _is_middling(matrix) else torch.linalg.inv_ex(matrix)
    if _lost(info, result, matrix):
        raise invalid("Input is not invertible.")
    return result


def _is_middling(matrix: torch.Tensor) -> bool:
    """Return whether the native module is quicker at a matrix than LAPACK."""
    size = matrix.shape[-1]
    return (
        native.code is not None
        and is_own(_STEP, size, size)
        and is_plain(matrix)
        and torch._C._len_torch_dispatch_stack() == 0
        and torch._C._functorch.peek_interpreter_stack() is None
    )


def _by_factors(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    factors, pivots, info = torch.linalg.lu_factor_ex(matrix)
    result = matrix.new_empty(matrix.shape)
    by_columns = factors.mT.contiguous()
    native.code.invert(by_columns.numpy(), pivots.numpy(), result.numpy(), matrix.shape[-1])
    return result, info


@inv.gradient
def inv_gradient(call: Call, dy: Tensor) -> Any:
    turned = call.attrs["adjoint"]
    inverse = call.output
    inner = matmul(dy, inverse, adjoint_a=turned, adjoint_b=not turned)
    return -matmul(inverse, inner, adjoint_a=not turned)


@op(
    "MatrixSolve(matrix: T, rhs: T; adjoint: bool = False) -> output: T",
    T=MATRIX,
    work=factorization_work,
)
def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Any:
    """Return x with `matrix` · x = `rhs`; with the adjoint of `matrix` if so asked."""
    return solve.bind(matrix, rhs, adjoint=adjoint, name=name)


@solve.shape
def solve_shape(matrix: Static, rhs: Static, *, adjoint: bool) -> Dims:
    sides = square(matrix.shape)
    if rhs.shape is None or sides is None:
        return rhs.shape
    if len(rhs.shape) != len(sides):
        raise ValueError(f"Shape must be rank {len(sides)} but is rank {len(rhs.shape)}")
    rows = equal_dimension(sides[-1], rhs.shape[-2])
    batch = (equal_dimension(a, b) for a, b in zip(sides[:-2], rhs.shape[:-2], strict=True))
    return (*batch, rows, rhs.shape[-1])


@solve.kernel
def solve_kernel(matrix: torch.Tensor, rhs: torch.Tensor, *, adjoint: bool) -> Any:
    check_matrix(matrix)
    if matrix.dim() != rhs.dim():
        raise invalid("All input tensors must have the same rank.")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-1] != matrix.shape[-2]:
        raise invalid("First input (lhs) must be a square matrix.")
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    return in_float(_solved, matrix.mH if adjoint else matrix, rhs)


def _solved(matrix: torch.Tensor, rhs: torch.Tensor) -> Any:
    result, info = torch.linalg.solve_ex(matrix, rhs)
    if _lost(info, result, matrix):
        raise invalid("Input matrix is not invertible.")
    return result


@solve.gradient
def solve_gradient(call: Call, dy: Tensor) -> Any:
    matrix, _ = call.inputs
    turned = call.attrs["adjoint"]
    d_rhs = solve(matrix, dy, adjoint=not turned)
    if turned:
        return -matmul(call.output, d_rhs, adjoint_b=True), d_rhs
    return -matmul(d_rhs, call.output, adjoint_b=True), d_rhs


@op(
    "MatrixTriangularSolve(matrix: T, rhs: T; lower: bool = True, adjoint: bool = False)"
    " -> output: T",
    T=MATRIX | {bfloat16},
    work=factorization_work,
)
def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Any:
    """Return x with `matrix` · x = `rhs`, where only one triangle of `matrix` counts."""
    return triangular_solve.bind(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


@triangular_solve.shape
def triangular_solve_shape(matrix: Static, rhs: Static, **_: object) -> Dims:
    sides = square(matrix.shape)
    if rhs.shape is None or sides is None:
        return None
    if len(rhs.shape) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(rhs.shape)}")
    rows = equal_dimension(sides[-1], rhs.shape[-2])
    batch = broadcast(sides[:-2], rhs.shape[:-2])
    return None if batch is None else (*batch, rows, rhs.shape[-1])


def check_triangular(matrix: torch.Tensor, rhs: torch.Tensor) -> None:
    """Raise unless a triangular system fits its right side; the batches broadcast."""
    for place, value in enumerate((matrix, rhs)):
        if value.dim() < 2:
            raise invalid(f"In[{place}] ndims must be >= 2: {value.dim()}")
    try:
        broadcast(tuple(matrix.shape[:-2]), tuple(rhs.shape[:-2]))
    except ValueError:
        raise invalid(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{bracketed(matrix.shape)} vs. {bracketed(rhs.shape)}"
        ) from None


def check_rows(matrix: torch.Tensor, rhs: torch.Tensor, lower: bool, adjoint: bool) -> None:
    """Raise unless the right side has as many rows as the matrix has columns."""
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid(
            f"In[0] mismatch In[1] shape: {matrix.shape[-1]} vs. {rhs.shape[-2]}: "
            f"{bracketed(matrix.shape)} {bracketed(rhs.shape)} {int(lower)} {int(adjoint)}"
        )


@triangular_solve.kernel
def triangular_solve_kernel(
    matrix: torch.Tensor, rhs: torch.Tensor, *, lower: bool, adjoint: bool
) -> Any:
    check_triangular(matrix, rhs)
    if matrix.shape[-1] != matrix.shape[-2]:
        raise invalid(
            "In[0] matrices in the last dimensions must be square "
            f"({matrix.shape[-1]} =/= {matrix.shape[-2]})"
        )
    check_rows(matrix, rhs, lower, adjoint)
    return solved_triangular(matrix, rhs, lower, adjoint)


def solved_triangular(matrix: torch.Tensor, rhs: torch.Tensor, lower: bool, adjoint: bool) -> Any:
    """Return the solution of a triangular system of torch tensors."""
    upper = lower if adjoint else not lower

    def solved(a: torch.Tensor, b: torch.Tensor) -> Any:
        return torch.linalg.solve_triangular(a, b, upper=upper)

    return in_float(solved, matrix.mH if adjoint else matrix, rhs)


@triangular_solve.gradient
def triangular_solve_gradient(call: Call, dy: Tensor) -> Any:
    matrix, rhs = call.inputs
    lower, turned = call.attrs["lower"], call.attrs["adjoint"]
    d_rhs = triangular_solve(matrix, dy, lower=lower, adjoint=not turned)
    if turned:
        d_matrix = -matmul(call.output, d_rhs, adjoint_b=True)
    else:
        d_matrix = -matmul(d_rhs, call.output, adjoint_b=True)
    d_matrix = band_part(d_matrix, -1, 0) if lower else band_part(d_matrix, 0, -1)
    return sum_to_shape_of(d_matrix, matrix), sum_to_shape_of(d_rhs, rhs)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Any:
    """Return x with A · x = `rhs`, where `chol` is the Cholesky factor of A."""
    half_way = triangular_solve(chol, rhs, lower=True)
    return triangular_solve(chol, half_way, lower=True, adjoint=True, name=name)


@op("MatrixDeterminant(input: T) -> output: T", T=MATRIX, work=factorization_work)
def det(input: TensorLike, name: str | None = None) -> Any:
    """Return the determinants of square matrices."""
    return det.bind(input, name)


@det.shape
def det_shape(input: Static) -> Dims:
    sides = square(input.shape)
    return None if sides is None else sides[:-2]


@det.kernel
def det_kernel(input: torch.Tensor) -> Any:
    check_square(input)
    return in_float(torch.linalg.det, input)


@det.gradient
def det_gradient(call: Call, dy: Tensor) -> Any:
    return _column(dy * call.output) * inv(call.inputs[0], adjoint=True)


def _column(x: Tensor) -> Any:
    """Return numbers as matrices of one element."""
    known = shape_of(x)
    if isinstance(known, tuple) or not hasattr(known, "_shape_tuple"):
        return reshape(x, [*known.tolist(), 1, 1])
    return reshape(x, concat([known, [1, 1]], 0))


class LogMatrixDeterminant(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Any
    log_abs_determinant: Any


@op(
    "LogMatrixDeterminant(input: T) -> sign: T, log_abs_determinant: T",
    T=MATRIX,
    work=factorization_work,
)
def slogdet(input: TensorLike, name: str | None = None) -> Any:
    """Return the sign and the logarithm of the absolute value of determinants."""
    return LogMatrixDeterminant(*slogdet.bind(input, name))


@slogdet.shape
def slogdet_shape(input: Static) -> list[Dims]:
    return [det_shape(input)] * 2


@slogdet.kernel
def slogdet_kernel(input: torch.Tensor) -> Any:
    check_square(input)
    sign, size = in_float(lambda x: tuple(torch.linalg.slogdet(x)), input)
    # Where there is no determinant there is no sign: torch says 0, TensorFlow NaN.
    return torch.where(size.isnan(), size.to(sign.dtype), sign), size.to(sign.dtype)


@slogdet.gradient
def slogdet_gradient(call: Call, _: Tensor, d_log: Tensor) -> Any:
    return _column(d_log) * inv(call.inputs[0], adjoint=True)


def logdet(matrix: TensorLike, name: str | None = None) -> Any:
    """Return the logarithms of the determinants of positive definite matrices."""
    diagonal = real(diag_part(cholesky(matrix)))
    return 2.0 * reduce_sum(log(diagonal), axis=[-1], name=name)
