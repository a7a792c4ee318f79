"""Convolutions as programs call them: `conv1d`, `conv2d`, `conv3d`, `convolution`, transposes."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import expand_dims, reshape, shape_of, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.nn.conv2d import conv2d_backprop_input_op, conv2d_op
from placewise.ops.nn.conv3d import conv3d_backprop_input_op, conv3d_op
from placewise.ops.nn.windows import is_channels_first, per_dimension


def split_padding(padding: Any, rank: int = 4) -> tuple[Any, list[int]]:
    """Return the padding attribute and the explicit paddings that an argument `padding` means."""
    if isinstance(padding, str):
        if padding == "EXPLICIT":
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, "
                "`padding` must be a list."
            )
        return padding, []
    if not isinstance(padding, (list, tuple)):
        return padding, []
    explicit: list[int] = []
    for index, edges in enumerate(padding):
        if not isinstance(edges, (list, tuple)) or len(edges) != 2:
            what = (
                f"size {len(edges)}" if isinstance(edges, (list, tuple)) else f"type {type(edges)}"
            )
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of "
                f"size 2. Received: padding={padding} with element at index {index} of {what}"
            )
        explicit.extend(int(edge) for edge in edges)
    if len(padding) != rank:
        raise ValueError(
            f"When padding is a list, it must be of size {rank}. Received: padding={padding} of "
            f"size {len(padding)}"
        )
    return "EXPLICIT", explicit


def over_batches(x: Any, function: Callable[[Any], Any], inner: int) -> Any:
    """Apply a function of a batch to `x`, of which all but `inner` dimensions count as batch."""
    shape = x._shape_tuple
    if shape is None or len(shape) <= inner + 1:
        return function(x)
    outer = len(shape) - inner
    if None in shape:
        whole = shape_of(x)
        y = function(reshape(x, concat([[-1], whole[outer:]], 0)))
        return reshape(y, concat([whole[:outer], shape_of(y)[1:]], 0))
    y = function(
        reshape(
            x,
            (-1, *shape[outer:])
            if 0 not in shape
            else (int(np.prod(shape[:outer])), *shape[outer:]),
        )
    )
    return reshape(y, (*shape[:outer], *y._shape_tuple[1:]))


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of images with filters.

    `input`: images, [batch, height, width, channels]. More leading dimensions count as batch.
    `filters`: [height, width, channels, outputs]. Where the input has more channels than a filter,
        they form groups.
    `strides`: how far the filter moves at a time, one number, two (height and width) or four.
    `padding`: 'SAME' (the result covers the image), 'VALID' (only whole filters) or a list of pairs
        [before, after], one a dimension.
    `data_format`: 'NHWC', or 'NCHW' for channels before height.
    `dilations`: the distance between the elements of a filter, given as `strides` are.

    Raises InvalidArgumentError, in graphs ValueError, if channels do not fit or strides are not
    positive. GPUs may round differently.

    >>> image, ones = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.conv2d(image, ones, strides=1, padding="VALID").numpy().ravel()
    array([4., 4., 4., 4.], dtype=float32)
    """
    kind, explicit = split_padding(padding)
    data_format = data_format or "NHWC"
    first = is_channels_first(data_format)
    attrs: dict[str, Any] = {
        "strides": per_dimension(strides, 2, first, "strides"),
        "padding": kind,
        "explicit_paddings": explicit,
        "data_format": data_format,
        "dilations": per_dimension(dilations, 2, first, "dilations"),
    }
    input = convert_to_tensor(input)
    shape = input._shape_tuple
    if shape is None or len(shape) <= 4:
        return conv2d_op(input, filters, **attrs, name=name)
    return over_batches(input, lambda x: conv2d_op(x, filters, **attrs, name=name), 3)


def _line_format(data_format: str | None) -> tuple[str, int]:
    """Return the image format and channel axis that stand for a format of sequences."""
    if data_format in (None, "NHWC", "NWC"):
        return "NHWC", 2
    if data_format in ("NCHW", "NCW"):
        return "NCHW", 1
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of sequences with `filters` of shape [width, in, out]."""
    image_format, channel = _line_format(data_format)
    steps = [1, *per_dimension(stride, 1, channel == 1, "stride")]
    rates = [1, *per_dimension(dilations, 1, channel == 1, "dilations")]
    axis = -3 if channel == 2 else -2
    kind, explicit = split_padding(padding, 3)
    if explicit:
        at = 2 if channel == 2 else 4
        explicit = [*explicit[:at], 0, 0, *explicit[at:]]
    images = expand_dims(convert_to_tensor(input), axis)
    banks = expand_dims(convert_to_tensor(filters), 0)

    def run(x: Any) -> Any:
        return conv2d_op(
            x,
            banks,
            strides=steps,
            padding=kind,
            explicit_paddings=explicit,
            data_format=image_format,
            dilations=rates,
            name=name,
        )

    return squeeze(over_batches(images, run, 3), [axis])


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution of volumes with `filters` of shape [depth, height, width, in, out].

    `strides` has five numbers, one per dimension.
    """
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'conv3d' Op, not {strides!r}.")
    rates = [1, 1, 1, 1, 1] if dilations is None else dilations
    return over_batches(
        convert_to_tensor(input),
        lambda x: conv3d_op(
            x,
            filters,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilations=rates,
            name=name,
        ),
        4,
    )


