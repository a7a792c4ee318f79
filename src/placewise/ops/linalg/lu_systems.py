"""What an LU decomposition is good for: solving, inverting, putting together again."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import float32, int32
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_dynamic_shape, broadcast_to
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import eye, ones_like
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import shape, sizes_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg.diagonal import band_part, diag_part, set_diag
from placewise.ops.linalg.inverse import triangular_solve
from placewise.ops.linalg.matmul import matmul
from placewise.ops.math.sort import argsort


def _converted(lower_upper: Tensor, perm: Tensor) -> tuple[Any, Any]:
    lower_upper = convert_to_tensor(lower_upper, dtype_hint=float32)
    perm = convert_to_tensor(perm, dtype_hint=int32)
    dims = lower_upper._shape_tuple
    if len(dims) < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if len(dims) != len(perm._shape_tuple) + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if None not in dims[-2:] and dims[-2] != dims[-1]:
        raise ValueError("`lower_upper` must be square.")
    return lower_upper, perm


def _lower(lower_upper: Any) -> Any:
    """Return the lower factor, whose diagonal is one."""
    return set_diag(band_part(lower_upper, -1, 0), ones_like(diag_part(lower_upper)))


def _rows(x: Any, order: Any) -> Any:
    """Return the rows of each matrix in the order given for it."""
    if len(order._shape_tuple) == 1:
        # As a batch of one, so that the gradient does not come as slices.
        return gather(x[None], order, axis=1)[0]
    depth = len(order._shape_tuple) - 1
    return gather(x, order, axis=depth, batch_dims=depth)


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return x with A · x = `rhs`, where `lower_upper, perm = tf.linalg.lu(A)`."""
    lower_upper, perm = _converted(lower_upper, perm)
    rhs = convert_to_tensor(rhs, dtype_hint=lower_upper.dtype)
    if len(rhs._shape_tuple) < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    sides = (lower_upper._shape_tuple[-1], rhs._shape_tuple[-2])
    if None not in sides and sides[0] != sides[1]:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    if len(perm._shape_tuple) > 1 or len(rhs._shape_tuple) > 2:
        batch = broadcast_dynamic_shape(shape(rhs)[:-2], shape(perm)[:-1])
        rhs = broadcast_to(rhs, concat([batch, shape(rhs)[-2:]], 0))
        perm = broadcast_to(perm, concat([batch, shape(perm)[-1:]], 0))
    half_way = triangular_solve(_lower(lower_upper), _rows(rhs, perm))
    return triangular_solve(lower_upper, half_way, lower=False, name=name)


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return the inverse of A, where `lower_upper, perm = tf.linalg.lu(A)`."""
    lower_upper, perm = _converted(lower_upper, perm)
    *batch, side, _ = sizes_of(lower_upper)
    identity = eye(side, batch_shape=batch, dtype=lower_upper.dtype)
    return lu_solve(lower_upper, perm, identity, name=name)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Return A, where `lower_upper, perm = tf.linalg.lu(A)`."""
    lower_upper, perm = _converted(lower_upper, perm)
    product = matmul(_lower(lower_upper), band_part(lower_upper, 0, -1))
    return _rows(product, argsort(perm))
