"""The convolution of images as ops: Conv2D and the two that carry its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import FLOATS, int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define
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
from placewise.ops.nn.windows import check_explicit
from placewise.ops.work import conv_filter_gradient_work, conv_input_gradient_work, conv_work

if TYPE_CHECKING:
    import numpy as np
    import torch


_ATTRS = (
    "strides: list(int), use_cudnn_on_gpu: bool = True, padding: 'SAME'|'VALID'|'EXPLICIT', "
    "explicit_paddings: list(int) = [], data_format: 'NHWC'|'NCHW' = NHWC, "
    "dilations: list(int) = [1, 1, 1, 1]"
)
_KINDS = FLOATS | {int32}

conv2d_op = define(
    f"Conv2D(input: T, filter: T; {_ATTRS}) -> output: T",
    T=_KINDS,
    doc="The convolution of a batch of images with a bank of filters.",
    result="new",
    work=conv_work,
)


@conv2d_op.shape
def conv2d_shape(
    input: Static,
    filter: Static,
    *,
    strides: list[Any],
    use_cudnn_on_gpu: bool,
    padding: str,
    explicit_paddings: Sequence[Any],
    data_format: str,
    dilations: Sequence[Any],
) -> Dims:
    return output_shape(
        input.shape, filter.shape, strides, padding, explicit_paddings, data_format, dilations, 4
    )


@conv2d_op.kernel
def conv2d_kernel(
    input: torch.Tensor,
    filter: torch.Tensor,
    *,
    strides: list[Any],
    use_cudnn_on_gpu: bool,
    padding: str,
    explicit_paddings: Sequence[Any],
    data_format: str,
    dilations: Sequence[Any],
) -> Any:
    g = geometry(
        tuple(input.shape),
        tuple(filter.shape),
        tuple(strides),
        padding,
        tuple(explicit_paddings),
        data_format,
        tuple(dilations),
        4,
    )
    return convolve(input, filter, g)


@conv2d_op.gradient
def conv2d_gradient(call: Call, dy: Tensor) -> Any:
    x, filter = call.inputs
    return (
        conv2d_backprop_input_op(shape_of(x), filter, dy, **call.attrs) if call.wants(0) else None,
        conv2d_backprop_filter_op(x, shape_of(filter), dy, **call.attrs) if call.wants(1) else None,
    )


conv2d_backprop_input_op = define(
    f"Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T; {_ATTRS}) -> output: T",
    host=("input_sizes",),
    T=_KINDS,
    doc="The gradient of a convolution of images with respect to the images.",
    result="new",
    work=conv_input_gradient_work,
)


@conv2d_backprop_input_op.shape
def conv2d_backprop_input_shape(
    input_sizes: Static, filter: Static, out_backprop: Static, **attrs: Any
) -> Dims:
    target = from_value(input_sizes)
    if target is None or len(target) == 4:
        return target or (None,) * 4
    if len(target) != 2:
        raise ValueError(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(target)}"
        )
    batch = None if out_backprop.shape is None else out_backprop.shape[0]
    depth = None if filter.shape is None else filter.shape[2]
    if attrs["data_format"] == "NCHW":
        return (batch, depth, *target)
    return (batch, *target, depth)


def backprop_geometry(
    shape: Sequence[int],
    filter_shape: tuple[int, ...],
    dy_shape: tuple[int, ...],
    attrs: dict[str, Any],
    label: str,
) -> Geometry:
    """Return the geometry a gradient belongs to, after checking that all three shapes agree."""
    return _backprop_geometry(
        tuple(shape),
        tuple(filter_shape),
        tuple(dy_shape),
        tuple(attrs["strides"]),
        attrs["padding"],
        tuple(attrs["explicit_paddings"]),
        attrs["data_format"],
        tuple(attrs["dilations"]),
        label,
    )


@lru_cache(4096)
def _backprop_geometry(
    shape: tuple[int, ...],
    filter_shape: tuple[int, ...],
    dy_shape: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
    label: str,
) -> Geometry:
    checked_steps(strides, dilations, 4, data_format)
    check_explicit(padding, explicit, 4, data_format)
    for what, given in (("input", shape), ("filter", filter_shape), ("out_backprop", dy_shape)):
        if len(given) != 4:
            raise invalid(f"{label}: {what} must be 4-dimensional")
    check_depths(shape, filter_shape, dy_shape, data_format, label)
    depth = shape[1 if data_format == "NCHW" else 3]
    groups = max(depth // max(filter_shape[2], 1), 1)
    g = build(shape, filter_shape, strides, padding, explicit, data_format, dilations, groups)
    check_counts(shape, filter_shape, dy_shape, g, label)
    return g


def check_depths(
    shape: Sequence[int],
    filter_shape: Sequence[int],
    dy_shape: Sequence[int],
    data_format: str,
    label: str,
) -> None:
    """Refuse an input, a filter and a gradient whose batch or channels do not fit."""
    channel = 1 if data_format.startswith("NC") else len(shape) - 1
    if shape[0] != dy_shape[0]:
        raise invalid(
            f"{label}: input and out_backprop must have the same batch size. Input batch: "
            f"{shape[0]}, outbackprop batch: {dy_shape[0]}, batch_dim: 0"
        )
    if filter_shape[-1] != dy_shape[channel]:
        raise invalid(f"{label}: filter and out_backprop must have the same out_depth")
    patch, depth = filter_shape[-2], shape[channel]
    if not patch and not depth:
        return  # nothing to do, as where oneDNN computes for TensorFlow
    if patch < 1 or depth % patch or filter_shape[-1] % max(depth // patch, 1):
        raise invalid(
            "Gradients for grouped convolutions are not supported on CPU. Please file a feature "
            f"request if you run into this issue. Computed input depth {depth} doesn't match "
            f"filter input depth {patch}"
        )


def check_counts(
    shape: Sequence[int],
    filter_shape: Sequence[int],
    dy_shape: Sequence[int],
    g: Geometry,
    label: str,
) -> None:
    """Refuse a gradient whose height or width is not that of the convolution's result."""
    offset = 2 if g.channels_first else 1
    for index, count in enumerate(g.counts):
        actual = dy_shape[offset + index]
        if actual != count:
            raise invalid(
                f"{label}: Size of out_backprop doesn't match computed: actual = {actual}, "
                f"computed = {count} spatial_dim: {offset + index} input: {shape[offset + index]} "
                f"filter: {filter_shape[index]} output: {actual} stride: {g.strides[index]} "
                f"dilation: {g.dilations[index]}"
            )


