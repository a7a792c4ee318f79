"""Functions of matrices: exponential, logarithm, square root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import COMPLEX
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import eye, zeros_like
from placewise.ops.array.shape import reshape, sizes_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed
from placewise.ops.linalg.einsum import einsum_op
from placewise.ops.linalg.inverse import solve
from placewise.ops.linalg.matrices import (
    MATRIX,
    check_square,
    in_float,
    square_shape,
    where_finite,
)
from placewise.ops.linalg.transpose import adjoint, matrix_transpose
from placewise.ops.work import factorization_work

matrix_exponential = define(
    "MatrixExponential(input: T) -> output: T",
    T=MATRIX,
    doc="The exponential of matrices.",
    work=factorization_work,
)


def expm(input: TensorLike, name: str | None = None) -> Any:
    """Return the exponentials of square matrices: the sums of Aⁿ / n!."""
    matrix = convert_to_tensor(input)
    if matrix.dtype not in MATRIX:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype!s}")
    return matrix_exponential(matrix, name)


matrix_exponential.shape(square_shape)


@matrix_exponential.kernel
def matrix_exponential_kernel(input: torch.Tensor) -> Any:
    if input.dim() < 2 or input.shape[-1] != input.shape[-2]:
        shown = bracketed((1, *input.shape[-2:]))
        raise invalid(f"Matrix size-incompatible: In[0]: {shown}, In[1]: {shown}")
    return in_float(lambda x: where_finite(torch.linalg.matrix_exp, x), input)


@matrix_exponential.gradient
def matrix_exponential_gradient(call: Call, dy: Tensor) -> Any:
    # The derivative is a block of the exponential of a matrix twice the size.
    turned = adjoint(call.inputs[0])
    size = sizes_of(turned)[-1]
    upper = concat([turned, dy], -1)
    lower = concat([zeros_like(turned), turned], -1)
    return matrix_exponential(concat([upper, lower], -2))[..., :size, size:]


@op("MatrixSquareRoot(input: T) -> output: T", T=MATRIX, devices=("CPU",), work=factorization_work)
def sqrtm(input: TensorLike, name: str | None = None) -> Any:
    """Return the principal square roots of square matrices; NaN where there is no real one."""
    return sqrtm.bind(input, name)


sqrtm.shape(square_shape)


@sqrtm.kernel
def sqrtm_kernel(input: torch.Tensor) -> Any:
    check_square(input)
    return in_float(lambda x: where_finite(_square_root, x), input)


def _square_root(matrix: torch.Tensor) -> Any:
    if not matrix.numel():
        return matrix
    wide = matrix.to(torch.complex128)
    if torch.equal(matrix, matrix.mH):
        e, v = torch.linalg.eigh(wide)
        root = (v * e.to(wide.dtype).sqrt()[..., None, :]) @ v.mH
        lowest = e
    else:
        e, v = torch.linalg.eig(wide)
        root = _of_values(v, e.sqrt(), lambda: _iterated_root(wide))
        lowest = torch.where(e.imag.abs() <= 1e-12 * e.abs(), e.real, 1.0)
    if matrix.is_complex():
        return root.to(matrix.dtype)
    scale = e.abs().amax(-1, keepdim=True)
    unreal = (lowest < -1e-6 * scale).any(-1)[..., None, None]
    return torch.where(unreal, float("nan"), root.real).to(matrix.dtype)


def _of_values(v: torch.Tensor, values: torch.Tensor, otherwise: Callable[..., Any]) -> Any:
    """Return V · diag(values) · V⁻¹; `otherwise()` where eigenvectors are nearly dependent."""
    found, info = torch.linalg.solve_ex(v, v * values[..., None, :], left=False)
    weak = torch.linalg.cond(v) > 1e7
    if bool(weak.any()) or bool(info.any()):
        return torch.where(weak[..., None, None], otherwise(), found)
    return found


def _iterated_root(matrix: torch.Tensor) -> Any:
    """Return the square root by the product form of the Denman-Beavers iteration."""
    identity = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    x, m = matrix, matrix
    for _ in range(60):
        inverse, _ = torch.linalg.inv_ex(m)
        x = 0.5 * x @ (identity + inverse)
        m = 0.5 * (identity + 0.5 * (m + inverse))
        if bool(((m - identity).abs().amax((-1, -2)) < 1e-15).all()):
            break
    return x


@sqrtm.gradient
def sqrtm_gradient(call: Call, dy: Tensor) -> Any:
    # Solves rootᴴ · X + X · rootᴴ = dy, written out as one linear system.
    turned = adjoint(call.output)
    *batch, size, _ = sizes_of(turned)
    identity = eye(size, dtype=turned.dtype)
    system = _kronecker(identity, turned) + _kronecker(matrix_transpose(turned), identity)
    columns = reshape(matrix_transpose(dy), [*batch, size * size, 1])
    return matrix_transpose(reshape(solve(system, columns), [*batch, size, size]))


def _kronecker(x: Tensor, y: Tensor) -> Any:
    *batch, size, _ = sizes_of(x if len(x._shape_tuple) > 2 else y)
    left = "ij" if len(x._shape_tuple) == 2 else "...ij"
    right = "kl" if len(y._shape_tuple) == 2 else "...kl"
    result = "ikjl" if left + right == "ijkl" else "...ikjl"
    product = einsum_op([x, y], equation=f"{left},{right}->{result}")
    return reshape(product, [*batch, size * size, size * size])


@op(
    "MatrixLogarithm(input: T) -> output: T",
    T=COMPLEX,
    devices=("CPU",),
    differentiable=False,
    work=factorization_work,
)
def logm(input: TensorLike, name: str | None = None) -> Any:
    """Return the principal logarithms of complex square matrices."""
    return logm.bind(input, name)


logm.shape(square_shape)


@logm.kernel
def logm_kernel(input: torch.Tensor) -> Any:
    check_square(input)
    if not input.numel():
        return input
    return where_finite(_logarithm, input.to(torch.complex128)).to(input.dtype)


def _logarithm(matrix: torch.Tensor) -> Any:
    e, v = torch.linalg.eig(matrix)
    found = _of_values(v, e.log(), lambda: _iterated_logarithm(matrix))
    lost = (e == 0).any(-1)[..., None, None]
    return torch.where(lost, complex("nan+nanj"), found)


def _iterated_logarithm(matrix: Any) -> Any:
    """Return the logarithm through square roots until the series of 2·atanh converges fast."""
    identity = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    roots = 0
    while roots < 40 and bool(((matrix - identity).abs().amax((-1, -2)) > 0.05).any()):
        matrix = _iterated_root(matrix)
        roots += 1
    ratio = torch.linalg.solve_ex(matrix + identity, matrix - identity)[0]
    power, total = ratio, ratio
    for odd in range(3, 25, 2):
        power = power @ ratio @ ratio
        total = total + power / odd
    return total * (2.0 ** (roots + 1))
