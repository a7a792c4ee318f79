"""Systems solved by iteration."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.shapes import broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_dynamic_shape, broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant, zeros_like
from placewise.ops.array.shape import shape, sizes_of, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.loops import while_loop
from placewise.ops.linalg.matmul import matvec
from placewise.ops.linalg.products import norm
from placewise.ops.math.logic import logical_and
from placewise.ops.math.reduction import reduce_any

if TYPE_CHECKING:
    from placewise.ops.linalg.operator_plain import LinearOperatorFullMatrix


CGState = namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def conjugate_gradient(
    operator: LinearOperatorFullMatrix,
    rhs: TensorLike,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """Return the state after solving operator · x = rhs, for positive definite operators.

    Ends after `max_iter` rounds or when the residual is `tol` times as long as `rhs`.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = convert_to_tensor(rhs)
    r = _for_all_batches(rhs, operator, preconditioner)
    limit = tol * norm(r, axis=-1)
    if x is None:
        x = zeros_like(r)
    else:
        x = convert_to_tensor(x)
        r = rhs - operator.matvec(x)
    p = r if preconditioner is None else preconditioner.matvec(r)

    def goes_on(i: Tensor, x: Tensor, r: Tensor, p: Tensor, gamma: Tensor) -> Any:
        return logical_and(i < max_iter, reduce_any(norm(r, axis=-1) > limit))

    def round_of(i: Tensor, x: Tensor, r: Tensor, p: Tensor, gamma: Tensor) -> Any:
        z = operator.matvec(p)
        step = (gamma / _dot(p, z))[..., None]
        x, r = x + step * p, r - step * z
        q = r if preconditioner is None else preconditioner.matvec(r)
        after = _dot(r, q)
        return i + 1, x, r, q + (after / gamma)[..., None] * p, after

    return CGState(*while_loop(goes_on, round_of, (constant(0), x, r, p, _dot(r, p))))


def _for_all_batches(rhs: Tensor, operator: LinearOperatorFullMatrix, preconditioner: Any) -> Any:
    """Return the right sides, one for each system of a batch."""
    others = [each for each in (operator, preconditioner) if each is not None]
    batches = [rhs._shape_tuple[:-1], *(each.batch_shape._dims for each in others)]
    if any(each is None or None in each for each in batches):
        sizes = shape(rhs)
        batch = sizes[:-1]
        for each in others:
            batch = broadcast_dynamic_shape(batch, each.batch_shape_tensor())
        return broadcast_to(rhs, concat([batch, sizes[-1:]], 0))
    whole = batches[0]
    for each in batches[1:]:
        whole = broadcast(whole, each)
    return broadcast_to(rhs, [*(whole or ()), sizes_of(rhs)[-1]])


def _dot(x: Tensor, y: Tensor) -> Any:
    return squeeze(matvec(x[..., None], y, adjoint_a=True), axis=[-1])
