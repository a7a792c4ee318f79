"""Matrices of few diagonals: tridiagonal products and solutions, banded triangular solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import COMPLEX, float32, float64
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import stack
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import expand_dims, squeeze
from placewise.ops.convert import convert_to_tensor, only_tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed
from placewise.ops.linalg.diagonal import diag_kernel, diag_part
from placewise.ops.linalg.inverse import check_rows, check_triangular, solved_triangular
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.matrices import MATRIX, check_matrix, equal_dimension, rank_at_least
from placewise.ops.linalg.transpose import matrix_transpose
from placewise.ops.math.arithmetic import conjugate
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.values import dtype_of

_TRIDIAGONAL = COMPLEX | {float32, float64}

tridiagonal_mat_mul = define(
    "TridiagonalMatMul(superdiag: T, maindiag: T, subdiag: T, rhs: T) -> output: T",
    T=_TRIDIAGONAL,
    doc="The product of tridiagonal matrices with matrices.",
)


@tridiagonal_mat_mul.shape
def tridiagonal_mat_mul_shape(
    superdiag: Static, maindiag: Static, subdiag: Static, rhs: Static
) -> Dims:
    for each in (superdiag, maindiag, subdiag, rhs):
        rank_at_least(each.shape, 2)
        if each is not rhs and each.shape is not None and rhs.shape is not None:
            equal_dimension(each.shape[-1], rhs.shape[-2])
    return rhs.shape


@tridiagonal_mat_mul.kernel
def tridiagonal_mat_mul_kernel(
    superdiag: torch.Tensor, maindiag: torch.Tensor, subdiag: torch.Tensor, rhs: torch.Tensor
) -> Any:
    for place, each in enumerate((superdiag, maindiag, subdiag, rhs)):
        check_matrix(each, place)
    wanted = (*rhs.shape[:-2], 1, rhs.shape[-2])
    for what, each in (("super", superdiag), ("main", maindiag), ("sub", subdiag)):
        if tuple(each.shape) != wanted:
            raise invalid(f"Invalid {what}diagonal shape.")
    upper, main, lower = (d.mT for d in (superdiag, maindiag, subdiag))
    product = main * rhs
    product[..., :-1, :] += upper[..., :-1, :] * rhs[..., 1:, :]
    product[..., 1:, :] += lower[..., 1:, :] * rhs[..., :-1, :]
    return product


def _earlier(x: Tensor) -> Any:
    """Return rows moved up by one, zeros below."""
    return pad(x[..., 1:, :], [[0, 0]] * (len(x._shape_tuple) - 2) + [[0, 1], [0, 0]])


def _later(x: Tensor) -> Any:
    """Return rows moved down by one, zeros above."""
    return pad(x[..., :-1, :], [[0, 0]] * (len(x._shape_tuple) - 2) + [[1, 0], [0, 0]])


@tridiagonal_mat_mul.gradient
def tridiagonal_mat_mul_gradient(call: Call, dy: Tensor) -> Any:
    upper, main, lower = (matrix_transpose(d, conjugate=True) for d in call.inputs[:3])
    rhs = conjugate(call.inputs[3])
    diagonals = (
        expand_dims(reduce_sum(moved * dy, axis=-1), -2)
        for moved in (_earlier(rhs), rhs, _later(rhs))
    )
    return (*diagonals, _later(upper * dy) + main * dy + _earlier(lower * dy))


def _check_square_sides(diagonals: Any) -> None:
    rows, columns = diagonals._shape_tuple[-2:]
    if rows and columns and rows != columns:
        raise ValueError(
            f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}"
        )


def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Any:
    """Return the product of tridiagonal matrices with `rhs`.

    `diagonals_format`: 'compact' (three rows: above, main, below), 'sequence' or 'matrix'.
    """
    if diagonals_format == "sequence":
        three = [convert_to_tensor(each) for each in diagonals]
    elif diagonals_format in ("compact", "matrix"):
        packed = only_tensor(diagonals)
        if diagonals_format == "matrix":
            _check_square_sides(packed)
            packed = diag_part(packed, k=(-1, 1), align="LEFT_RIGHT")
        three = [packed[..., row, :] for row in range(3)]
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    upper, main, lower = (expand_dims(each, -2) for each in three)
    return tridiagonal_mat_mul(upper, main, lower, rhs, name)


tridiagonal_solve_op = define(
    "TridiagonalSolve(diagonals: T, rhs: T; partial_pivoting: bool = True,"
    " perturb_singular: bool = False) -> output: T",
    T=_TRIDIAGONAL,
    doc="The solutions of tridiagonal systems.",
)


@tridiagonal_solve_op.shape
def tridiagonal_solve_shape(diagonals: Static, rhs: Static, **_: object) -> Dims:
    if rank_at_least(diagonals.shape, 2) is not None:
        equal_dimension(diagonals.shape[-2], 3)  # type: ignore[index]
    if rank_at_least(rhs.shape, 2) is not None and diagonals.shape is not None:
        equal_dimension(diagonals.shape[-1], rhs.shape[-2])  # type: ignore[index]
    return rhs.shape


@tridiagonal_solve_op.kernel
def tridiagonal_solve_kernel(
    diagonals: torch.Tensor, rhs: torch.Tensor, *, partial_pivoting: bool, perturb_singular: bool
) -> Any:
    check_matrix(diagonals)
    check_matrix(rhs, 1)
    if diagonals.shape[-2] != 3:
        raise invalid(
            "Expected diagonals to be provided as a matrix with 3 rows, got "
            f"{diagonals.shape[-2]} rows."
        )
    if diagonals.dim() != rhs.dim():
        raise invalid("All input tensors must have the same rank.")
    if diagonals.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    count = diagonals.shape[-1]
    if count != rhs.shape[-2]:
        raise invalid(
            "Expected the same number of left-hand sides and right-hand sides, got "
            f"{count} and {rhs.shape[-2]}."
        )
    if not rhs.numel():
        return rhs
    upper, main, lower = (
        [column[..., None] for column in diagonals[..., row, :].unbind(-1)] for row in range(3)
    )
    least = _least_pivot(diagonals) if perturb_singular else None
    steps = _pivoted if partial_pivoting else _plain
    return steps(upper, main, lower, list(rhs.unbind(-2)), least)


def _least_pivot(diagonals: Any) -> Any:
    """Return what replaces a smaller pivot where a singular matrix is to be solved anyway."""
    limits = torch.finfo(diagonals.dtype)
    scale = diagonals.abs().amax((-1, -2))[..., None].clamp_min(1.0)
    return torch.maximum(scale * limits.eps, scale.new_tensor(limits.tiny / limits.eps))


def _pivot(value: torch.Tensor, least: Any) -> Any:
    if least is None:
        return torch.where(value == 0, float("nan"), value)
    phase = torch.where(value == 0, torch.ones_like(value), torch.sgn(value))
    return torch.where(value.abs() < least, phase * least.to(value.dtype), value)


def _plain(upper: list[Any], main: list[Any], lower: list[Any], x: list[Any], least: Any) -> Any:
    main = list(main)
    count = len(main)
    for i in range(1, count):
        factor = lower[i] / _pivot(main[i - 1], least)
        main[i] = main[i] - factor * upper[i - 1]
        x[i] = x[i] - factor * x[i - 1]
    x[-1] = x[-1] / _pivot(main[-1], least)
    for i in range(count - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / _pivot(main[i], least)
    return torch.stack(x, -2)


def _pivoted(upper: list[Any], main: list[Any], lower: list[Any], x: list[Any], least: Any) -> Any:
    """Gaussian elimination that exchanges neighbouring rows: a second diagonal above fills up."""
    count = len(main)
    nothing = torch.zeros_like(main[0])
    first, second, third = [main[0]], [upper[0]], []
    for i in range(count - 1):
        here, beside, below = first[i], second[i], lower[i + 1]
        above = upper[i + 1] if i < count - 2 else nothing
        keep = here.abs() >= below.abs()
        pivot = _pivot(torch.where(keep, here, below), least)
        factor = torch.where(keep, below, here) / pivot
        first[i] = pivot
        first.append(
            torch.where(keep, main[i + 1] - factor * beside, beside - factor * main[i + 1])
        )
        second[i] = torch.where(keep, beside, main[i + 1])
        second.append(torch.where(keep, above, -factor * above))
        third.append(torch.where(keep, nothing, above))
        x[i], x[i + 1] = (
            torch.where(keep, x[i], x[i + 1]),
            torch.where(keep, x[i + 1] - factor * x[i], x[i] - factor * x[i + 1]),
        )
    x[-1] = x[-1] / _pivot(first[-1], least)
    for i in range(count - 2, -1, -1):
        rest = x[i] - second[i] * x[i + 1]
        if i < count - 2:
            rest = rest - third[i] * x[i + 2]
        x[i] = rest / first[i]
    return torch.stack(x, -2)


@tridiagonal_solve_op.gradient
def tridiagonal_solve_gradient(call: Call, dy: Tensor) -> Any:
    diagonals, _ = call.inputs
    x = conjugate(call.output)
    turned = conjugate(_transposed(diagonals))
    d_rhs = tridiagonal_solve_op(turned, dy, **call.attrs)
    three = [-reduce_sum(d_rhs * moved, axis=-1) for moved in (_earlier(x), x, _later(x))]
    return stack(three, axis=-2), d_rhs


def _transposed(diagonals: Tensor) -> Any:
    """Return the three diagonals of the transposed matrices."""
    sides = [[0, 0]] * (len(diagonals._shape_tuple) - 2)
    upper = pad(diagonals[..., 2, 1:], [*sides, [0, 1]])
    lower = pad(diagonals[..., 0, :-1], [*sides, [1, 0]])
    return stack([upper, diagonals[..., 1, :], lower], axis=-2)


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Return the solutions of tridiagonal systems.

    `diagonals_format`: 'compact' (three rows: above, main, below), 'sequence' or 'matrix'. A
    singular matrix gives NaN, or an answer to a nearby system with `perturb_singular`.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    if diagonals_format == "sequence":
        packed = _packed(diagonals)
    elif diagonals_format == "matrix":
        packed = convert_to_tensor(diagonals)
        _check_square_sides(packed)
        packed = diag_part(packed, k=(-1, 1), align="LEFT_RIGHT")
    elif diagonals_format == "compact":
        packed = convert_to_tensor(diagonals)
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    rhs = convert_to_tensor(rhs)
    _check_system(packed, rhs)
    flags = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular}
    is_vector = len(rhs._shape_tuple) == len(packed._shape_tuple) - 1
    if transpose_rhs and not is_vector:
        rhs = matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = conjugate(rhs)
    rhs = expand_dims(rhs, -1) if is_vector else rhs
    sides = (packed._shape_tuple[-1], rhs._shape_tuple[-2])
    if None not in sides and sides[0] != sides[1]:
        raise ValueError(
            "Expected number of left-hand sided and right-hand sides to be equal, got "
            f"{packed._shape_tuple[-1]} and {rhs._shape_tuple[-2]}"
        )
    solved = tridiagonal_solve_op(packed, rhs, **flags, name=name)
    return squeeze(solved, [-1]) if is_vector else solved


def _packed(diagonals: Any) -> Any:
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    upper, main, lower = (convert_to_tensor(each) for each in diagonals)
    batches = [each._shape_tuple[:-1] for each in (lower, main, upper)]
    if batches[0] != batches[1] or batches[2] != batches[1]:
        raise ValueError(
            "Tensors representing the three diagonals must have the same shape,except for the "
            f"last dimension, got {lower.shape}, {main.shape}, {upper.shape}"
        )
    upper = _lengthened(upper, main, "superdiagonal", [0, 1])
    lower = _lengthened(lower, main, "subdiagonal", [1, 0])
    return stack([upper, main, lower], axis=-2)


def _lengthened(diagonal: Any, main: Any, what: str, ends: list[int]) -> Any:
    given, wanted = diagonal._shape_tuple[-1], main._shape_tuple[-1]
    if not given or given == wanted:
        return diagonal
    if given != wanted - 1:
        raise ValueError(
            f"Expected {what} to be have length {wanted} or {wanted - 1}, got {given}."
        )
    return pad(diagonal, [[0, 0]] * (len(diagonal._shape_tuple) - 1) + [ends])


def _check_system(diagonals: Tensor, rhs: Tensor) -> None:
    rank, other = len(diagonals._shape_tuple), len(rhs._shape_tuple)
    if rank < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
    if other not in (rank, rank - 1):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {other}")
    if diagonals._shape_tuple[:-2] != rhs._shape_tuple[: rank - 2]:
        raise ValueError(
            f"Batch shapes {diagonals.shape[:-2]} and {rhs.shape[: rank - 2]} are incompatible"
        )
    if diagonals._shape_tuple[-2] != 3:
        raise ValueError(f"Expected 3 diagonals got {diagonals._shape_tuple[-2]}")


@op(
    "BandedTriangularSolve(matrix: T, rhs: T; lower: bool = True, adjoint: bool = False)"
    " -> output: T",
    T=MATRIX,
    devices=("CPU",),
)
def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Any:
    """Return the solutions of triangular systems given by their diagonals.

    Row by row from the highest diagonal down; those below the main one are aligned right, those
    above left.
    """
    return banded_triangular_solve.bind(bands, rhs, lower=lower, adjoint=adjoint, name=name)


@banded_triangular_solve.shape
def banded_triangular_solve_shape(matrix: Static, rhs: Static, **_: object) -> Dims:
    if rank_at_least(matrix.shape, 2) is None or rank_at_least(rhs.shape, 2) is None:
        return None
    rows = equal_dimension(matrix.shape[-1], rhs.shape[-2])  # type: ignore[index]
    batch = broadcast(matrix.shape[:-2], rhs.shape[:-2])  # type: ignore[index]
    return None if batch is None else (*batch, rows, rhs.shape[-1])  # type: ignore[index]


@banded_triangular_solve.kernel
def banded_triangular_solve_kernel(
    matrix: torch.Tensor, rhs: torch.Tensor, *, lower: bool, adjoint: bool
) -> Any:
    for at, part in enumerate((matrix, rhs)):
        if not part.numel():
            raise invalid(
                f"In[{at}] must not be an empty tensor: Tensor<type: "
                f"{dtype_of(part).name} shape: {bracketed(part.shape)} values: >"
            )
    check_triangular(matrix, rhs)
    check_rows(matrix, rhs, lower, adjoint)
    count, size = matrix.shape[-2:]
    if count > size:
        matrix = matrix[..., :size, :] if lower else matrix[..., count - size :, :]
        count = size
    if bool((matrix[..., 0 if lower else -1, :] == 0).any()):
        raise invalid("Input matrix is not invertible.")
    k = np.asarray([1 - count, 0] if lower else [0, count - 1], np.int32)
    side = np.asarray(size, np.int32)
    packed = matrix if count > 1 else matrix[..., 0, :]
    dense = diag_kernel(packed, k, side, side, matrix.new_zeros(()), align="LEFT_RIGHT")
    return solved_triangular(dense, rhs, lower, adjoint)


@banded_triangular_solve.gradient
def banded_triangular_solve_gradient(call: Call, dy: Tensor) -> Any:
    bands, rhs = call.inputs
    lower, turned = call.attrs["lower"], call.attrs["adjoint"]
    d_rhs = banded_triangular_solve(bands, dy, lower=lower, adjoint=not turned)
    if turned:
        dense = -matmul(call.output, d_rhs, adjoint_b=True)
    else:
        dense = -matmul(d_rhs, call.output, adjoint_b=True)
    count = bands._shape_tuple[-2]
    k = (1 - count, 0) if lower else (0, count - 1)
    found = diag_part(dense, k=k, align="LEFT_RIGHT")
    found = expand_dims(found, -2) if count == 1 else found
    return sum_to_shape_of(found, bands), sum_to_shape_of(d_rhs, rhs)
