"""Products of arrays: matrices, vectors, tensors, polynomials."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.numpy_api.array_shapes import moveaxis
from placewise.numpy_api.promotion import asarray, together


def _without_booleans(x: Any, y: Any, compute: Any) -> Any:
    if x.dtype.is_bool:
        return tf.cast(compute(tf.cast(x, tf.int32), tf.cast(y, tf.int32)), tf.bool)
    return compute(x, y)


def matmul(x1: Any, x2: Any) -> Any:
    """Return the matrix product; vectors are rows on the left and columns on the right."""
    a, b = together(x1, x2)
    if 0 in (a.shape.rank, b.shape.rank):
        raise ValueError("matmul: Input operand does not have enough dimensions")

    def compute(left: Any, right: Any) -> Any:
        if left.shape.rank == 1 and right.shape.rank == 1:
            return tf.tensordot(left, right, 1)
        if right.shape.rank == 1:
            return tf.squeeze(tf.matmul(left, right[:, None]), -1)
        if left.shape.rank == 1:
            return tf.squeeze(tf.matmul(left[None, :], right), -2)
        return tf.matmul(left, right)

    return _without_booleans(a, b, compute)


def dot(a: Any, b: Any) -> Any:
    """Return the product over the last axis of `a` and the second last of `b`."""
    x, y = together(a, b)

    def compute(left: Any, right: Any) -> Any:
        if 0 in (left.shape.rank, right.shape.rank):
            return left * right
        return tf.tensordot(left, right, [[-1], [-1 if right.shape.rank == 1 else -2]])

    return _without_booleans(x, y, compute)


def inner(a: Any, b: Any) -> Any:
    """Return the product over the last axes."""
    x, y = together(a, b)
    return x * y if 0 in (x.shape.rank, y.shape.rank) else tf.tensordot(x, y, [[-1], [-1]])


def outer(a: Any, b: Any) -> Any:
    """Return all products of an element of `a` and one of `b`."""
    x, y = together(a, b)
    return tf.reshape(x, [-1, 1]) * tf.reshape(y, [1, -1])


def vdot(a: Any, b: Any) -> Any:
    """Return the product of two arrays as flat vectors, the first conjugated."""
    x, y = together(a, b)
    x = tf.math.conj(x) if x.dtype.is_complex else x
    return tf.tensordot(tf.reshape(x, [-1]), tf.reshape(y, [-1]), 1)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the product summed over axes."""
    x, y = together(a, b)
    return tf.tensordot(x, y, axes)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Return the sum of products that Einstein's notation says."""
    if kwargs.pop("casting", "safe") != "safe":
        raise ValueError("casting is not supported: the operands are promoted")
    kwargs.pop("order", None)
    kwargs["optimize"] = {True: "greedy", False: None}.get(
        kwargs.get("optimize", "greedy"), "greedy"
    )
    return tf.einsum(subscripts, *together(*operands), **{k: v for k, v in kwargs.items() if v})


def kron(a: Any, b: Any) -> Any:
    """Return the blocks of `b`, each scaled by an element of `a`."""
    x, y = together(a, b)
    rank = max(x.shape.rank, y.shape.rank)
    x = tf.reshape(x, [1] * (rank - x.shape.rank) + x.shape.as_list())
    y = tf.reshape(y, [1] * (rank - y.shape.rank) + y.shape.as_list())
    wide = tf.reshape(x, [s for size in x.shape.as_list() for s in (size, 1)])
    tall = tf.reshape(y, [s for size in y.shape.as_list() for s in (1, size)])
    sizes = [m * n for m, n in zip(x.shape.as_list(), y.shape.as_list(), strict=True)]
    return tf.reshape(wide * tall, sizes)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Return the vector product of vectors of two or three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = together(a, b)
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    sizes = x.shape[-1], y.shape[-1]
    if any(size not in (2, 3) for size in sizes):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")

    def part(vector: Any, index: int) -> Any:
        known = vector.shape[-1] > index
        return vector[..., index] if known else tf.zeros_like(vector[..., 0])

    x0, x1, x2 = (part(x, index) for index in range(3))
    y0, y1, y2 = (part(y, index) for index in range(3))
    last = x0 * y1 - x1 * y0
    if sizes == (2, 2):
        return last
    return moveaxis(tf.stack([x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, last], -1), -1, axisc)


def polyval(p: Any, x: Any) -> Any:
    """Return a polynomial, its highest coefficient first, at `x`."""
    coefficients, at = together(p, x)
    found = tf.zeros_like(at)
    for each in tf.unstack(asarray(coefficients)):
        found = found * at + each
    return found
