"""Matrices taken apart: Cholesky, LU, QR and singular values."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from placewise import native
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, DType, float16, float32, float64, int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import eye, zeros_like
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define, op
from placewise.ops.host_array import host_array
from placewise.ops.linalg.diagonal import band_part, diag, diag_part, set_diag
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.matrices import (
    MATRIX,
    check_matrix,
    check_square,
    in_float,
    rank_at_least,
    square,
    square_shape,
    where_finite,
)
from placewise.ops.linalg.transpose import adjoint
from placewise.ops.math.cast import cast
from placewise.ops.math.complex_numbers import real
from placewise.ops.work import factorization_work


@op("Cholesky(input: T) -> output: T", T=MATRIX, work=factorization_work)
def cholesky(input: TensorLike, name: str | None = None) -> Any:
    """Return the lower triangular L with L · Lᴴ = input, for positive definite matrices.

    Only the lower triangle of `input` is read. Where a matrix is not positive definite, its
    factor is NaN.
    """
    return cholesky.bind(input, name)


cholesky.shape(square_shape)


@cholesky.kernel
def cholesky_kernel(input: torch.Tensor) -> Any:
    check_square(input)
    return in_float(_cholesky, input)


# Of larger matrices LAPACK is as fast.
_LARGEST_IN_C = 192


def _cholesky(input: torch.Tensor) -> Any:
    array = host_array(input, torch.float32, torch.float64)
    if native.code is not None and array is not None and 0 < input.shape[-1] <= _LARGEST_IN_C:
        made = torch.empty_like(input)
        native.code.cholesky(array, made.numpy(), input.shape[-1], array.itemsize)
        return made
    factor, info = torch.linalg.cholesky_ex(input)
    if not info.is_cpu or bool(info.any()):
        failed = (info != 0)[..., None, None]
        factor = torch.where(failed, torch.full_like(factor, float("nan")).tril(), factor)
    return factor


@cholesky.gradient
def cholesky_gradient(call: Call, dy: Tensor) -> Any:
    factor = call.output
    shape = shape_of(factor)
    inverse = lazy.triangular_solve(factor, eye(shape[-1], dtype=factor.dtype))
    middle = matmul(factor, dy, adjoint_a=True)
    middle = band_part(set_diag(middle, 0.5 * diag_part(middle)), -1, 0)
    half = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    return (half + adjoint(half)) * 0.5


cholesky_grad = define(
    "CholeskyGrad(l: T, grad: T) -> output: T",
    T=frozenset({float16, float32, float64}),
    differentiable=False,
    doc="The gradient of a Cholesky factor with respect to its matrix.",
    work=factorization_work,
)


@cholesky_grad.shape
def cholesky_grad_shape(l: Static, grad: Static) -> Dims:  # noqa: E741
    return square(l.shape)


@cholesky_grad.kernel
def cholesky_grad_kernel(l: torch.Tensor, grad: torch.Tensor) -> Any:  # noqa: E741
    check_square(l)
    if grad.dim() != l.dim():
        raise invalid("All input tensors must have the same rank.")

    def turned(factor: torch.Tensor, dy: torch.Tensor) -> Any:
        factor = factor.tril()  # what stands above the diagonal is not part of the factor
        middle = (factor.mH @ dy).tril()
        middle = middle - 0.5 * torch.diag_embed(torch.diagonal(middle, 0, -2, -1))
        half = torch.linalg.solve_triangular(factor.mH, middle, upper=True)
        half = torch.linalg.solve_triangular(factor, half, upper=False, left=False)
        return 0.5 * (half + half.mH)

    return in_float(turned, l, grad)


class Lu(NamedTuple):
    """Both triangles of an LU decomposition in one matrix, and the order of the rows."""

    lu: Any
    p: Any


@op(
    "Lu(input: T; output_idx_type: type = int32) -> lu: T, p: output_idx_type",
    T=MATRIX,
    differentiable=False,
    work=factorization_work,
    output_idx_type=INDEX,
)
def lu(input: TensorLike, output_idx_type: DTypeLike = int32, name: str | None = None) -> Any:
    """Return the LU decomposition of square matrices: lu and p with input[p] = L · U."""
    return Lu(*lu.bind(input, output_idx_type=output_idx_type, name=name))


@lu.shape
def lu_shape(input: Static, *, output_idx_type: DType) -> list[Dims]:
    sides = square(input.shape)
    return [sides, None if sides is None else sides[:-1]]


@lu.kernel
def lu_kernel(input: torch.Tensor, *, output_idx_type: DType) -> Any:
    if output_idx_type not in INDEX:
        raise invalid(
            f"Value for attr 'output_idx_type' of {output_idx_type.name} is not in the list of "
            "allowed values: int32, int64"
        )
    if input.dim() < 2:
        raise invalid(f"Input tensor must have rank >= 2, got {input.dim()}")
    check_square(input)
    kind = torch.int32 if output_idx_type is int32 else torch.int64
    if not input.numel():
        return input, torch.zeros(input.shape[:-1], dtype=kind, device=input.device)
    # TensorFlow raises for it on a GPU too, and waits there.
    factors, order = in_float(_complex_lu if input.is_complex() else _real_lu, input)
    if not bool((torch.diagonal(factors, 0, -2, -1).abs() > 0).all()):
        raise invalid("Input is not invertible.")
    return factors, order.to(kind)


def _real_lu(x: torch.Tensor) -> Any:
    factors, pivots, _ = torch.linalg.lu_factor_ex(x)
    exchange, _, _ = torch.lu_unpack(factors, pivots, unpack_data=False)
    return factors, exchange.argmax(-2)


def _complex_lu(x: torch.Tensor) -> Any:
    """Return the decomposition with the largest pivots: LAPACK measures by |re| + |im|."""
    size = x.shape[-1]
    x = x.clone()
    order = torch.arange(size, device=x.device).expand(x.shape[:-1]).clone()
    for k in range(size):
        best = x[..., k:, k].abs().argmax(-1, keepdim=True) + k
        rows = torch.arange(size, device=x.device).expand(x.shape[:-1]).clone()
        rows[..., k] = best[..., 0]
        rows = rows.scatter(-1, best, k)
        x = x.gather(-2, rows[..., None].expand(x.shape))
        order = order.gather(-1, rows)
        x[..., k + 1 :, k] /= x[..., k, k, None]
        x[..., k + 1 :, k + 1 :] -= x[..., k + 1 :, k, None] * x[..., k, None, k + 1 :]
    return x, order


class Qr(NamedTuple):
    """An orthogonal and an upper triangular matrix."""

    q: Any
    r: Any


@op(
    "Qr(input: T; full_matrices: bool = False) -> q: T, r: T",
    T=MATRIX,
    sign_free=("q", "r"),
    work=factorization_work,
)
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Any:
    """Return orthogonal q and upper triangular r with q · r = input."""
    return Qr(*qr.bind(input, full_matrices=full_matrices, name=name))


def _sizes(shape: Dims) -> tuple[Any, Any, Any, Any]:
    """Return batch, rows, columns and the smaller of the two."""
    *batch, rows, columns = shape  # type: ignore[misc]
    if rows is None or columns is None:
        return batch, rows, columns, 0 if 0 in (rows, columns) else None
    return batch, rows, columns, min(rows, columns)


@qr.shape
def qr_shape(input: Static, *, full_matrices: bool) -> list[Dims]:
    if rank_at_least(input.shape, 2) is None:
        return [None, None]
    batch, rows, columns, least = _sizes(input.shape)
    inner = rows if full_matrices else least
    return [(*batch, rows, inner), (*batch, inner, columns)]


@qr.kernel
def qr_kernel(input: torch.Tensor, *, full_matrices: bool) -> Any:
    check_matrix(input)
    mode = "complete" if full_matrices else "reduced"
    return in_float(lambda x: tuple(torch.linalg.qr(x, mode)), input)


@qr.gradient
def qr_gradient(call: Call, dq: Tensor, dr: Tensor) -> Any:
    q, r = call.outputs
    *_, rows, columns = r._shape_tuple or (None, None)
    if rows is None or columns is None:
        raise NotImplementedError(
            f"QrGrad not implemented with dynamic shapes. Received r.shape: {r.shape}"
        )
    if rows > columns and q._shape_tuple[-2] == q._shape_tuple[-1]:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
            f"r.shape={r.shape} with nrows={rows}and ncols={columns}."
        )
    height = q._shape_tuple[-2]
    if height >= columns:
        return _tall_qr_gradient(q, r, dq, dr)
    (a,) = call.inputs
    right, d_right = a[..., :, height:], dr[..., :, height:]
    dq = dq + matmul(right, d_right, adjoint_b=True)
    left = _tall_qr_gradient(q, r[..., :, :height], dq, dr[..., :, :height])
    return concat([left, matmul(q, d_right)], axis=-1)


def _tall_qr_gradient(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Any:
    def over_r(x: Tensor) -> Any:
        return adjoint(lazy.triangular_solve(r, adjoint(x), lower=False))

    qdq, rdr = matmul(q, dq, adjoint_a=True), matmul(r, dr, adjoint_b=True)
    lower = band_part(qdq - adjoint(qdq) + rdr - adjoint(rdr), -1, 0)
    found = matmul(q, dr + over_r(lower)) + over_r(dq - matmul(q, qdq))
    if not q.dtype.is_complex:
        return found
    mixed = rdr - adjoint(qdq)
    diagonal = set_diag(zeros_like(mixed), diag_part(mixed))
    correction = diagonal - cast(real(diagonal), q.dtype)
    return found + over_r(matmul(q, adjoint(correction)))


svd_op = define(
    "Svd(input: T; compute_uv: bool = True, full_matrices: bool = False) -> s: T, u: T, v: T",
    T=MATRIX,
    doc="Singular values, and the vectors to the left and right of them.",
    sign_free=("u", "v"),
    work=factorization_work,
)


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Return s, u, v with tensor = u · diag(s) · vᴴ; only s unless `compute_uv`."""
    s, u, v = svd_op(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    s = real(s) if s.dtype.is_complex else s
    return (s, u, v) if compute_uv else s


@svd_op.shape
def svd_shape(input: Static, *, compute_uv: bool, full_matrices: bool) -> list[Dims]:
    if rank_at_least(input.shape, 2) is None:
        return [None, None, None] if compute_uv else [None, (0,), (0,)]
    batch, rows, columns, least = _sizes(input.shape)
    if not compute_uv:
        return [(*batch, least), (0,), (0,)]
    left, right = (rows, columns) if full_matrices else (least, least)
    return [(*batch, least), (*batch, rows, left), (*batch, columns, right)]


@svd_op.kernel
def svd_kernel(input: torch.Tensor, *, compute_uv: bool, full_matrices: bool) -> Any:
    check_matrix(input)

    def parts(x: torch.Tensor) -> Any:
        if not compute_uv:
            nothing = x.new_empty(0)
            return torch.linalg.svdvals(x), nothing, nothing
        u, s, vh = torch.linalg.svd(x, full_matrices=full_matrices)
        return s, u, vh.mH.resolve_conj()

    s, u, v = in_float(lambda x: where_finite(parts, x), input)
    return s.to(input.dtype), u, v


@svd_op.gradient
def svd_gradient(call: Call, ds: Tensor, du: Any, dv: Any) -> Any:
    (a,) = call.inputs
    d_middle = diag(cast(ds, a.dtype))
    if not call.attrs["compute_uv"]:
        _, u, v = svd_op(a, compute_uv=True)
        return matmul(u, matmul(d_middle, v, adjoint_b=True))
    s, u, v = call.outputs
    rows, columns = a._shape_tuple[-2:]
    turned = rows > columns
    if turned:
        rows, columns, u, v, du, dv = columns, rows, v, u, dv, du
    full = call.attrs["full_matrices"]
    if full and columns - rows > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={rows} and n={columns} from op input={a} with shape={a.shape}."
        )
    found = _wide_svd_gradient((s, u, v), (d_middle, du, dv), rows, columns, full)
    return adjoint(found) if turned else found


