"""Systems solved by iteration."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from placewise.core.shapes import broadcast
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.creation import constant, zeros_like
from placewise.ops.array.shape import squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.matmul import matvec
from placewise.ops.linalg.products import norm
from placewise.ops.math.reduction import reduce_any

CGState = namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def conjugate_gradient(
    operator: Any, rhs: Any, preconditioner: Any = None, x: Any = None, tol: float = 1e-5,
    max_iter: int = 20, name: str = "conjugate_gradient",
) -> Any:  # fmt: skip
    """Return the state after solving operator · x = rhs, for positive definite operators.

    Ends after `max_iter` rounds or when the residual is `tol` times as long as `rhs`.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = convert_to_tensor(rhs)
    batch = broadcast(rhs._shape_tuple[:-1], operator.batch_shape._dims)
    if preconditioner is not None:
        batch = broadcast(batch, preconditioner.batch_shape._dims)
    r = broadcast_to(rhs, [*(batch or ()), rhs._shape_tuple[-1]])
    limit = tol * norm(r, axis=-1)
    if x is None:
        x = zeros_like(r)
    else:
        x = convert_to_tensor(x)
        r = rhs - operator.matvec(x)
    p = r if preconditioner is None else preconditioner.matvec(r)
    gamma = _dot(r, p)
    rounds = 0
    while rounds < max_iter and bool(np.asarray(reduce_any(norm(r, axis=-1) > limit))):
        z = operator.matvec(p)
        step = (gamma / _dot(p, z))[..., None]
        x, r = x + step * p, r - step * z
        q = r if preconditioner is None else preconditioner.matvec(r)
        before, gamma = gamma, _dot(r, q)
        p = q + (gamma / before)[..., None] * p
        rounds += 1
    return CGState(constant(rounds), x, r, p, gamma)


def _dot(x: Any, y: Any) -> Any:
    return squeeze(matvec(x[..., None], y, adjoint_a=True), axis=[-1])
