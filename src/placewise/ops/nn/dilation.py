"""Grey-scale dilation and erosion of images, with their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import REAL
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.reverse import reverse
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import negative
from placewise.ops.nn.windows import (
    Window,
    static_count,
    window_of,
)

_ATTRS = "strides: list(int) >= 4, rates: list(int) >= 4, padding: 'SAME'|'VALID'"


def _windows(
    shape: tuple[int, ...], filter_shape: tuple[int, ...], attrs: dict[str, Any]
) -> tuple[Window, Window]:
    """Return the windows along height and width, after checking everything."""
    strides, rates = attrs["strides"], attrs["rates"]
    for word, values in (("Stride", strides), ("Rate", rates)):
        if values[0] != 1 or values[3] != 1:
            raise UnimplementedError(
                None, None, f"{word} is only supported across spatial dimensions."
            )
    if len(shape) != 4:
        raise invalid(f"input must be 4-dimensional{bracketed(shape)}")
    if len(filter_shape) != 3:
        raise invalid(f"filter must be 3-dimensional: {bracketed(filter_shape)}")
    if shape[3] != filter_shape[2]:
        raise invalid(f"input and filter must have the same depth: {shape[3]} vs {filter_shape[2]}")
    if min(strides) < 1:
        raise invalid(f"Stride must be > 0, but got {min(strides)}")
    height, width = (
        window_of(shape[1 + i], filter_shape[i], strides[1 + i], rates[1 + i], attrs["padding"])
        for i in (0, 1)
    )
    return height, width


def _least(dtype: torch.dtype) -> float | int:
    return (torch.finfo if dtype.is_floating_point else torch.iinfo)(dtype).min


def _shifted(
    x: torch.Tensor, filter: torch.Tensor, attrs: dict[str, Any], windows: tuple[Window, Window]
) -> Any:
    """Return input plus filter for each place in the window: [rows * columns, N, H, W, C]."""
    high, wide = windows
    added = [0, 0, wide.before, wide.after, high.before, high.after]
    padded = torch.constant_pad_nd(x, added)
    inside = torch.constant_pad_nd(torch.ones_like(x, dtype=torch.bool), added)
    (_, s_h, s_w, _), (_, r_h, r_w, _) = attrs["strides"], attrs["rates"]
    places = []
    for row in range(filter.shape[0]):
        for column in range(filter.shape[1]):
            top, left = row * r_h, column * r_w
            window = (
                slice(None),
                slice(top, top + (high.count - 1) * s_h + 1, s_h),
                slice(left, left + (wide.count - 1) * s_w + 1, s_w),
            )
            # A sum of integers may wrap around: what lies outside takes no part in it.
            total = padded[window] + filter[row, column]
            places.append(total.masked_fill(~inside[window], _least(x.dtype)))
    return torch.stack(places)


dilation2d_op = define(
    f"Dilation2D(input: T, filter: T; {_ATTRS}) -> output: T",
    T=REAL,
    doc="The largest sum of image and filter in each window.",
)


@dilation2d_op.shape
def dilation2d_shape(
    input: Static, filter: Static, *, strides: list[Any], rates: list[Any], padding: str
) -> Dims:
    shape, bank = input.shape or (None,) * 4, filter.shape or (None,) * 3
    if len(shape) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(shape)}")
    if len(bank) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(bank)}")
    counts = [
        static_count(shape[1 + i], bank[i], strides[1 + i], rates[1 + i], padding) for i in (0, 1)
    ]
    return (shape[0], *counts, shape[3] if shape[3] is not None else bank[2])


@dilation2d_op.kernel
def dilation2d_kernel(input: torch.Tensor, filter: torch.Tensor, **attrs: Any) -> Any:
    windows = _windows(input.shape, filter.shape, attrs)
    output = (input.shape[0], windows[0].count, windows[1].count, input.shape[3])
    if 0 in output or 0 in filter.shape:
        return input.new_full(output, _least(input.dtype))
    return _shifted(input, filter, attrs, windows).amax(0).clamp(min=_least(input.dtype))


@dilation2d_op.gradient
def dilation2d_gradient(call: Call, dy: Tensor) -> Any:
    x, filter = call.inputs
    return (
        dilation2d_backprop_input_op(x, filter, dy, **call.attrs),
        dilation2d_backprop_filter_op(x, filter, dy, **call.attrs),
    )


def _check_backprop(
    input: torch.Tensor, out_backprop: torch.Tensor, windows: tuple[Window, Window]
) -> None:
    wanted = (input.shape[0], windows[0].count, windows[1].count, input.shape[3])
    if tuple(out_backprop.shape) != wanted:
        raise invalid("out_backprop has incompatible size.")


dilation2d_backprop_input_op = define(
    f"Dilation2DBackpropInput(input: T, filter: T, out_backprop: T; {_ATTRS}) -> in_backprop: T",
    T=REAL,
    differentiable=False,
    doc="The gradient of dilation with respect to the images.",
)


@dilation2d_backprop_input_op.shape
def dilation2d_backprop_input_shape(input: Static, *_: Static, **__: object) -> Dims:
    return input.shape


@dilation2d_backprop_input_op.kernel
def dilation2d_backprop_input_kernel(
    input: torch.Tensor, filter: torch.Tensor, out_backprop: torch.Tensor, **attrs: Any
) -> Any:
    windows = _windows(input.shape, filter.shape, attrs)
    _check_backprop(input, out_backprop, windows)
    if not out_backprop.numel():
        return torch.zeros_like(input)
    best = _shifted(input, filter, attrs, windows).argmax(0)
    batch, rows, columns, depth = out_backprop.shape
    height, width = input.shape[1:3]
    (_, s_h, s_w, _), (_, r_h, r_w, _) = attrs["strides"], attrs["rates"]
    device = best.device
    top = torch.arange(rows, device=device).view(1, -1, 1, 1) * s_h - windows[0].before
    left = torch.arange(columns, device=device).view(1, 1, -1, 1) * s_w - windows[1].before
    y = top + best // filter.shape[1] * r_h
    x = left + best % filter.shape[1] * r_w
    image = torch.arange(batch, device=device).view(-1, 1, 1, 1)
    flat = ((image * height + y) * width + x) * depth + torch.arange(depth, device=device)
    result = torch.zeros(input.numel(), dtype=input.dtype, device=device)
    return result.index_add(0, flat.reshape(-1), out_backprop.reshape(-1)).view(input.shape)


dilation2d_backprop_filter_op = define(
    f"Dilation2DBackpropFilter(input: T, filter: T, out_backprop: T; {_ATTRS})"
    " -> filter_backprop: T",
    T=REAL,
    differentiable=False,
    doc="The gradient of dilation with respect to the filter.",
)


@dilation2d_backprop_filter_op.shape
def dilation2d_backprop_filter_shape(
    input: Static, filter: Static, *_: Static, **__: object
) -> Dims:
    return filter.shape


@dilation2d_backprop_filter_op.kernel
def dilation2d_backprop_filter_kernel(
    input: torch.Tensor, filter: torch.Tensor, out_backprop: torch.Tensor, **attrs: Any
) -> Any:
    windows = _windows(input.shape, filter.shape, attrs)
    _check_backprop(input, out_backprop, windows)
    if not out_backprop.numel():
        return torch.zeros_like(filter)
    best = _shifted(input, filter, attrs, windows).argmax(0)
    flat = best * filter.shape[2] + torch.arange(filter.shape[2], device=best.device)
    result = torch.zeros(filter.numel(), dtype=filter.dtype, device=best.device)
    return result.index_add(0, flat.reshape(-1), out_backprop.reshape(-1)).view(filter.shape)


def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    """Return the largest sum of image and `filters` [height, width, depth] in each window."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    return dilation2d_op(
        input, filters, strides=strides, rates=dilations, padding=padding, name=name
    )


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Sequence[Any],
    padding: str,
    data_format: str,
    dilations: Sequence[Any],
    name: str | None = None,
) -> Any:
    """Return the least difference of image and `filters`, turned by half a turn, in each window."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )

    turned = reverse(convert_to_tensor(filters), np.asarray([0, 1], np.int32))
    dilated = dilation2d_op(
        negative(convert_to_tensor(value)),
        turned,
        strides=strides,
        rates=dilations,
        padding=padding,
        name=name,
    )
    return negative(dilated)