def safe_reciprocal(x: Tensor) -> Any:
    """Return 1 / x, and 0 where x is 0."""
    return x / (x * x + 1e-20)


def pairwise(values: Tensor) -> Any:
    """Return 1 / (values[j] - values[i]) as a matrix with a zero diagonal."""
    gaps = values[..., None, :] - values[..., :, None]
    return set_diag(safe_reciprocal(gaps), zeros_like(values))


def _wide_svd_gradient(parts: Any, grads: Any, rows: int, columns: int, full: bool) -> Any:
    (s, u, v), (d_middle, du, dv) = parts, grads
    middle, over = diag(s), pairwise(s * s)
    v1, dv1 = v[..., :, :rows], dv[..., :, :rows]
    v_dv = matmul(v1, dv1, adjoint_a=True)
    of_u, of_v = over * matmul(u, du, adjoint_a=True), over * v_dv
    core = d_middle + matmul(of_u + adjoint(of_u), middle) + matmul(middle, of_v + adjoint(of_v))
    found = matmul(u, matmul(core, v1, adjoint_b=True))
    inverse = diag(safe_reciprocal(s))
    if rows != columns:
        dv1t = adjoint(dv1)
        rest = dv1t - matmul(matmul(dv1t, v1), v1, adjoint_b=True)
        if full:
            v2, dv2 = v[..., :, rows:columns], dv[..., :, rows:columns]
            rest = rest - matmul(matmul(v1, dv2, adjoint_a=True), v2, adjoint_b=True)
        found = found + matmul(matmul(u, inverse), rest)
    if s.dtype.is_complex:
        phase = diag(diag_part(v_dv))
        turn = matmul(inverse, adjoint(phase) - phase)
        found = found + 0.5 * matmul(u, matmul(turn, v1, adjoint_b=True))
    return found
