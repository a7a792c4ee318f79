"""Resizing by the nearest pixel and by two-way linear interpolation."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, SIGNED, float32, float64, int8, int32, uint8, uint16
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import WIDE_UNSIGNED_TORCH, Call, op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.image.resample import (
    Taps,
    as_float,
    centers_on,
    check_centers,
    checked_size,
    original_shape,
    picked,
    ratio,
    resized_shape,
    scattered,
)

IMAGES = FLOATS | SIGNED | {uint8, uint16}
_WAYS = "align_corners: bool = False, half_pixel_centers: bool = False"


@op(
    f"ResizeBilinear(images: T, size: int32; {_WAYS}) -> resized_images: float32",
    host=("size",),
    T=IMAGES,
    gpu_types=FLOATS,
)
def resize_bilinear(
    images: Tensor,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Return images of another size, each pixel interpolated between four."""
    return resize_bilinear.bind(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


resize_bilinear.shape(resized_shape)


def _neighbours(
    old: int, new: int, align_corners: bool, half: bool, device: torch.device
) -> tuple[Any, Any, Any]:
    """Return for each output pixel the two inputs it lies between and how far it is along."""
    place = centers_on(old, new, align_corners, half, device)
    floor = place.floor()
    lower, upper = (end.clamp(0, old - 1).long() for end in (floor, place.ceil()))
    return lower, upper, place - floor


def _between(
    x: torch.Tensor, axis: int, lower: torch.Tensor, upper: torch.Tensor, part: torch.Tensor
) -> Any:
    view = [1] * x.dim()
    view[axis] = len(part)
    first, second = picked(x, axis, lower), picked(x, axis, upper)
    # Equal pixels stay exactly equal, which a sum of two weighted ones would not promise.
    return torch.lerp(first, second, part.reshape(view))


@functools.lru_cache(128)
def _neighbour_arrays(old: int, new: int, align_corners: bool, half: bool) -> tuple[Any, Any, Any]:
    """Return `_neighbours` as arrays, kept: images of one size are resized again and again."""
    lower, upper, part = _neighbours(old, new, align_corners, half, torch.device("cpu"))
    return lower.numpy(), upper.numpy(), part.numpy()


def _resized_in_c(
    images: torch.Tensor, height: int, width: int, align_corners: bool, half: bool
) -> Any:
    """Return images resized by the native module, or None without it or for other memory."""
    if native.code is None or images.dtype not in (torch.float32, torch.uint8):
        return None
    array = host_array(images.contiguous(), images.dtype)
    if array is None or not array.size:
        return None
    batch, old_height, old_width, channels = array.shape
    down = _neighbour_arrays(old_height, height, align_corners, half)
    across = _neighbour_arrays(old_width, width, align_corners, half)
    out = np.empty((batch, height, width, channels), np.float32)
    scratch = np.empty(2 * (width * channels + 1) + old_width * channels + 1, np.float32)
    sizes = (batch, old_height, old_width, channels, array.itemsize)
    native.code.resize_bilinear(array, *down, *across, scratch, out, *sizes)
    return torch.from_numpy(out)


@resize_bilinear.kernel
def resize_bilinear_kernel(
    images: torch.Tensor,
    size: np.ndarray[Any, Any],
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Any:
    height, width = checked_size(images, size)
    check_centers(align_corners, half_pixel_centers)
    old_height, old_width = images.shape[1:3]
    if (height, width) == (old_height, old_width):
        return as_float(images)
    if images.dtype is not torch.uint8:  # the native module reads bytes as they are
        images = as_float(images)
    compiled = _resized_in_c(images, height, width, align_corners, half_pixel_centers)
    if compiled is not None:
        return compiled
    images = as_float(images)
    ways = align_corners, half_pixel_centers, images.device
    low_y, high_y, part_y = _neighbours(old_height, height, *ways)
    across = _neighbours(old_width, width, *ways)
    if images.is_cpu and 2 * height < old_height:  # most rows are not looked at
        rows = torch.unique(torch.cat([low_y, high_y]))
        images = images.index_select(1, rows)
        low_y, high_y = torch.searchsorted(rows, low_y), torch.searchsorted(rows, high_y)
    return _between(_between(images, 2, *across), 1, low_y, high_y, part_y)


@resize_bilinear.gradient
def resize_bilinear_gradient(call: Call, dy: Tensor) -> Any:
    images = call.inputs[0]
    if not images.dtype.is_floating:
        return None, None
    return resize_bilinear_grad(dy, images, **call.attrs), None


@op(f"ResizeBilinearGrad(grads: float32, original_image: T; {_WAYS}) -> output: T", T=FLOATS)
def resize_bilinear_grad(
    grads: Tensor,
    original_image: Tensor,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Any:
    """Return what the gradient of resized images is for the original ones."""
    return resize_bilinear_grad.bind(
        grads,
        original_image,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


resize_bilinear_grad.shape(original_shape)


def linear_taps(old: int, new: int, align_corners: bool, half: bool, device: torch.device) -> Taps:
    """Return linear interpolation as taps."""
    lower, upper, part = _neighbours(old, new, align_corners, half, device)
    return Taps(torch.stack([lower, upper], 1), torch.stack([1 - part, part], 1))


def check_grads(grads: torch.Tensor, original_image: torch.Tensor) -> None:
    """Raise unless gradients and originals are images."""
    if grads.dim() != 4:
        raise invalid(f"input_grad must be 4-dimensional{bracketed(grads.shape)}")
    if original_image.dim() != 4:
        raise invalid(f"original_image must be 4-dimensional{bracketed(original_image.shape)}")


@resize_bilinear_grad.kernel
def resize_bilinear_grad_kernel(
    grads: torch.Tensor,
    original_image: torch.Tensor,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Any:
    check_centers(align_corners, half_pixel_centers)
    check_grads(grads, original_image)
    for axis in (1, 2):
        old, new = original_image.shape[axis], grads.shape[axis]
        taps = linear_taps(old, new, align_corners, half_pixel_centers, grads.device)
        grads = scattered(grads, axis, taps, old)
    return grads.to(original_image.dtype)


@resize_bilinear_grad.gradient
def resize_bilinear_grad_gradient(call: Call, dy: Tensor) -> Any:
    size = np.asarray(call.inputs[0].shape.as_list()[1:3], np.int32)
    return resize_bilinear(dy, size, **call.attrs), None


@op(
    f"ResizeNearestNeighbor(images: T, size: int32; {_WAYS}) -> resized_images: T",
    host=("size",),
    T=IMAGES,
    gpu_types=FLOATS,
)
def resize_nearest_neighbor(
    images: Tensor,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Return images of another size, each pixel a copy of the one nearest to it."""
    return resize_nearest_neighbor.bind(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


resize_nearest_neighbor.shape(resized_shape)


def _nearest(old: int, new: int, align_corners: bool, half: bool, device: torch.device) -> Any:
    scale = float(ratio(old, new, align_corners))
    steps = torch.arange(new, dtype=torch.float32, device=device)
    place = (steps + 0.5 if half else steps) * scale
    # C's roundf: halves go away from zero.
    whole = (place + 0.5).floor() if align_corners else place.floor()
    return whole.clamp(0, old - 1).long()


@resize_nearest_neighbor.kernel
def resize_nearest_neighbor_kernel(
    images: torch.Tensor,
    size: np.ndarray[Any, Any],
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Any:
    height, width = checked_size(images, size)
    check_centers(align_corners, half_pixel_centers)
    if not images.shape[3]:
        raise invalid("image must have at least one channel")
    dtype = images.dtype
    if dtype in WIDE_UNSIGNED_TORCH:
        images = images.view(torch.int16)
    ways = align_corners, half_pixel_centers, images.device
    for axis, new in ((1, height), (2, width)):
        images = picked(images, axis, _nearest(images.shape[axis], new, *ways))
    return images.view(dtype) if images.dtype is not dtype else images


@resize_nearest_neighbor.gradient
def resize_nearest_neighbor_gradient(call: Call, dy: Tensor) -> Any:
    size = shape_of(call.inputs[0])[1:3]
    return resize_nearest_neighbor_grad(dy, size, **call.attrs), None


@op(
    f"ResizeNearestNeighborGrad(grads: T, size: int32; {_WAYS}) -> output: T",
    host=("size",),
    T=FLOATS | {uint8, int8, int32},
    gpu_types=frozenset({float32, float64}) | FLOATS,
)
def resize_nearest_neighbor_grad(
    grads: Tensor,
    size: np.ndarray[Any, Any],
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Any:
    """Return what the gradient of images resized by copying is for the originals of `size`."""
    return resize_nearest_neighbor_grad.bind(
        grads, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


@resize_nearest_neighbor_grad.shape
def resize_nearest_neighbor_grad_shape(grads: Static, size: Static, **_: object) -> Dims:
    return resized_shape(grads, size)


@resize_nearest_neighbor_grad.kernel
def resize_nearest_neighbor_grad_kernel(
    grads: torch.Tensor,
    size: np.ndarray[Any, Any],
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Any:
    height, width = checked_size(grads, size)
    for axis, old in ((1, height), (2, width)):
        place = _nearest(old, grads.shape[axis], align_corners, half_pixel_centers, grads.device)
        shape = list(grads.shape)
        shape[axis] = old
        total = torch.zeros(shape, dtype=grads.dtype, device=grads.device)
        grads = total.index_add(axis, place, grads)
    return grads


@resize_nearest_neighbor_grad.gradient
def resize_nearest_neighbor_grad_gradient(call: Call, dy: Tensor) -> Any:
    size = shape_of(call.inputs[0])[1:3]
    return resize_nearest_neighbor(dy, size, **call.attrs), None
