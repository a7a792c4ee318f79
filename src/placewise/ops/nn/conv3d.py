"""The convolution of volumes as ops: Conv3D and the two that carry its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import FLOATS, INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define
from placewise.ops.nn.conv2d import check_counts
from placewise.ops.nn.conv_geometry import (
    Geometry,
    build,
    check_sizes,
    checked_steps,
    convolve,
    filter_gradient,
    geometry,
    input_gradient,
    output_shape,
    stated_shape,
)
from placewise.ops.work import conv_filter_gradient_work, conv_input_gradient_work, conv_work

if TYPE_CHECKING:
    import numpy as np
    import torch


_ATTRS = (
    "strides: list(int) >= 5, padding: 'SAME'|'VALID', data_format: 'NDHWC'|'NCDHW' = NDHWC, "
    "dilations: list(int) = [1, 1, 1, 1, 1]"
)

conv3d_op = define(
    f"Conv3D(input: T, filter: T; {_ATTRS}) -> output: T",
    T=FLOATS,
    doc="The convolution of a batch of volumes with a bank of filters.",
    work=conv_work,
)


@conv3d_op.shape
def conv3d_shape(
    input: Static,
    filter: Static,
    *,
    strides: list[Any],
    padding: str,
    data_format: str,
    dilations: Sequence[Any],
) -> Dims:
    return output_shape(input.shape, filter.shape, strides, padding, (), data_format, dilations, 5)


@conv3d_op.kernel
def conv3d_kernel(
    input: torch.Tensor,
    filter: torch.Tensor,
    *,
    strides: list[Any],
    padding: str,
    data_format: str,
    dilations: Sequence[Any],
) -> Any:
    g = geometry(
        tuple(input.shape),
        tuple(filter.shape),
        tuple(strides),
        padding,
        (),
        data_format,
        tuple(dilations),
        5,
    )
    return convolve(input, filter, g)


@conv3d_op.gradient
def conv3d_gradient(call: Call, dy: Tensor) -> Any:
    x, filter = call.inputs
    return (
        conv3d_backprop_input_op(shape_of(x), filter, dy, **call.attrs) if call.wants(0) else None,
        conv3d_backprop_filter_op(x, shape_of(filter), dy, **call.attrs) if call.wants(1) else None,
    )


def _backprop_geometry(
    shape: Sequence[int],
    filter_shape: Sequence[int],
    dy_shape: Sequence[int],
    attrs: dict[str, Any],
    label: str,
) -> Geometry:
    data_format = attrs["data_format"]
    checked_steps(tuple(attrs["strides"]), tuple(attrs["dilations"]), 5, data_format)
    for what, given in (
        ("input", shape),
        ("filter_sizes", filter_shape),
        ("out_backprop", dy_shape),
    ):
        if len(given) != 5:
            raise invalid(f"{what} tensor must have 5 dimensions")
        if min(given) < 0:
            raise invalid(f"Dimension {min(given)} must be >= 0")
    channel = 1 if data_format == "NCDHW" else 4
    if shape[0] != dy_shape[0]:
        raise invalid(
            "input and out_backprop must have the same batch size. "
            f"Got {shape[0]} for input and {dy_shape[0]} for out_backprop"
        )
    depth, patch, out = shape[channel], filter_shape[3], filter_shape[4]
    if patch < 1 or depth % patch or out % max(depth // patch, 1):
        raise invalid(
            "input and filter_sizes must have the same number of channels. "
            f"Got {depth} for input and {patch} for filter_sizes"
        )
    if dy_shape[channel] != out:
        raise invalid(
            "out_backprop and filter_sizes must have the same number of channels. "
            f"Got {dy_shape[channel]} for out_backprop and {out} for filter_sizes"
        )
    g = build(
        tuple(shape),
        tuple(filter_shape),
        tuple(attrs["strides"]),
        attrs["padding"],
        (),
        data_format,
        tuple(attrs["dilations"]),
        max(depth // patch, 1),
    )
    check_counts(shape, filter_shape, dy_shape, g, label)
    return g


conv3d_backprop_input_op = define(
    "Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T; "
    f"{_ATTRS}) -> output: T",
    host=("input_sizes",),
    T=FLOATS,
    Tshape=INDEX,
    doc="The gradient of a convolution of volumes with respect to the volumes.",
    work=conv_input_gradient_work,
)


@conv3d_backprop_input_op.shape
def conv3d_backprop_input_shape(
    input_sizes: Static, filter: Static, out_backprop: Static, **attrs: Any
) -> Dims:
    return stated_shape(input_sizes, 5)


@conv3d_backprop_input_op.kernel
def conv3d_backprop_input_kernel(
    input_sizes: np.ndarray[Any, Any],
    filter: torch.Tensor,
    out_backprop: torch.Tensor,
    **attrs: Any,
) -> Any:
    sizes = input_sizes.reshape(-1).tolist()
    g = _backprop_geometry(
        sizes, tuple(filter.shape), tuple(out_backprop.shape), attrs, "Conv3DBackpropInputOp"
    )
    return input_gradient(sizes, filter, out_backprop, g)


@conv3d_backprop_input_op.gradient
def conv3d_backprop_input_gradient(call: Call, dy: Tensor) -> Any:
    _, filter, given = call.inputs
    return (
        None,
        conv3d_backprop_filter_op(dy, shape_of(filter), given, **call.attrs),
        conv3d_op(dy, filter, **call.attrs),
    )


conv3d_backprop_filter_op = define(
    "Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T; "
    f"{_ATTRS}) -> output: T",
    host=("filter_sizes",),
    T=FLOATS,
    doc="The gradient of a convolution of volumes with respect to the filters.",
    work=conv_filter_gradient_work,
)


@conv3d_backprop_filter_op.shape
def conv3d_backprop_filter_shape(
    input: Static, filter_sizes: Static, out_backprop: Static, **attrs: Any
) -> Dims:
    return stated_shape(filter_sizes, 5)


@conv3d_backprop_filter_op.kernel
def conv3d_backprop_filter_kernel(
    input: torch.Tensor,
    filter_sizes: np.ndarray[Any, Any],
    out_backprop: torch.Tensor,
    **attrs: Any,
) -> Any:
    check_sizes("filter_sizes", filter_sizes)
    sizes = filter_sizes.tolist()
    g = _backprop_geometry(
        tuple(input.shape), sizes, tuple(out_backprop.shape), attrs, "Conv3DBackpropFilterOp"
    )
    return filter_gradient(input, sizes, out_backprop, g)


@conv3d_backprop_filter_op.gradient
def conv3d_backprop_filter_gradient(call: Call, dy: Tensor) -> Any:
    x, _, given = call.inputs
    return (
        conv3d_backprop_input_op(shape_of(x), dy, given, **call.attrs),
        None,
        conv3d_op(x, dy, **call.attrs),
    )
