"""The convolution op of any rank, and the two gradient ops that take a tensor for its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, int32
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.declare import Call, define, op
from placewise.ops.nn.conv2d import (
    conv2d_backprop_filter_kernel,
    conv2d_backprop_filter_op,
    conv2d_backprop_input_kernel,
    conv2d_backprop_input_op,
    conv2d_op,
)
from placewise.ops.nn.conv3d import conv3d_backprop_filter_op, conv3d_backprop_input_op
from placewise.ops.nn.conv_geometry import convolve, geometry, output_shape
from placewise.ops.work import conv_filter_gradient_work, conv_input_gradient_work, conv_work

if TYPE_CHECKING:
    import torch


_FORMATS = ("CHANNELS_FIRST", "CHANNELS_LAST")


@op(
    "Conv(input: T, filter: T; strides: list(int), padding: 'SAME'|'VALID'|'EXPLICIT', "
    "explicit_paddings: list(int) = [],"
    " data_format: 'CHANNELS_FIRST'|'CHANNELS_LAST' = CHANNELS_LAST, "
    "dilations: list(int) = [], batch_dims: int = 1, groups: int = 1) -> output: T",
    T=FLOATS | {int32},
    work=conv_work,
)
def conv(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[Any],
    padding: str,
    explicit_paddings: Sequence[Any] = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Sequence[Any] = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Any:
    """Return the convolution of images or volumes with filters; the filters' rank says which."""
    return conv.bind(
        input,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        batch_dims=batch_dims,
        groups=groups,
        name=name,
    )


def _plain_format(data_format: str, rank: int) -> str:
    first = data_format == "CHANNELS_FIRST"
    return {4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}[rank][first]


@conv.shape
def conv_shape(
    input: Static,
    filter: Static,
    *,
    strides: list[Any],
    padding: str,
    explicit_paddings: tuple[Any, ...],
    data_format: str,
    dilations: tuple[Any, ...],
    batch_dims: int,
    groups: int,
) -> Dims:
    if input.shape is None or filter.shape is None:
        return None
    rank = len(filter.shape)
    if rank not in (4, 5):
        raise ValueError(f"The input must have 2 or 3 spatial dimensions but got {rank - 2}")
    outer = len(input.shape) - rank + 1
    inner = output_shape(
        (None, *input.shape[outer:]),
        filter.shape,
        strides,
        padding,
        explicit_paddings,
        _plain_format(data_format, rank),
        list(dilations) or [1] * rank,
        rank,
    )
    return (*input.shape[:outer], *(inner or ())[1:])


@conv.kernel
def conv_kernel(
    input: torch.Tensor,
    filter: torch.Tensor,
    *,
    strides: list[Any],
    padding: str,
    explicit_paddings: tuple[Any, ...],
    data_format: str,
    dilations: tuple[Any, ...],
    batch_dims: int,
    groups: int,
) -> Any:
    if groups != 1:
        raise UnimplementedError(
            None, None, "Grouped/Depthwise Convolutions are not supported yet."
        )
    rank = filter.dim()
    if not filter.numel():
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    if rank not in (4, 5):
        raise invalid(f"The input must have 2 or 3 spatial dimensions but got {rank - 2}")
    if input.dim() - batch_dims != rank - 1:
        raise invalid(f"input must have {rank - 1 + batch_dims} dimensions, got {input.dim()}")
    outer = input.shape[:batch_dims]
    x = input if batch_dims == 1 else input.reshape(-1, *input.shape[batch_dims:])
    g = geometry(
        tuple(x.shape),
        tuple(filter.shape),
        tuple(strides),
        padding,
        tuple(explicit_paddings),
        _plain_format(data_format, rank),
        tuple(dilations) or (1,) * rank,
        rank,
    )
    y = convolve(x, filter, g)
    return y if batch_dims == 1 else y.reshape(*outer, *y.shape[1:])


