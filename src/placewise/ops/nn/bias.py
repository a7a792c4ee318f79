"""A bias per channel: bias_add and the op that carries its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import NUMBERS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed, through_numpy
from placewise.ops.values import Content
from placewise.ops.work import reduction_work

_FORMAT = "data_format: 'NHWC'|'NCHW' = NHWC"


def _bias_add_over(value: Any, bias: Any, *, data_format: str) -> Any:
    return value.add_(checked_bias(value, bias, data_format))


@op(
    f"BiasAdd(value: T, bias: T; {_FORMAT}) -> output: T",
    T=NUMBERS,
    result="whole",
    in_place=(_bias_add_over,),
    keeps_shape=True,
)
def bias_add(
    value: TensorLike, bias: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """Return `value` with `bias` added along its channels.

    `value`: numbers of rank 2 or more.
    `bias`: a vector with one element a channel.
    `data_format`: 'NHWC' or 'N...C' (channels last, the default) or 'NCHW' or 'NC...'.

    Raises InvalidArgumentError if the length of `bias` is not the number of channels.

    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    if data_format is None:
        return bias_add.bind(value, bias, name=name)
    if data_format.startswith("NC"):
        data_format = "NCHW"
    elif data_format.startswith("N") and data_format.endswith("C"):
        data_format = "NHWC"
    else:
        raise ValueError(
            "`data_format` must be of the form `N...C` or `NC...`. "
            f"Received: data_format={data_format}"
        )
    return bias_add.bind(value, bias, data_format=data_format, name=name)


@bias_add.shape
def bias_add_shape(value: Static, bias: Static, *, data_format: str) -> Dims:
    if bias.shape is not None and len(bias.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(bias.shape)}")
    if value.shape is None:
        return None
    if len(value.shape) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(value.shape)}")
    axis = 1 if data_format == "NCHW" else len(value.shape) - 1
    size, count = value.shape[axis], None if bias.shape is None else bias.shape[0]
    if None not in (size, count) and size != count:
        raise ValueError(f"Dimensions must be equal, but are {size} and {count}")
    return (*value.shape[:axis], count if size is None else size, *value.shape[axis + 1 :])


def checked_bias(value: Content, bias: Content, data_format: str) -> Any:
    """Return the bias so that it broadcasts."""
    shape, given = value.shape, bias.shape
    if len(shape) < 2:
        raise invalid(f"Input tensor must be at least 2D: {bracketed(shape)}")
    if len(given) != 1:
        raise invalid(f"Biases must be 1D: {bracketed(given)}")
    if data_format == "NHWC":
        if given[0] != shape[-1]:
            raise invalid(
                "Must provide as many biases as the last dimension of the input tensor: "
                f"{bracketed(given)} vs. {bracketed(shape)}"
            )
        return bias
    if given[0] != shape[1]:
        raise invalid(
            "Must provide as many biases as the channel dimension of the input tensor: "
            f"{bracketed(given)} vs. {shape[1]} in {bracketed(shape)}"
        )
    return bias.reshape(-1, *[1] * (len(shape) - 2))


@bias_add.kernel
def bias_add_kernel(value: torch.Tensor, bias: torch.Tensor, *, data_format: str) -> Any:
    return value + checked_bias(value, bias, data_format)


bias_add.kernel(
    through_numpy(lambda value, bias, data_format: value + checked_bias(value, bias, data_format)),
    on="wide_unsigned",
)


@bias_add.gradient
def bias_add_gradient(call: Call, dy: Tensor) -> Any:
    return dy, bias_add_grad(dy, **call.attrs) if call.wants(1) else None


bias_add_grad = define(
    f"BiasAddGrad(out_backprop: T; {_FORMAT}) -> output: T",
    T=NUMBERS,
    doc="The gradient of bias_add with respect to the bias.",
    result="new",
    work=reduction_work,
)


@bias_add_grad.shape
def bias_add_grad_shape(out_backprop: Static, *, data_format: str) -> Dims:
    if out_backprop.shape is None:
        return (None,)
    if len(out_backprop.shape) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(out_backprop.shape)}")
    return (out_backprop.shape[1 if data_format == "NCHW" else -1],)


def _summed_axes(rank: int, data_format: str, shape: tuple[int, ...]) -> list[int]:
    if rank < 2:
        raise invalid(f"Input tensor must be at least 2D: {bracketed(shape)}")
    channel = 1 if data_format == "NCHW" else rank - 1
    return [axis for axis in range(rank) if axis != channel]


@bias_add_grad.kernel
def bias_add_grad_kernel(out_backprop: torch.Tensor, *, data_format: str) -> Any:
    axes = _summed_axes(out_backprop.dim(), data_format, out_backprop.shape)
    return torch.sum(out_backprop, axes, dtype=out_backprop.dtype)


@bias_add_grad.kernel(on="wide_unsigned")
def bias_add_grad_wide_unsigned_kernel(out_backprop: torch.Tensor, *, data_format: str) -> Any:
    axes = tuple(_summed_axes(out_backprop.dim(), data_format, out_backprop.shape))
    return through_numpy(lambda x: x.sum(axis=axes, dtype=x.dtype))(out_backprop)


@bias_add_grad.gradient
def bias_add_grad_gradient(call: Call, dy: Tensor) -> Any:
    x = call.inputs[0]
    if call.attrs["data_format"] == "NCHW":
        rank = len(x._shape_tuple)
        dy = reshape(dy, np.asarray([1, -1, *[1] * (rank - 2)], np.int32))
    return broadcast_to(dy, shape_of(x))
