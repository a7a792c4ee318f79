"""Dimensions in another order: transpose."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.contents import is_text
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import rank
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.values import Content


@op(
    "Transpose(x: T, perm: Tperm) -> y: T",
    host=("perm",),
    Tperm=INDEX,
    result="view",
    numerics="none",
    node_name="transpose",
)
def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    conjugate: bool = False,
    name: str | None = "transpose",
) -> Tensor:
    """Return `a` with its dimensions in another order.

    `a`: any tensor.
    `perm`: the new order, a permutation of the dimensions; by default they are reversed.
    `conjugate`: also take the complex conjugate of each element.

    On a simulated GPU the result is a copy, as on a card; on the CPU it shares memory with `a`.
    Raises InvalidArgumentError if `perm` is no permutation.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    if perm is None:
        a = convert_to_tensor(a)
        perm = reversed_axes(a)
    if conjugate:
        a = convert_to_tensor(a)
        if a.dtype.is_complex:
            return conjugate_transpose(a, perm, name)
    return transpose.bind(a, perm, name)


def reversed_axes(x: Tensor) -> Any:
    """Return the axes of a tensor, last first: on the host where the rank is known."""
    if x._shape_tuple is not None:
        return np.arange(len(x._shape_tuple) - 1, -1, -1, dtype=np.int32)

    return rank(x) - 1 - range_of(0, rank(x), 1)


@transpose.shape
def transpose_shape(x: Static, perm: Static) -> Dims:
    if perm.value is None:
        if x.shape is not None:
            return (None,) * len(x.shape)
        known = perm.shape is not None and perm.shape[0] is not None
        return (None,) * perm.shape[0] if known else None  # type: ignore[index,operator]
    if np.ndim(perm.value) != 1:
        raise ValueError(f"perm must be a vector, got shape {list(np.shape(perm.value))}")
    order = np.asarray(perm.value).tolist()
    if x.shape is None:
        return (None,) * len(order)
    if len(order) != len(x.shape):
        raise ValueError(f"Dimension must be {len(order)} but is {len(x.shape)}")
    for axis in order:
        if not -len(order) <= axis < len(order):
            raise ValueError(f"perm dim {axis} is out of range of input rank {len(order)}")
    return tuple(x.shape[axis] for axis in order)


@transpose.kernel
def transpose_kernel(x: Any, perm: np.ndarray[Any, Any]) -> Any:
    order = perm.tolist()
    return x.transpose(order) if is_text(x) else x.permute(order)


@transpose.error
def transpose_error(x: Content, perm: np.ndarray[Any, Any]) -> str | None:
    rank, order = len(x.shape), perm.reshape(-1).tolist()
    if perm.ndim != 1:
        return f"perm must be rank 1, got shape [{','.join(map(str, perm.shape))}]"
    if len(order) != rank:
        return (
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size "
            f"{len(order)}"
        )
    for axis in order:
        if not -rank <= axis < rank:
            return f"{axis} is out of range [0 .. {rank})"
    found = {axis % rank for axis in order}
    missing = next((axis for axis in range(rank) if axis not in found), None)
    return (
        None if missing is None else f"{missing} is missing from {{{','.join(map(str, order))}}}."
    )


@transpose.gradient
def transpose_gradient(call: Call, dy: Tensor) -> Any:
    return transpose(dy, inverse_order(call.inputs[1])), None


def inverse_order(perm: np.ndarray[Any, Any]) -> Any:
    """Return the permutation that undoes `perm`."""
    if isinstance(perm, np.ndarray):
        return np.argsort(perm % perm.size if perm.size else perm).astype(perm.dtype)

    return lazy.invert_permutation(perm)


conjugate_transpose = define(
    "ConjugateTranspose(x: T, perm: Tperm) -> y: T",
    host=("perm",),
    Tperm=INDEX,
    doc="Return the complex conjugate of `x` with its dimensions in the order `perm`.",
)
conjugate_transpose.shape(transpose_shape)
conjugate_transpose.error(transpose_error)


@conjugate_transpose.kernel
def conjugate_transpose_kernel(x: Any, perm: np.ndarray[Any, Any]) -> Any:
    if is_text(x):
        raise invalid("strings have no conjugate")
    return x.permute(perm.tolist()).conj().resolve_conj()


@conjugate_transpose.gradient
def conjugate_transpose_gradient(call: Call, dy: Tensor) -> Any:
    return transpose(dy, inverse_order(call.inputs[1]), conjugate=True), None