_CONV = {1: conv1d, 2: conv2d, 3: conv3d}


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the convolution over one, two or three dimensions, as many as `filters` has."""
    input, filters = convert_to_tensor(input), convert_to_tensor(filters)
    known = filters._shape_tuple or input._shape_tuple
    if known is None:
        raise ValueError(
            "When `num_spatial_dims` is not set, one of `input.shape.rank` or "
            "`filters.shape.rank` must be known. Received: input.shape=<unknown> of rank None and "
            "filters.shape=<unknown> of rank None"
        )
    count = len(known) - 2
    if count not in _CONV:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={count}."
        )
    first = data_format is not None and is_channels_first(data_format)
    rates = per_dimension(dilations, count, first, "dilations")
    steps = per_dimension(strides, count, first, "strides")
    if max(rates) > 1 and max(steps) > 1:
        inner = slice(2, None) if first else slice(1, -1)
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={np.asarray(steps[inner])} and dilation_rate={np.asarray(rates[inner])}"
        )
    default = "NC" if first else {1: "NWC", 2: "NHWC", 3: "NDHWC"}[count]
    return _CONV[count](input, filters, steps, padding, data_format or default, rates, name)


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    """Return the convolution of images with filters whose elements stand `rate` apart."""
    return convolution(value, filters, padding=padding, dilations=int(rate), name=name)


def _check_channels(output_shape: Any, filter_shape: Any, channel: int) -> None:
    """Refuse an output with other channels than the filters make: it is no grouped convolution."""
    if (
        not isinstance(output_shape, (list, tuple))
        or len(output_shape) != 4
        or filter_shape is None
        or len(filter_shape) != 4
    ):
        return
    wanted, made = output_shape[channel], filter_shape[2]
    if isinstance(wanted, int) and made is not None and wanted != made:
        raise invalid(
            "Gradients for grouped convolutions are not supported on CPU. Please file a feature "
            f"request if you run into this issue. Computed input depth {wanted} doesn't match "
            f"filter input depth {made} [Op:Conv2DBackpropInput]"
        )


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution: images of `output_shape`.

    `filters` is [height, width, out, in]: what comes out here is what goes in there.
    """
    data_format = data_format or "NHWC"
    first = is_channels_first(data_format)
    kind, explicit = split_padding(padding)
    filters = convert_to_tensor(filters)
    _check_channels(output_shape, filters._shape_tuple, 1 if first else 3)
    return conv2d_backprop_input_op(
        output_shape,
        filters,
        input,
        padding=kind,
        explicit_paddings=explicit,
        strides=per_dimension(strides, 2, first, "strides"),
        data_format=data_format,
        dilations=per_dimension(dilations, 2, first, "dilations"),
        name=name,
    )


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution of sequences; `filters` is [width, out, in]."""
    image_format, channel = _line_format(data_format)
    steps = [1, *per_dimension(strides, 1, channel == 1, "strides")]
    rates = [1, *per_dimension(dilations, 1, channel == 1, "dilations")]
    axis = 1 if channel == 2 else 2
    if isinstance(output_shape, Tensor):
        sizes: Any = concat([output_shape[:axis], [1], output_shape[axis:]], 0)
    else:
        sizes = [*list(output_shape)[:axis], 1, *list(output_shape)[axis:]]
    result = conv2d_backprop_input_op(
        sizes,
        expand_dims(convert_to_tensor(filters), 0),
        expand_dims(convert_to_tensor(input), axis),
        strides=steps,
        padding=padding,
        data_format=image_format,
        dilations=rates,
        name=name,
    )
    return squeeze(result, [axis])


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution of volumes; `filters` is [d, h, w, out, in]."""
    data_format = data_format or "NDHWC"
    first = is_channels_first(data_format)
    return conv3d_backprop_input_op(
        output_shape,
        filters,
        input,
        strides=per_dimension(strides, 3, first, "strides"),
        padding=padding,
        data_format=data_format,
        dilations=per_dimension(dilations, 3, first, "dilations"),
        name=name,
    )


_TRANSPOSE = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the transpose of a convolution over as many dimensions as `output_shape` tells."""
    if isinstance(output_shape, Tensor):
        count = output_shape._shape_tuple[0] - 2
    elif isinstance(output_shape, Sized):
        count = len(output_shape) - 2
    else:
        raise ValueError(
            "`output_shape` must be a tensor or sized collection. "
            f"Received: output_shape={output_shape}"
        )
    if count not in _TRANSPOSE:
        raise ValueError(
            "`output_shape` must be of length 3, 4 or 5. "
            f"Received: output_shape={output_shape} of length {count + 2}."
        )
    formats = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
    return _TRANSPOSE[count](
        input,
        filters,
        output_shape,
        strides,
        padding,
        data_format or formats[count],
        dilations,
        name,
    )


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    """Return the transpose of `atrous_conv2d`: images of `output_shape`."""
    value, filters = convert_to_tensor(value), convert_to_tensor(filters)
    given, wanted = value._shape_tuple, filters._shape_tuple
    if (
        given is not None
        and wanted is not None
        and None not in (given[3], wanted[3])
        and given[3] != wanted[3]
    ):
        raise ValueError(
            "`value` channel count must be compatible with `filters` input channel count. "
            f"Received: value.shape={value.shape} with channel count {given[3]} and "
            f"filters.shape={filters.shape} with input channel count {wanted[3]}."
        )
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate, name=name)
