"""Matrices with rows and columns exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import rank
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor


def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Any:
    """Return matrices with rows and columns exchanged, and conjugated if so asked."""
    a = convert_to_tensor(a)
    static = a._shape_tuple
    if static is None:
        count = rank(a)
        order: Any = concat([range_of(count - 2), [count - 1, count - 2]], 0)
        return transpose(a, order, conjugate=conjugate, name=name)
    count = len(static)
    if count < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = "
            f"{a.numpy() if hasattr(a, 'numpy') else a} with shape: {a.shape}"
        )
    order = np.asarray([*range(count - 2), count - 1, count - 2], np.int32)
    return transpose(a, order, conjugate=conjugate, name=name)


def adjoint(matrix: TensorLike, name: str | None = None) -> Any:
    """Return matrices transposed and conjugated."""
    return matrix_transpose(matrix, name, conjugate=True)
