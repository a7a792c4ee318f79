"""Resampling along one axis: each output is a weighted sum of a few inputs (its taps).

Taps are `[output size, number of taps]` input positions and weights: arrays made on the host, or
tensors made where the images are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise import native
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array


class Taps(NamedTuple):
    """Which inputs make an output, and with what weights."""

    places: Any
    weights: Any


def _columns(taps: Taps, x: torch.Tensor, axis: int) -> Any:
    """Yield places and weights of each tap, shaped to work along `axis` of `x`."""
    view = [1] * x.dim()
    view[axis] = taps.places.shape[0]
    places, weights = _on(taps, x)
    for place, weight in zip(places.T, weights.T, strict=True):
        yield place, weight.reshape(view)


def _on(taps: Taps, x: torch.Tensor) -> tuple[Any, Any]:
    places, weights = torch.as_tensor(taps.places), torch.as_tensor(taps.weights)
    return places.to(x.device, torch.int64), weights.to(x.device, x.dtype)


def picked(x: torch.Tensor, axis: int, places: torch.Tensor) -> Any:
    """Return rows (axis 1) or columns (axis 2) of a batch of images, by their places."""
    if axis != 2:
        return x.index_select(axis, places)
    # torch copies single elements many times faster than short runs of them.
    batch, rows, columns, channels = x.shape
    each = torch.arange(channels, device=x.device)
    flat = (places[:, None] * channels + each).reshape(-1)
    found = x.reshape(batch, rows, columns * channels).index_select(2, flat)
    return found.reshape(batch, rows, len(places), channels)


# With more taps than this, columns are worth being brought to the front.
_MANY = 12


def gathered(x: torch.Tensor, axis: int, taps: Taps) -> Any:
    """Return `x`, a batch of images, resampled along an axis."""
    new, count = taps.places.shape
    array = host_array(x.contiguous(), torch.float32) if native.code is not None else None
    if array is not None and array.size and isinstance(taps.places, np.ndarray):
        out = np.empty((*array.shape[:axis], new, *array.shape[axis + 1 :]), np.float32)
        outer, inner = math.prod(array.shape[:axis]), math.prod(array.shape[axis + 1 :])
        native.code.resample(array, *taps, out, outer, array.shape[axis], inner)
        return torch.from_numpy(out)
    if x.numel() and (axis == 1 or count > _MANY):
        rest = x.movedim(axis, 0)
        places, weights = _on(taps, x)
        sums = torch.nn.functional.embedding_bag(
            places, rest.reshape(x.shape[axis], -1), per_sample_weights=weights, mode="sum"
        )
        return sums.reshape(new, *rest.shape[1:]).movedim(0, axis)
    total = None
    for place, weight in _columns(taps, x, axis):
        part = picked(x, axis, place)
        total = part * weight if total is None else total.addcmul_(part, weight)
    return total


def scattered(dy: torch.Tensor, axis: int, taps: Taps, size: int) -> Any:
    """Return what `gathered` passes back to an input of `size` along an axis: its transpose."""
    shape = list(dy.shape)
    shape[axis] = size
    total = torch.zeros(shape, dtype=dy.dtype, device=dy.device)
    for place, weight in _columns(taps, dy, axis):
        total = total.index_add(axis, place, dy * weight)
    return total


def as_float(images: torch.Tensor) -> Any:
    """Return images as float32, in which TensorFlow's kernels compute."""
    return images.to(torch.float32)


def checked_size(images: torch.Tensor, size: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Return the new height and width; raise in TensorFlow's words if they cannot be."""
    if images.dim() != 4:
        raise invalid(f"input must be 4-dimensional{bracketed(images.shape)}")
    if size.ndim != 1:
        raise invalid(f"shape_t must be 1-dimensional{bracketed(size.shape)}")
    if size.size != 2:
        raise invalid(f"shape_t must have two elements{bracketed(size.shape)}")
    height, width = size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if not images.shape[1] or not images.shape[2]:
        raise invalid("input image must be of non-zero size")
    return height, width


def check_centers(align_corners: bool, half_pixel_centers: bool) -> None:
    """Raise if both ways of placing pixels are asked for."""
    if align_corners and half_pixel_centers:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")


def ratio(old: int, new: int, align_corners: bool) -> np.float32:
    """Return how many input pixels one output pixel stands for."""
    if align_corners and new > 1:
        return np.float32(old - 1) / np.float32(new - 1)
    return np.float32(old) / np.float32(new)


def centers(old: int, new: int, align_corners: bool, half_pixel: bool) -> np.ndarray[Any, Any]:
    """Return where in the input each output pixel lies, in float32 as TensorFlow counts."""
    steps = np.arange(new, dtype=np.float32)
    scale = ratio(old, new, align_corners)
    if half_pixel:
        return (steps + np.float32(0.5)) * scale - np.float32(0.5)
    return steps * scale


def centers_on(
    old: int, new: int, align_corners: bool, half_pixel: bool, device: torch.device
) -> torch.Tensor:
    """Return the same as `centers`, made on a torch device."""
    steps = torch.arange(new, dtype=torch.float32, device=device)
    scale = float(ratio(old, new, align_corners))
    return (steps + 0.5) * scale - 0.5 if half_pixel else steps * scale


def resized_shape(images: Static, size: Static, *_: Static, **__: object) -> Dims:
    """Shape rule: height and width are those of `size`."""
    if size.shape is not None and (len(size.shape) != 1 or size.shape[0] not in (2, None)):
        raise ValueError(f"Dimension must be 2 but is {size.shape[0] if size.shape else 0}")
    batch, channels = None, None
    if images.shape is not None:
        if len(images.shape) != 4:
            raise ValueError(f"Shape must be rank 4 but is rank {len(images.shape)}")
        batch, channels = images.shape[0], images.shape[3]
    height, width = (
        (None, None)
        if size.value is None
        else [None if each < 0 else each for each in size.value.tolist()]
    )
    return (batch, height, width, channels)


def original_shape(grads: Static, original_image: Static, *_: Static, **__: object) -> Dims:
    """Shape rule of resizing's gradients: batch and channels of `grads`, size of the original."""
    if grads.shape is None or original_image.shape is None:
        return (None, None, None, None) if original_image.shape is None else original_image.shape
    return (grads.shape[0], *original_image.shape[1:3], grads.shape[3])
