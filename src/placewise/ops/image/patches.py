"""Patches and glimpses: windows cut out of images at regular or given places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import NUMBERS
from placewise.core.errors import OutOfRangeError, UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import WIDE_UNSIGNED_TORCH, define, op
from placewise.ops.families import bracketed

if TYPE_CHECKING:
    import numpy as np


_SIGNED_OF = {2: torch.int16, 4: torch.int32, 8: torch.int64}


@op(
    "ExtractImagePatches(images: T; ksizes: list(int) >= 4, strides: list(int) >= 4,"
    " rates: list(int) >= 4,"
    " padding: 'SAME'|'VALID') -> patches: T",
    T=NUMBERS | {dtypes.bool},
)
def extract_patches(
    images: TensorLike,
    sizes: Any,
    strides: Sequence[Any],
    rates: Sequence[Any],
    padding: str,
    name: str | None = None,
) -> Any:
    """Return the windows of images, each flattened into the last dimension.

    `sizes`, `strides` and `rates` (steps between a window's pixels) are `[1, rows, columns, 1]`.
    """
    return extract_patches.bind(
        images,
        ksizes=tuple(sizes),
        strides=tuple(strides),
        rates=tuple(rates),
        padding=padding,
        name=name,
    )


def _count(size: int | None, window: int, stride: int, rate: int, padding: str) -> int | None:
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    reach = window + (window - 1) * (rate - 1)
    return max(-(-(size - reach + 1) // stride), 0)


@extract_patches.shape
def extract_image_patches_shape(
    images: Static,
    *,
    ksizes: tuple[int, ...],
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> Dims:
    if images.shape is None:
        return (None, None, None, None)
    if len(images.shape) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(images.shape)}")
    batch, height, width, depth = images.shape
    rows = _count(height, ksizes[1], strides[1], rates[1], padding)
    columns = _count(width, ksizes[2], strides[2], rates[2], padding)
    return (batch, rows, columns, None if depth is None else depth * ksizes[1] * ksizes[2])


def _check_attrs(ksizes: tuple[int, ...], strides: tuple[int, ...], rates: tuple[int, ...]) -> None:
    lists = {"ksizes": ksizes, "strides": strides, "rates": rates}
    for name, values in lists.items():
        if values[0] != 1 or values[3] != 1:
            raise UnimplementedError(None, None, f"Only support {name} across space.")
        if values[1] < 1 or values[2] < 1:
            raise OutOfRangeError(None, None, f"{name} is out of range.")


@extract_patches.kernel
def extract_image_patches_kernel(
    images: torch.Tensor,
    *,
    ksizes: tuple[int, ...],
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> Any:
    _check_attrs(ksizes, strides, rates)
    if images.dim() != 4:
        raise invalid(f"input must be 4-dimensional{bracketed(images.shape)}")
    dtype = images.dtype
    if dtype in WIDE_UNSIGNED_TORCH:
        images = images.view(_SIGNED_OF[images.element_size()])
    places = [
        _windows(
            images.shape[axis], ksizes[axis], strides[axis], rates[axis], padding, images.device
        )
        for axis in (1, 2)
    ]
    result = images
    is_inside = all(len(place) and not has_margin for place, has_margin in places)
    if rates[1] == rates[2] == 1 and is_inside and images.numel():
        # Windows of neighbours that are all inside are views: one copy puts them side by side.
        seen = images.unfold(1, ksizes[1], strides[1]).unfold(2, ksizes[2], strides[2])
        moved = seen.permute(0, 1, 2, 4, 5, 3).reshape(*seen.shape[:3], -1)
        return moved.view(dtype) if moved.dtype is not dtype else moved
    for axis, (place, has_margin) in zip((1, 3), places, strict=True):
        size = result.shape[axis]
        flat = place.clamp(0, max(size - 1, 0)).reshape(-1)
        result = result.index_select(axis, flat).unflatten(axis, place.shape)
        if has_margin:
            view = [1] * result.dim()
            view[axis], view[axis + 1] = place.shape
            margin = (place < 0) | (place >= size)
            result = result.masked_fill(margin.reshape(view), 0)
    batch, rows, high, columns, wide, depth = result.shape
    moved = result.permute(0, 1, 3, 2, 4, 5).reshape(batch, rows, columns, high * wide * depth)
    return moved.view(dtype) if moved.dtype is not dtype else moved


def _windows(
    size: int, window: int, stride: int, rate: int, padding: str, device: torch.device
) -> tuple[Any, bool]:
    """Return which rows each window holds, and whether some are outside: those are margin."""
    count = _count(size, window, stride, rate, padding) or 0
    before = 0
    if padding == "SAME":
        reach = window + (window - 1) * (rate - 1)
        before = max((count - 1) * stride + reach - size, 0) // 2
    begins = torch.arange(count, device=device)[:, None] * stride
    rows = begins + torch.arange(window, device=device) * rate - before
    last = (count - 1) * stride + (window - 1) * rate - before
    return rows, before > 0 or last >= size


_GLIMPSE = (
    "(input: float32, size: int32, offsets: float32; centered: bool = True,"
    " normalized: bool = True, uniform_noise: bool = True, noise: string = 'uniform')"
    " -> glimpse: float32"
)
_glimpse = define(
    "ExtractGlimpse" + _GLIMPSE,
    host=("size",),
    devices=("CPU",),
    differentiable=False,
    doc="Return windows of images around offsets, as TensorFlow 1 counts them.",
)


@op("ExtractGlimpseV2" + _GLIMPSE, host=("size",), devices=("CPU",), differentiable=False)
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Any:
    """Return from each image the window of `size` around its offset.

    With `normalized` and `centered`, offsets run from -1 to 1 over the image. What lies outside is
    noise: 'uniform', 'gaussian' or 'zero'.
    """
    return extract_glimpse.bind(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=False,
        noise=noise,
        name=name,
    )


def extract_glimpse_v1(
    input: TensorLike,
    size: TensorLike,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Any:
    """Return from each image the window of `size` around its offset, as TensorFlow 1 counts."""
    return _glimpse(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        name=name,
    )


def glimpse_shape(input: Static, size: Static, offsets: Static, **_: object) -> Dims:
    if input.shape is not None and len(input.shape) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(input.shape)}")
    batch, depth = (None, None) if input.shape is None else (input.shape[0], input.shape[3])
    height, width = (None, None) if size.value is None else size.value.tolist()
    return (batch, height, width, depth)


_glimpse.shape(glimpse_shape)
extract_glimpse.shape(glimpse_shape)


def _first_pixel(offset: float, size: int, window: int, centered: bool, normalized: bool) -> int:
    if normalized:
        offset *= size
        if centered:
            offset = offset / 2 + size / 2 - window / 2
    elif centered:
        offset += size / 2
    return int(offset)


def _first_pixel_v1(offset: float, size: int, window: int, centered: bool, normalized: bool) -> int:
    if normalized:
        offset *= size
    if centered:
        offset = offset / 2 + size / 2
    return int(offset - window / 2)


def _margin(image: torch.Tensor, shape: tuple[int, ...], noise: str) -> Any:
    if noise == "zero":
        return torch.zeros(shape)
    if noise == "gaussian":
        return (torch.randn(shape) * image.std(unbiased=False) + image.mean()).clamp(0, None)
    return torch.rand(shape) * (image.max() - image.min()) + image.min()


def _glimpse_kernel(place: Callable[..., Any]) -> Any:
    def kernel(
        input: Any,
        size: Any,
        offsets: Any,
        *,
        centered: bool,
        normalized: bool,
        uniform_noise: bool,
        noise: str,
    ) -> Any:
        _check_glimpse(input, size, offsets, uniform_noise, noise)
        windows = size.tolist()
        cut = []
        for image, offset in zip(input, offsets.tolist(), strict=True):
            spans = []
            for axis in (0, 1):
                length, window = image.shape[axis], windows[axis]
                first = place(offset[axis], length, window, centered, normalized)
                start, end = max(first, 0), min(first + window, length)
                # A window that begins before the image is filled from its far end.
                at = window - max(window + first, 0) if first < 0 else 0
                spans.append((start, max(end, start), at))
            (top, bottom, y), (left, right, x) = spans
            part = image[top:bottom, left:right]
            glimpse = _margin(image, (*windows, image.shape[2]), noise)
            glimpse[y : y + part.shape[0], x : x + part.shape[1]] = part
            cut.append(glimpse)
        return torch.stack(cut) if cut else input.new_empty((0, *windows, input.shape[3]))

    return kernel


def _check_glimpse(
    input: torch.Tensor,
    size: np.ndarray[Any, Any],
    offsets: torch.Tensor,
    uniform_noise: bool,
    noise: str,
) -> None:
    if uniform_noise and noise != "uniform":
        raise invalid("The uniform_noise and noise could not be specified at the same time")
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got{noise}")
    if input.dim() != 4:
        raise invalid(
            "input must be 4-dimensional (batch_size, height, width, depth)"
            f"{bracketed(input.shape)}"
        )
    if size.shape != (2,):
        raise invalid(f"input must be a vector of size 2 (height, width){bracketed(size.shape)}")
    if size.min() < 0:
        raise invalid(f"size must be non-negative, got {size.tolist()}")
    if offsets.dim() != 2:
        raise invalid(f"input must be a matrix{bracketed(offsets.shape)}")
    if offsets.shape[0] != input.shape[0]:
        raise invalid(f"first dimension should be batch{bracketed(offsets.shape)}")
    if offsets.shape[1] != 2:
        raise invalid(f"second dimension should be of size 2 (y,x){bracketed(offsets.shape)}")
    if not bool(torch.isfinite(offsets).all()):
        raise invalid("offsets must be finite")


_glimpse.kernel(_glimpse_kernel(_first_pixel_v1))
extract_glimpse.kernel(_glimpse_kernel(_first_pixel))
