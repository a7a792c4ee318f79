"""Pooling as programs call it: `max_pool`, `avg_pool` and their kin of one to three dimensions."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
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


def _padding(padding: Any, can_be_explicit: bool, rank: int) -> dict[str, Any]:
    """Return the padding as arguments of an op; only some ops take a list of numbers."""
    if can_be_explicit:
        kind, explicit = split_padding(padding, rank)
        return {"padding": kind, "explicit_paddings": explicit}
    if not isinstance(padding, (str, bytes)):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    return {"padding": padding}


def _pooling(
    pooling_op: Any, count: int, default_format: str, can_be_explicit: bool = False
) -> Callable[[Any], Any]:
    """Return a decorator that gives a function, of which only the text counts, its body.

    The body pools over `count` dimensions with an op for images or volumes.
    """

    def declare(described: Callable[..., Any]) -> Any:
        def pool(
            input: Any,
            ksize: Any,
            strides: Any,
            padding: Any,
            data_format: str | None = default_format,
            name: str | None = None,
        ) -> Any:
            layout = data_format or default_format
            options = _padding(padding, can_be_explicit, count + 2)
            is_first = is_channels_first(layout)
            options["ksize"] = per_dimension(ksize, count, is_first, "ksize")
            options["strides"] = per_dimension(strides, count, is_first, "strides")
            if count > 1:
                return pooling_op(input, data_format=layout, name=name, **options)
            # Sequences become images of height 1.
            axis = 2 if is_first else 1
            images = expand_dims(convert_to_tensor(input), axis)
            layout = "NCHW" if is_first else "NHWC"
            pooled = pooling_op(images, data_format=layout, name=name, **_of_images(options, axis))
            return squeeze(pooled, [axis])

        return functools.update_wrapper(pool, described)

    return declare


def _of_images(options: dict[str, Any], axis: int) -> dict[str, Any]:
    """Return the arguments of an op for sequences with a height of 1 at `axis`."""
    images = dict(options)
    for name in ("ksize", "strides"):
        images[name] = [*options[name][:axis], 1, *options[name][axis:]]
    explicit = options.get("explicit_paddings")
    if explicit:
        images["explicit_paddings"] = [*explicit[: 2 * axis], 0, 0, *explicit[2 * axis :]]
    return images


@_pooling(max_pool_op, 2, "NHWC", can_be_explicit=True)
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window of images.

    `input`: images, [batch, height, width, channels].
    `ksize`: the size of a window: one number, two (height and width) or four.
    `strides`: how far the window moves at a time, given as `ksize` is.
    `padding`: 'SAME', 'VALID' or a list of pairs [before, after], one a dimension.
    `data_format`: 'NHWC' or 'NCHW'.

    Padding is never the largest. Raises InvalidArgumentError, in graphs ValueError, for another
    padding or format. Integers have no GPU kernel, as in TensorFlow.

    >>> image = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.nn.max_pool2d(image, 2, 2, "VALID").numpy().item()
    3.0
    """


@_pooling(avg_pool_op, 2, "NHWC")
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of images."""


@_pooling(max_pool_op, 1, "NWC", can_be_explicit=True)
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window of sequences."""


@_pooling(avg_pool_op, 1, "NWC")
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of sequences."""


@_pooling(max_pool3d_op, 3, "NDHWC")
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Return the largest element of each window of volumes."""


@_pooling(avg_pool3d_op, 3, "NDHWC")
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Return the mean of each window of volumes."""


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


def _by_rank(functions: dict[int, Any]) -> Callable[[Any], Any]:
    """Return a decorator that gives a function the body of those of one to three dimensions."""

    def declare(described: Callable[..., Any]) -> Any:
        def pool(
            input: Any,
            ksize: Any,
            strides: Any,
            padding: Any,
            data_format: str | None = None,
            name: str | None = None,
        ) -> Any:
            input = convert_to_tensor(input)
            count = _dimensions(input, data_format)
            layout = data_format or _FORMATS[count]
            return functions[count](input, ksize, strides, padding, layout, name)

        return functools.update_wrapper(pool, described)

    return declare


@_by_rank(_MAX)
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the largest element of each window, over one, two or three dimensions."""


@_by_rank(_MEAN)
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the mean of each window, over one, two or three dimensions."""


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
