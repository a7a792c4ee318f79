"""Pooling as programs call it: `max_pool`, `avg_pool` and their kin of one to three dimensions."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.ops.array.shape import expand_dims, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.nn.average_pooling import avg_pool3d_op, avg_pool_op
from placewise.ops.nn.conv_functions import split_padding
from placewise.ops.nn.max_pool_positions import max_pool_with_argmax_op
from placewise.ops.nn.max_pooling import max_pool3d_op, max_pool_op
from placewise.ops.nn.space_to_batch import with_space_to_batch
from placewise.ops.nn.windows import is_channels_first, per_dimension

MaxPoolWithArgmax = namedtuple("MaxPoolWithArgmax", ["output", "argmax"])


def _check_string(padding: Any) -> None:
    if not isinstance(padding, (str, bytes)):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window of images.

    `ksize` and `strides` are one number, one per spatial dimension, or one per dimension.
    """
    data_format = data_format or "NHWC"
    first = is_channels_first(data_format)
    kind, explicit = split_padding(padding)
    return max_pool_op(
        input,
        ksize=per_dimension(ksize, 2, first, "ksize"),
        strides=per_dimension(strides, 2, first, "strides"),
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        name=name,
    )


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of images."""
    _check_string(padding)
    data_format = data_format or "NHWC"
    first = is_channels_first(data_format)
    return avg_pool_op(
        input,
        ksize=per_dimension(ksize, 2, first, "ksize"),
        strides=per_dimension(strides, 2, first, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def _line(
    data_format: str | None, ksize: Any, strides: Any
) -> tuple[str, int, list[int], list[int]]:
    """Return the image format, the added axis, and ksize and strides with a height of 1."""
    first = data_format is not None and is_channels_first(data_format)
    window = per_dimension(ksize, 1, first, "ksize")
    steps = per_dimension(strides, 1, first, "strides")
    axis = 2 if first else 1
    return (
        "NCHW" if first else "NHWC",
        axis,
        [*window[:axis], 1, *window[axis:]],
        [*steps[:axis], 1, *steps[axis:]],
    )


def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window of sequences."""
    kind, explicit = split_padding(padding, 3)
    image_format, axis, window, steps = _line(data_format, ksize, strides)
    if explicit:
        explicit = [*explicit[: 2 * axis], 0, 0, *explicit[2 * axis :]]
    images = expand_dims(convert_to_tensor(input), axis)
    pooled = max_pool_op(
        images,
        ksize=window,
        strides=steps,
        padding=kind,
        explicit_paddings=explicit,
        data_format=image_format,
        name=name,
    )
    return squeeze(pooled, [axis])


def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of sequences."""
    _check_string(padding)
    image_format, axis, window, steps = _line(data_format, ksize, strides)
    images = expand_dims(convert_to_tensor(input), axis)
    pooled = avg_pool_op(
        images, ksize=window, strides=steps, padding=padding, data_format=image_format, name=name
    )
    return squeeze(pooled, [axis])


def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window of volumes."""
    _check_string(padding)
    data_format = data_format or "NDHWC"
    first = is_channels_first(data_format)
    return max_pool3d_op(
        input,
        ksize=per_dimension(ksize, 3, first, "ksize"),
        strides=per_dimension(strides, 3, first, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of volumes."""
    _check_string(padding)
    data_format = data_format or "NDHWC"
    first = is_channels_first(data_format)
    return avg_pool3d_op(
        input,
        ksize=per_dimension(ksize, 3, first, "ksize"),
        strides=per_dimension(strides, 3, first, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )


_MAX = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
_MEAN = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}
_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _dimensions(input: Any, data_format: str | None) -> int:
    """Return over how many dimensions to pool: what the input's rank says, or the format."""
    shape = input._shape_tuple
    if shape is not None:
        count = len(shape) - 2
        if count not in _FORMATS:
            raise ValueError(
                f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of "
                f"rank {len(shape)}."
            )
        return count
    return len(data_format) - 2 if data_format else 2


def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the largest element of each window, over one, two or three dimensions."""
    input = convert_to_tensor(input)
    count = _dimensions(input, data_format)
    return _MAX[count](input, ksize, strides, padding, data_format or _FORMATS[count], name)


def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the mean of each window, over one, two or three dimensions."""
    input = convert_to_tensor(input)
    count = _dimensions(input, data_format)
    return _MEAN[count](input, ksize, strides, padding, data_format or _FORMATS[count], name)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Return the largest element of each window and its position in the flattened image.

    The position is (row * width + column) * channels + channel, and counts the images before it
    too with `include_batch_in_index`.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    pooled = max_pool_with_argmax_op(
        input,
        ksize=per_dimension(ksize, 2, False, "ksize"),
        strides=per_dimension(strides, 2, False, "strides"),
        Targmax=output_dtype,
        padding=padding,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return MaxPoolWithArgmax(*pooled)


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Return a pooling of kind 'MAX' or 'AVG' over as many dimensions as `window_shape` has."""
    count = len(window_shape)
    if data_format is not None and len(data_format) != count + 2:
        raise ValueError(
            f"`len(data_format)` should be {count + 2}. Received: data_format={data_format} of "
            f"length {len(data_format)}"
        )
    input = convert_to_tensor(input)
    input.shape.with_rank(count + 2)
    steps = _one_each(strides, count, "strides")
    rates = _one_each(dilations, count, "dilation_rate")
    if (rates < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    if (steps > 1).any() and (rates > 1).any():
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={steps} and dilation_rate={rates}"
        )
    spread = bool((rates > 1).any())
    if padding == "SAME" and spread:
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
            f"Received: padding={padding} and dilation_rate={rates}"
        )
    table = {"MAX": _MAX, "AVG": _MEAN}.get(pooling_type)
    if table is None or count not in table:
        raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")
    chosen, layout = table[count], data_format or _FORMATS[count]
    if not spread:
        return chosen(input, list(window_shape), steps.tolist(), padding, layout, name)

    return with_space_to_batch(
        input,
        rates.tolist(),
        padding,
        lambda x, _, pad: chosen(x, list(window_shape), steps.tolist(), pad, layout, name),
        filter_shape=window_shape,
        data_format=data_format,
    )


def _one_each(values: Any, count: int, name: str) -> np.ndarray[Any, Any]:
    if values is None:
        return np.ones(count, np.int64)
    if len(values) != count:
        raise ValueError(
            f"`len({name})` should be {count}. Received: {name}={values} of length {len(values)}"
        )
    return np.asarray(values)
