"""Ops that only graphs hold: constants and placeholders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import ANY, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, TensorShape, merge
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.values import Content, c_name, from_numpy
from placewise.ops.work import view_work

if TYPE_CHECKING:
    import numpy as np


const = define(
    "Const(; value: tensor, dtype: type) -> output: dtype",
    differentiable=False,
    doc="A tensor that is always the same.",
    static="users",
    work=view_work,
)


@const.shape
def const_shape(*, value: np.ndarray[Any, Any], dtype: DType) -> Dims:
    dims: Dims = value.shape
    return dims


@const.kernel
def const_kernel(*, value: np.ndarray[Any, Any], dtype: DType) -> Any:
    return from_numpy(value)


placeholder = define(
    "Placeholder(; dtype: type, shape: shape = None) -> output: dtype",
    differentiable=False,
    doc="A tensor that is fed when the graph runs.",
    work=view_work,
)


@placeholder.shape
def placeholder_shape(*, dtype: DType, shape: tuple[Any, ...] | None) -> Dims:
    return None if shape is None else TensorShape(shape)._dims


@placeholder.kernel
def placeholder_kernel(*, dtype: DType, shape: tuple[Any, ...]) -> Any:
    dims = TensorShape(shape)._dims
    told = " and shape <unknown>" if dims is None else f" and shape {bracketed(dims)}"
    raise invalid(
        f"You must feed a value for placeholder tensor with dtype {c_name(dtype)}"
        + (told if dims else "")
    )


placeholder_with_default = define(
    "PlaceholderWithDefault(input: dtype; shape: shape) -> output: dtype",
    dtype=ANY,
    doc="A tensor that may be fed when the graph runs.",
    result="input",
    shape_attr="unchecked",
)


@placeholder_with_default.shape
def placeholder_with_default_shape(input: Static, *, shape: tuple[Any, ...]) -> Dims:
    dims = TensorShape(shape)._dims
    merge(input.shape, dims)
    return dims


@placeholder_with_default.kernel
def placeholder_with_default_kernel(input: Content, *, shape: tuple[Any, ...]) -> Any:
    return input  # the shape is for graphs, which check it: TensorFlow's kernel does not look at it


@placeholder_with_default.gradient
def placeholder_with_default_gradient(call: Call, dy: Tensor) -> Any:
    return dy
