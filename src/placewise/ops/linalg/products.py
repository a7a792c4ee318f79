"""Cross products of vectors, and norms."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.dtypes import FLOATS, INTEGERS
from placewise.core.errors import FailedPreconditionError, hint, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.shape import expand_dims, size, squeeze
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.families import bracketed, through_numpy
from placewise.ops.linalg.factor import svd_op
from placewise.ops.linalg.matrices import equal_dimension, rank_at_least
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import conjugate, minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import rsqrt, sqrt
from placewise.ops.math.reduction import reduce_max, reduce_sum


@op("Cross(a: T, b: T) -> product: T", T=FLOATS | INTEGERS)
def cross(a: Any, b: Any, name: str | None = None) -> Any:
    """Return the cross products of vectors of three elements: the last dimension."""
    return cross.bind(a, b, name)


@cross.shape
def cross_shape(a: Static, b: Static) -> Dims:
    for each in (a.shape, b.shape):
        if rank_at_least(each, 1) is not None:
            equal_dimension(each[-1], 3)  # type: ignore[index]
    return b.shape if a.shape is None else a.shape


def _check_vectors(a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise invalid(
            f"Both inputs must be of same shape: {bracketed(a.shape)} vs. {bracketed(b.shape)}"
        )
    if not a.dim():
        raise invalid(f"Input must be at least 1D{bracketed(a.shape)}")
    if a.shape[-1] != 3:
        raise FailedPreconditionError(
            None, None, "Cross-products are only defined for 3-element vectors."
        )


@cross.kernel
def cross_kernel(a: Any, b: Any) -> Any:
    _check_vectors(a, b)
    return torch.linalg.cross(a, b, dim=-1)


@cross.kernel(on="wide_unsigned")
def wide_cross_kernel(a: Any, b: Any) -> Any:
    _check_vectors(a, b)
    return through_numpy(_cross_of_arrays)(a, b)


def _cross_of_arrays(a: Any, b: Any) -> Any:
    after, before = [1, 2, 0], [2, 0, 1]
    return a[..., after] * b[..., before] - a[..., before] * b[..., after]


@cross.gradient
def cross_gradient(call: Any, dy: Any) -> Any:
    a, b = call.inputs
    return cross(b, dy), cross(dy, a)


_EUCLIDEAN = ("fro", "euclidean", 2, 2.0)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
) -> Any:
    """Return the norm of vectors (`axis` a number or None: all) or matrices (two axes).

    `ord`: 'euclidean', 'fro', 1, 2, inf; for vectors also any positive number.
    """
    of_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    _check_norm(ord, axis, of_matrix)
    axes = tuple(axis) if of_matrix else None if axis is None else (axis,)
    tensor = convert_to_tensor(tensor)
    if ord in _EUCLIDEAN:
        if of_matrix and ord in (2, 2.0):
            result = _largest_singular_value(tensor, axes)
        else:
            squares = tensor * conjugate(tensor)
            result = sqrt(reduce_sum(squares, _listed(axes), keepdims=True))
    else:
        result = _absolute_norm(absolute(tensor), ord, axes, of_matrix)
    return result if keepdims else squeeze(result, _listed(axes), name=name)


def _listed(axes: Any) -> Any:
    return None if axes is None else list(axes)


def _check_norm(ord: Any, axis: Any, of_matrix: bool) -> None:
    if of_matrix:
        first, second = axis
        if not isinstance(first, int) or not isinstance(second, int) or first == second:
            raise ValueError(_wrong_axis(tuple(axis)))
        known = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in known:
            raise ValueError(f"'ord' must be a supported matrix norm in {known}, got {ord}")
        return
    if not (isinstance(axis, int) or axis is None):
        raise ValueError(_wrong_axis(axis))
    if ord not in ("euclidean", 1, 2, np.inf) and (not np.isreal(ord) or ord <= 0):
        raise ValueError(
            hint(
                f"'ord' must be a supported vector norm, got {ord}",
                "take 'euclidean', 1, 2, np.inf or another positive number",
            )
        )


def _wrong_axis(axis: Any) -> str:
    return f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"


def _largest_singular_value(tensor: Any, axes: Any) -> Any:
    rank = len(tensor._shape_tuple)
    last = [axis % rank for axis in axes]
    order = [axis for axis in range(rank) if axis not in last] + last
    moved = transpose(tensor, np.asarray(order, np.int32))
    values = absolute(svd_op(moved, compute_uv=False)[0])
    largest = expand_dims(reduce_max(values, axis=-1, keepdims=True), -1)
    return transpose(largest, np.argsort(order).astype(np.int32))


def _absolute_norm(sizes: Any, ord: Any, axes: Any, of_matrix: bool) -> Any:
    first = None if axes is None else axes[0]
    if ord == 1:
        result = reduce_sum(sizes, first, keepdims=True)
        return reduce_max(result, axes[-1], keepdims=True) if of_matrix else result
    if ord == np.inf:
        if of_matrix:
            sizes = reduce_sum(sizes, axes[1], keepdims=True)
        return reduce_max(sizes, first, keepdims=True)
    return reduce_sum(sizes**ord, _listed(axes), keepdims=True) ** (1.0 / ord)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    """Return `tensor` divided by its norm along `axis`, and that norm."""
    tensor = convert_to_tensor(tensor)
    size_of = cast(norm(tensor, ord=ord, axis=axis, keepdims=True), tensor.dtype)
    return tensor / size_of, size_of


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Return `t` scaled so that its norm over its number of elements is at most `clip_norm`."""
    t = convert_to_tensor(t)
    count = cast(size(t), t.dtype)
    inverse = rsqrt(reduce_sum(t * t))
    return t * clip_norm * minimum(inverse * count, 1.0 / clip_norm)
