"""Colour spaces: RGB to and from HSV, YIQ, YUV and grey."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, float32
from placewise.core.errors import FailedPreconditionError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.shape import expand_dims
from placewise.ops.array.tile import tile
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.image.conversion import convert_image_dtype
from placewise.ops.linalg.einsum import tensordot


def _check_colors(images: torch.Tensor) -> None:
    if not images.dim():
        raise invalid(f"input must be at least 1D{bracketed(images.shape)}")
    if images.shape[-1] != 3:
        raise FailedPreconditionError(
            None,
            None,
            f"input must have 3 channels but input only has {images.shape[-1]} channels.",
        )


def three_channels(images: Static, *_: Static, **__: object) -> Dims:
    """Shape rule: the same, with three channels at the end."""
    if images.shape is None:
        return None
    if not images.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if images.shape[-1] not in (3, None):
        raise ValueError(f"Dimension must be 3 but is {images.shape[-1]}")
    return (*images.shape[:-1], 3)


@op(
    "RGBToHSV(images: T) -> output: T",
    T=FLOATS,
    default_types={"T": dtypes.float32},
)
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Any:
    """Return hue, saturation and value of RGB colours; all lie in [0, 1]."""
    return rgb_to_hsv.bind(images, name)


rgb_to_hsv.shape(three_channels)


def recolored(images: torch.Tensor, how: Literal["hue", "saturation", "hsv"], amount: Any) -> Any:
    """Return images recolored by the native module, or None without it or for other memory."""
    array = host_array(images.contiguous(), torch.float32) if native.code is not None else None
    if array is None:
        return None
    out = np.empty(array.shape, np.float32)
    native.code.recolor(array, out, how, float(amount))
    return torch.from_numpy(out)


@rgb_to_hsv.kernel
def rgb_to_hsv_kernel(images: torch.Tensor) -> Any:
    _check_colors(images)
    compiled = recolored(images, "hsv", 0.0)
    if compiled is not None:
        return compiled
    red, green, blue = images.unbind(-1)
    value, low = images.amax(-1), images.amin(-1)
    span = value - low
    zero = torch.zeros((), dtype=images.dtype, device=images.device)
    # The denominators of grey and black are replaced, so that no NaN enters a gradient.
    saturation = torch.where(value > 0, span / torch.where(value > 0, value, zero + 1), zero)
    turn = 1 / (6 * torch.where(span > 0, span, zero + 1))
    hue = torch.where(
        red == value,
        turn * (green - blue),
        torch.where(green == value, turn * (blue - red) + 2 / 6, turn * (red - green) + 4 / 6),
    )
    hue = torch.where(span > 0, hue, zero)
    return torch.stack([torch.where(hue < 0, hue + 1, hue), saturation, value], -1)


@op(
    "HSVToRGB(images: T) -> output: T",
    differentiable=False,
    T=FLOATS,
    default_types={"T": dtypes.float32},
)
def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Any:
    """Return RGB colours of hue, saturation and value."""
    return hsv_to_rgb.bind(images, name)


hsv_to_rgb.shape(three_channels)


@hsv_to_rgb.kernel
def hsv_to_rgb_kernel(images: torch.Tensor) -> Any:
    _check_colors(images)
    hue, saturation, value = images.unbind(-1)
    turn = hue * 6
    parts = (
        (turn - 3).abs() - 1,
        2 - (turn - 2).abs(),
        2 - (turn - 4).abs(),
    )
    rest = 1 - saturation
    return torch.stack([(rest + saturation * part.clamp(0, 1)) * value for part in parts], -1)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Any:
    """Return the brightness of RGB colours, with one channel at the end."""
    images = convert_to_tensor(images)
    weights = convert_to_tensor([0.2989, 0.587, 0.114])
    grey = tensordot(convert_image_dtype(images, float32), weights, [-1, -1])
    return convert_image_dtype(expand_dims(grey, -1), images.dtype, name=name)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Any:
    """Return grey images with their one channel three times."""
    images = convert_to_tensor(images)
    dims = images._shape_tuple
    if dims is None:
        raise ValueError("A grayscale image must have a known rank.")
    if len(dims) < 2:
        raise ValueError(
            f"A grayscale image (shape {images.shape}) must be at least two-dimensional."
        )
    if None not in dims and dims[-1] != 1:
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return tile(images, [1] * (len(dims) - 1) + [3], name=name)


def _linear(images: Any, matrix: Any) -> Any:
    images = convert_to_tensor(images)
    last = len(images.shape) - 1
    return tensordot(images, convert_to_tensor(matrix, images.dtype), axes=[[last], [0]])


_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_FROM_YIQ = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def rgb_to_yiq(images: Any) -> Any:
    """Return RGB colours in the YIQ space of NTSC television."""
    return _linear(images, _TO_YIQ)


def yiq_to_rgb(images: Any) -> Any:
    """Return YIQ colours as RGB."""
    return _linear(images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Any:
    """Return RGB colours in the YUV space of PAL television."""
    return _linear(images, _TO_YUV)


def yuv_to_rgb(images: Any) -> Any:
    """Return YUV colours as RGB."""
    return _linear(images, _FROM_YUV)