@conv2d_backprop_input_op.kernel
def conv2d_backprop_input_kernel(
    input_sizes: np.ndarray[Any, Any],
    filter: torch.Tensor,
    out_backprop: torch.Tensor,
    **attrs: Any,
) -> Any:
    sizes = input_sizes.reshape(-1).tolist()
    if len(sizes) not in (2, 4):
        raise invalid(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, "
            f"but got: {len(sizes)}"
        )
    if out_backprop.dim() != 4:
        raise invalid(f"input_sizes must be 4-dimensional, got: {out_backprop.dim()}")
    if filter.dim() != 4:
        raise invalid("Conv2DCustomBackpropInput: filter must be 4-dimensional")
    if len(sizes) == 2:
        batch, depth = out_backprop.shape[0], filter.shape[2]
        first = attrs["data_format"] == "NCHW"
        sizes = [batch, depth, *sizes] if first else [batch, *sizes, depth]
    if min(sizes) < 0:
        raise invalid(f"Dimension {min(sizes)} must be >= 0")
    g = backprop_geometry(
        sizes, tuple(filter.shape), tuple(out_backprop.shape), attrs, "Conv2DCustomBackpropInput"
    )
    return input_gradient(sizes, filter, out_backprop, g)


@conv2d_backprop_input_op.gradient
def conv2d_backprop_input_gradient(call: Call, dy: Tensor) -> Any:
    _, filter, given = call.inputs
    return (
        None,
        conv2d_backprop_filter_op(dy, shape_of(filter), given, **call.attrs),
        conv2d_op(dy, filter, **call.attrs),
    )


conv2d_backprop_filter_op = define(
    f"Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T; {_ATTRS}) -> output: T",
    host=("filter_sizes",),
    T=FLOATS,
    doc="The gradient of a convolution of images with respect to the filters.",
    result="new",
    work=conv_filter_gradient_work,
)


@conv2d_backprop_filter_op.shape
def conv2d_backprop_filter_shape(
    input: Static, filter_sizes: Static, out_backprop: Static, **attrs: Any
) -> Dims:
    return stated_shape(filter_sizes, 4)


@conv2d_backprop_filter_op.kernel
def conv2d_backprop_filter_kernel(
    input: torch.Tensor,
    filter_sizes: np.ndarray[Any, Any],
    out_backprop: torch.Tensor,
    **attrs: Any,
) -> Any:
    check_sizes("filter_sizes", filter_sizes)
    sizes = tuple(filter_sizes.tolist())
    if sizes and min(sizes) < 0:
        raise invalid(f"Dimension {min(sizes)} must be >= 0")
    g = backprop_geometry(
        tuple(input.shape), sizes, tuple(out_backprop.shape), attrs, "Conv2DCustomBackpropFilter"
    )
    return filter_gradient(input, sizes, out_backprop, g)


@conv2d_backprop_filter_op.gradient
def conv2d_backprop_filter_gradient(call: Call, dy: Tensor) -> Any:
    x, _, given = call.inputs
    return (
        conv2d_backprop_input_op(shape_of(x), dy, given, **call.attrs),
        None,
        conv2d_op(x, dy, **call.attrs),
    )