@conv.gradient
def conv_gradient(call: Call, dy: Tensor) -> Any:
    x, filter = call.inputs
    rank, batch_dims = len(filter._shape_tuple), call.attrs["batch_dims"]
    attrs = {
        "strides": call.attrs["strides"],
        "padding": call.attrs["padding"],
        "data_format": _plain_format(call.attrs["data_format"], rank),
        "dilations": list(call.attrs["dilations"]) or [1] * rank,
    }
    if rank == 4:
        attrs["explicit_paddings"] = call.attrs["explicit_paddings"]
    to_input = conv2d_backprop_input_op if rank == 4 else conv3d_backprop_input_op
    to_filter = conv2d_backprop_filter_op if rank == 4 else conv3d_backprop_filter_op
    flat_x, flat_dy = x, dy
    if batch_dims != 1:
        flat_x = reshape(x, [-1, *x._shape_tuple[batch_dims:]])
        flat_dy = reshape(dy, [-1, *dy._shape_tuple[batch_dims:]])
    dx = to_input(shape_of(flat_x), filter, flat_dy, **attrs)
    return (
        dx if batch_dims == 1 else reshape(dx, shape_of(x)),
        to_filter(flat_x, shape_of(filter), flat_dy, **attrs),
    )


_ATTRS = (
    "strides: list(int), use_cudnn_on_gpu: bool = True, padding: 'SAME'|'VALID'|'EXPLICIT', "
    "explicit_paddings: list(int) = [], data_format: 'NHWC'|'NCHW' = NHWC, "
    "dilations: list(int) = [1, 1, 1, 1]"
)
_INPUTS = "input: T, filter: T, out_backprop: T"
input_v2_op = define(
    f"Conv2DBackpropInputV2({_INPUTS}; {_ATTRS}) -> output: T",
    T=FLOATS | {int32},
    doc="The gradient of a convolution with respect to images like `input`.",
    work=conv_input_gradient_work,
)
filter_v2_op = define(
    f"Conv2DBackpropFilterV2({_INPUTS}; {_ATTRS}) -> output: T",
    T=FLOATS,
    doc="The gradient of a convolution with respect to filters like `filter`.",
    work=conv_filter_gradient_work,
)


@input_v2_op.shape
def conv2d_backprop_input_v2_shape(input: Static, filter: Static, dy: Static, **_: object) -> Dims:
    return input.shape


@filter_v2_op.shape
def conv2d_backprop_filter_v2_shape(input: Static, filter: Static, dy: Static, **_: object) -> Dims:
    return filter.shape


@input_v2_op.kernel
def conv2d_backprop_input_v2_kernel(
    input: torch.Tensor, filter: torch.Tensor, out_backprop: torch.Tensor, **attrs: Any
) -> Any:
    return conv2d_backprop_input_kernel(np.asarray(input.shape), filter, out_backprop, **attrs)


@filter_v2_op.kernel
def conv2d_backprop_filter_v2_kernel(
    input: torch.Tensor, filter: torch.Tensor, out_backprop: torch.Tensor, **attrs: Any
) -> Any:
    return conv2d_backprop_filter_kernel(input, np.asarray(filter.shape), out_backprop, **attrs)


@input_v2_op.gradient
def conv2d_backprop_input_v2_gradient(call: Call, dy: Tensor) -> Any:
    _, filter, given = call.inputs
    return (
        None,
        conv2d_backprop_filter_op(dy, shape_of(filter), given, **call.attrs),
        conv2d_op(dy, filter, **call.attrs),
    )


@filter_v2_op.gradient
def conv2d_backprop_filter_v2_gradient(call: Call, dy: Tensor) -> Any:
    x, _, given = call.inputs
    return (
        conv2d_backprop_input_op(shape_of(x), dy, given, **call.attrs),
        None,
        conv2d_op(x, dy, **call.attrs),
    )


def conv2d_backprop_input_v2(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the gradient of a convolution with respect to images of the shape of `input`."""
    return input_v2_op(
        input,
        filter,
        out_backprop,
        strides=strides,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d_backprop_filter_v2(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the gradient of a convolution with respect to filters of the shape of `filter`."""
    return filter_v2_op(
        input,
        filter,
        out_backprop,
        strides=strides,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )
