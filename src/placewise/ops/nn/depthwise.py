"""Depthwise convolution: each channel has filters of its own; and the separable one built on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value, known_sizes
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.nn.conv_functions import conv2d, split_padding
from placewise.ops.nn.conv_geometry import (
    Geometry,
    build,
    convolve,
    filter_gradient,
    input_gradient,
    output_shape,
)
from placewise.ops.nn.space_to_batch import with_space_to_batch
from placewise.ops.nn.windows import (
    check_explicit,
    is_channels_first,
)
from placewise.ops.tf1_spelling import shape
from placewise.ops.work import depthwise_work

if TYPE_CHECKING:
    import numpy as np
    import torch


_ATTRS = (
    "strides: list(int), padding: 'SAME'|'VALID'|'EXPLICIT', explicit_paddings: list(int) = [], "
    "data_format: 'NHWC'|'NCHW' = NHWC, dilations: list(int) = [1, 1, 1, 1]"
)

depthwise_op = define(
    f"DepthwiseConv2dNative(input: T, filter: T; {_ATTRS}) -> output: T",
    T=FLOATS,
    doc="The convolution of each channel with its own filters [height, width, in, multiplier].",
    result="new",
    later_attrs=("explicit_paddings",),
    work=depthwise_work,
)


def _depthwise_geometry(
    shape: Sequence[int], filter_shape: Sequence[int], attrs: dict[str, Any]
) -> Geometry:
    data_format, padding = attrs["data_format"], attrs["padding"]
    strides, dilations = tuple(attrs["strides"]), tuple(attrs["dilations"])
    explicit = tuple(attrs["explicit_paddings"])
    first = is_channels_first(data_format)
    channel = 1 if first else 3
    if len(strides) != 4:
        raise invalid("Sliding window strides field must specify 4 dimensions")
    across, down = (strides[2], strides[3]) if first else (strides[1], strides[2])
    if across != down:
        raise invalid(
            "Current implementation only supports equal length strides in the row and "
            "column dimensions."
        )
    if strides[0] != 1 or strides[channel] != 1:
        raise invalid(
            "Current implementation does not yet support strides in the batch and depth dimensions."
        )
    if len(dilations) != 4 or min(dilations) < 1:
        raise invalid("Dilated rates should be larger than 0.")
    check_explicit(padding, explicit, 4, data_format)
    if len(shape) != 4:
        raise invalid(f"input must be 4-dimensional{bracketed(shape)}")
    if len(filter_shape) != 4:
        raise invalid(f"filter must be 4-dimensional: {bracketed(filter_shape)}")
    if across < 1:
        raise invalid(f"Stride must be > 0, but got {across}")
    depth, patch, multiplier = shape[channel], filter_shape[2], filter_shape[3]
    if depth != patch:
        raise invalid(f"input and filter must have the same depth: {depth} vs {patch}")
    flat = (*filter_shape[:2], 1, patch * multiplier)
    return build(
        tuple(shape),
        flat,
        strides,
        padding,
        explicit,
        data_format,
        dilations,
        max(depth, 1),
        patch * multiplier,
    )


def _flat(filter: torch.Tensor) -> Any:
    """Return filters [h, w, in, multiplier] as a grouped convolution has them: [h, w, 1, out]."""
    height, width, depth, multiplier = filter.shape
    return filter.reshape(height, width, 1, depth * multiplier)


@depthwise_op.shape
def depthwise_shape(input: Static, filter: Static, **attrs: Any) -> Dims:
    banks = filter.shape
    flat: Dims = None
    if banks is not None and len(banks) == 4:
        sizes = known_sizes(banks[2:])
        out = None if sizes is None else sizes[0] * sizes[1]
        flat = (*banks[:2], banks[2], out)
    elif banks is not None:
        raise ValueError(f"Shape must be rank 4 but is rank {len(banks)}")
    return output_shape(
        input.shape,
        flat,
        attrs["strides"],
        attrs["padding"],
        attrs["explicit_paddings"],
        attrs["data_format"],
        attrs["dilations"],
        4,
    )


@depthwise_op.kernel
def depthwise_kernel(input: torch.Tensor, filter: torch.Tensor, **attrs: Any) -> Any:
    g = _depthwise_geometry(input.shape, filter.shape, attrs)
    return convolve(input, _flat(filter), g)


@depthwise_op.gradient
def depthwise_gradient(call: Call, dy: Tensor) -> Any:
    x, filter = call.inputs
    return (
        depthwise_backprop_input_op(shape_of(x), filter, dy, **call.attrs)
        if call.wants(0)
        else None,
        depthwise_backprop_filter_op(x, shape_of(filter), dy, **call.attrs)
        if call.wants(1)
        else None,
    )


def _check_backprop(g: Geometry, dy_shape: Sequence[int], label: str) -> None:
    if len(dy_shape) != 4:
        raise invalid(f"{label}: out_backprop must be 4-dimensional")
    if dy_shape[0] != g.output_shape[0]:
        raise invalid(f"{label}: input and out_backprop must have the same batch size")
    offset = 2 if g.channels_first else 1
    for what, index in (("rows", 0), ("columns", 1)):
        if dy_shape[offset + index] != g.counts[index]:
            raise invalid(
                f"{label}: Number of {what} of out_backprop doesn't match computed: actual = "
                f"{dy_shape[offset + index]}, computed = {g.counts[index]}"
            )
    if tuple(dy_shape) != g.output_shape:
        raise invalid(f"{label}: depth_multiplier * in_depth not equal to out_depth")


depthwise_backprop_input_op = define(
    "DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T; "
    f"{_ATTRS}) -> output: T",
    host=("input_sizes",),
    T=FLOATS,
    doc="The gradient of a depthwise convolution with respect to the images.",
    later_attrs=("explicit_paddings",),
    work=depthwise_work,
)


@depthwise_backprop_input_op.shape
def depthwise_backprop_input_shape(
    input_sizes: Static, filter: Static, out_backprop: Static, **attrs: Any
) -> Dims:
    return from_value(input_sizes) or (None,) * 4


@depthwise_backprop_input_op.kernel
def depthwise_backprop_input_kernel(
    input_sizes: np.ndarray[Any, Any],
    filter: torch.Tensor,
    out_backprop: torch.Tensor,
    **attrs: Any,
) -> Any:
    label = "DepthwiseConv2DBackpropInput"
    sizes = input_sizes.reshape(-1).tolist()
    if len(sizes) != 4:
        raise invalid(f"{label}: input must be 4-dimensional")
    if min(sizes) < 0:
        raise invalid(f"Dimension {min(sizes)} must be >= 0")
    if filter.dim() != 4:
        raise invalid(f"{label}: filter must be 4-dimensional")
    if sizes[1 if attrs["data_format"] == "NCHW" else 3] != filter.shape[2]:
        raise invalid(f"{label}: input and filter must have the same in_depth")
    g = _depthwise_geometry(sizes, filter.shape, attrs)
    _check_backprop(g, out_backprop.shape, label)
    return input_gradient(sizes, _flat(filter), out_backprop, g)


@depthwise_backprop_input_op.gradient
def depthwise_backprop_input_gradient(call: Call, dy: Tensor) -> Any:
    _, filter, given = call.inputs
    return (
        None,
        depthwise_backprop_filter_op(dy, shape_of(filter), given, **call.attrs),
        depthwise_op(dy, filter, **call.attrs),
    )


depthwise_backprop_filter_op = define(
    "DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T; "
    f"{_ATTRS}) -> output: T",
    host=("filter_sizes",),
    T=FLOATS,
    doc="The gradient of a depthwise convolution with respect to the filters.",
    later_attrs=("explicit_paddings",),
    work=depthwise_work,
)


@depthwise_backprop_filter_op.shape
def depthwise_backprop_filter_shape(
    input: Static, filter_sizes: Static, out_backprop: Static, **attrs: Any
) -> Dims:
    return from_value(filter_sizes) or (None,) * 4


@depthwise_backprop_filter_op.kernel
def depthwise_backprop_filter_kernel(
    input: torch.Tensor,
    filter_sizes: np.ndarray[Any, Any],
    out_backprop: torch.Tensor,
    **attrs: Any,
) -> Any:
    label = "DepthwiseConv2DBackpropFilter"
    sizes = filter_sizes.reshape(-1).tolist()
    if len(sizes) != 4:
        raise invalid(f"{label}: filter must be 4-dimensional")
    if min(sizes) < 0:
        raise invalid(f"Dimension {min(sizes)} must be >= 0")
    g = _depthwise_geometry(input.shape, sizes, attrs)
    _check_backprop(g, out_backprop.shape, label)
    flat = (*sizes[:2], 1, sizes[2] * sizes[3])
    return filter_gradient(input, flat, out_backprop, g).reshape(sizes)


@depthwise_backprop_filter_op.gradient
def depthwise_backprop_filter_gradient(call: Call, dy: Tensor) -> Any:
    x, _, given = call.inputs
    return (
        depthwise_backprop_input_op(shape_of(x), dy, given, **call.attrs),
        None,
        depthwise_op(x, dy, **call.attrs),
    )


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of each channel with its own `filter` [height, width, in, multiplier].

    Channel `k` of the input makes channels `k * multiplier …` of the result. `dilations` has one
    number per spatial dimension.
    """
    with in_scope(name, "depthwise") as scope:
        return _by_channel(input, filter, strides, padding, data_format, dilations, scope)


def _by_channel(
    input: TensorLike,
    filter: Any,
    strides: list[Any],
    padding: str,
    data_format: str | None,
    dilations: tuple[int, ...] | None,
    name: str | None,
) -> Any:
    kind, explicit = split_padding(padding)
    data_format = data_format or "NHWC"
    rates = [1, 1] if dilations is None else [int(rate) for rate in dilations]
    steps = list(strides)
    plain = max(rates, default=1) <= 1
    if not plain and (len(rates) != 2 or max(steps) > 1):
        bank = convert_to_tensor(filter)
        return with_space_to_batch(
            input,
            rates,
            padding,
            lambda x, _, pad: _by_channel(x, bank, steps, pad, data_format, None, name),
            filter_shape=shape_of(bank),
            data_format=data_format,
        )
    if is_tf1_graph():  # nobody reads them, but seeds count nodes
        filter = convert_to_tensor(filter, name="filter_in")
        shape(filter)
        convert_to_tensor(rates, int32, name="dilation_rate")
    spread = (
        [1, 1, 1, 1]
        if plain
        else ([1, 1, *rates] if is_channels_first(data_format) else [1, *rates, 1])
    )
    return depthwise_op(
        input,
        filter,
        strides=steps,
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=spread,
        name=name,
    )


def depthwise_conv2d_backprop_input(
    input_sizes: Sequence[Any],
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[Any],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[Any] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the gradient of a depthwise convolution with respect to its input."""
    kind, explicit = split_padding(padding)
    return depthwise_backprop_input_op(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Sequence[Any],
    out_backprop: TensorLike,
    strides: Sequence[Any],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[Any] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Return the gradient of a depthwise convolution with respect to its filters."""
    kind, explicit = split_padding(padding)
    return depthwise_backprop_filter_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return a depthwise convolution followed by one that mixes channels with 1 x 1 filters."""
    with in_scope(name, "separable_conv2d") as scope:
        mixing = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        if (dims := mixing._shape_tuple) is not None:
            mixing.shape.with_rank(4)
            for size in dims[:2]:
                if size not in (1, None):
                    raise ValueError(f"Dimensions {size} and 1 are not compatible")
        inner = _by_channel(
            input, depthwise_filter, strides, padding, data_format, dilations, "depthwise"
        )
        return conv2d(inner, mixing, 1, "VALID", data_format or "NHWC", name=scope)
