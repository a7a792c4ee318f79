"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import COMPLEX, DType, complex64, complex128, float32, float64
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import zeros_like
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.linalg.diagonal import band_part, diag, diag_part, set_diag
from placewise.ops.linalg.factor import pairwise, safe_reciprocal
from placewise.ops.linalg.inverse import solve
from placewise.ops.linalg.matmul import matmul
from placewise.ops.linalg.matrices import MATRIX, check_square, in_float, square
from placewise.ops.linalg.transpose import adjoint
from placewise.ops.math.arithmetic import conjugate
from placewise.ops.math.cast import cast
from placewise.ops.math.complex_numbers import real
from placewise.ops.values import TORCH
from placewise.ops.work import factorization_work

self_adjoint_eig_op = define(
    "SelfAdjointEigV2(input: T; compute_v: bool = True) -> e: T, v: T",
    T=MATRIX,
    doc="Eigenvalues and vectors of self-adjoint matrices.",
    sign_free=("v",),
    work=factorization_work,
)


def eigh(tensor: TensorLike, name: str | None = None) -> Any:
    """Return the eigenvalues, ascending, and the vectors of self-adjoint matrices.

    Only the lower triangle is read.
    """
    return tuple(self_adjoint_eig_op(tensor, compute_v=True, name=name))


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Any:
    """Return the eigenvalues of self-adjoint matrices, ascending."""
    return self_adjoint_eig_op(tensor, compute_v=False, name=name)[0]


def _eigen_shape(input: Static, compute_v: bool) -> list[Dims]:
    sides = square(input.shape)
    values = None if sides is None else sides[:-1]
    return [values, sides if compute_v else (0,)]


@self_adjoint_eig_op.shape
def self_adjoint_eig_shape(input: Static, *, compute_v: bool) -> list[Dims]:
    return _eigen_shape(input, compute_v)


@self_adjoint_eig_op.kernel
def self_adjoint_eig_kernel(input: torch.Tensor, *, compute_v: bool) -> Any:
    check_square(input)
    # TensorFlow raises for it on a GPU too, and torch waits for a device in any case.
    if not bool(torch.isfinite(input).all()):
        raise invalid(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid."
        )

    def parts(x: torch.Tensor) -> Any:
        if compute_v:
            return tuple(torch.linalg.eigh(x, "L"))
        return torch.linalg.eigvalsh(x, "L"), x.new_empty(0)

    e, v = in_float(parts, input)
    return e.to(input.dtype), v


@self_adjoint_eig_op.gradient
def self_adjoint_eig_gradient(call: Call, de: Tensor, dv: Tensor) -> Any:
    if call.attrs["compute_v"]:
        e, v = call.outputs
        turned = pairwise(e) * matmul(v, dv, adjoint_a=True)
        found = matmul(v, matmul(diag(de) + turned, v, adjoint_b=True))
    else:
        _, v = self_adjoint_eig_op(call.inputs[0], compute_v=True)
        found = matmul(v, matmul(diag(de), v, adjoint_b=True))
    # Only the lower triangle is read: it gets what flows to both.
    found = band_part(found + adjoint(found), -1, 0)
    return set_diag(found, 0.5 * diag_part(found))


eig_op = define(
    "Eig(input: T; compute_v: bool = True, Tout: type) -> e: Tout, v: Tout",
    T=COMPLEX | {float32, float64},
    devices=("CPU",),
    doc="Eigenvalues and vectors of square matrices.",
    work=factorization_work,
    Tout=COMPLEX,
)


def _complex_type(tensor: Tensor) -> Any:
    if tensor.dtype in (float32, complex64):
        return complex64
    if tensor.dtype in (float64, complex128):
        return complex128
    # TensorFlow stumbles over its own variable here; the class is kept, the words are plain.
    raise UnboundLocalError(f"eigenvalues of a {tensor.dtype.name} matrix are not defined")


def eig(tensor: Any, name: str | None = None) -> Any:
    """Return the eigenvalues and vectors of square matrices, always complex."""
    return tuple(eig_op(tensor, Tout=_complex_type(tensor), compute_v=True, name=name))


def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Return the eigenvalues of square matrices, always complex."""
    return eig_op(tensor, Tout=_complex_type(tensor), compute_v=False, name=name)[0]


@eig_op.shape
def eig_shape(input: Static, *, compute_v: bool, Tout: DType) -> list[Dims]:  # noqa: N803
    return _eigen_shape(input, compute_v)


@eig_op.kernel
def eig_kernel(input: torch.Tensor, *, compute_v: bool, Tout: DType) -> Any:  # noqa: N803
    check_square(input)
    kind = TORCH[Tout]
    if not bool(torch.isfinite(input).all()):
        raise invalid("Eigen decomposition was not successful. The input might not be valid.")
    if not compute_v:
        return torch.linalg.eigvals(input).to(kind), torch.empty(0, dtype=kind)
    e, v = torch.linalg.eig(input)
    return e.to(kind), v.to(kind)


@eig_op.gradient
def eig_gradient(call: Call, de: Tensor, dv: Tensor) -> Any:
    (input,) = call.inputs
    if call.attrs["compute_v"]:
        e, v = call.outputs
        vh = adjoint(v)
        gaps = e[..., None, :] - e[..., :, None]
        over = conjugate(set_diag(safe_reciprocal(gaps), zeros_like(e)))
        vdv = matmul(vh, dv)
        kept = diag(diag_part(cast(real(vdv), vdv.dtype)))
        middle = diag(de) + over * (vdv - matmul(matmul(vh, v), kept))
    else:
        _, v = eig_op(input, Tout=call.attrs["Tout"], compute_v=True)
        vh, middle = adjoint(v), diag(de)
    found = solve(vh, matmul(middle, vh))
    return found if input.dtype.is_complex else cast(real(found), input.dtype)


def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Return the eigenvalues of a self-adjoint tridiagonal matrix; its vectors too if asked.

    `alpha` is its diagonal, `beta` what is beside it. `select` 'i' picks by index, 'v' by value
    within `select_range`, 'a' all. Computed to full precision whatever `tol`.
    """
    alpha = convert_to_tensor(alpha)
    if alpha.shape.rank != 1:
        raise ValueError(f"'alpha' must be a vector, received the shape {alpha.shape}.")
    if alpha._shape_tuple[0] <= 1:
        return real(alpha)
    beta = convert_to_tensor(beta)
    if alpha.dtype is not beta.dtype:
        raise ValueError("'alpha' and 'beta' must have the same type.")
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    values, vectors = eigh(diag(alpha) + diag(conjugate(beta), k=-1))
    values = real(values)
    if select != "a":
        first, last = _chosen(values, select, select_range)
        values, vectors = values[first:last], vectors[:, first:last]
    return values if eigvals_only else (values, vectors)


def _chosen(values: Any, select: str, select_range: Any) -> tuple[int, int]:
    low, high = (np.asarray(bound)[()] for bound in select_range)
    if select == "i":
        if low > high:
            raise invalid("Got empty index range in select_range.")
        return int(low), int(high) + 1
    if low >= high:
        raise invalid("Got empty interval in select_range.")
    found = np.asarray(values)
    return int((found < low).sum()), int((found <= high).sum())
