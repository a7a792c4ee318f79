"""Images made brighter, stronger, shifted in hue; and brought to mean 0 and deviation 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import float16, float32, int32, uint8
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.image.colors import hsv_to_rgb_kernel, recolored, rgb_to_hsv_kernel
from placewise.ops.image.conversion import convert_image_dtype, in_floats
from placewise.ops.image.crop import require
from placewise.ops.image.images import at_least_3d
from placewise.ops.image.jpeg import decode_jpeg, encode_jpeg_variable_quality
from placewise.ops.math.arithmetic import maximum, pow
from placewise.ops.math.cast import cast
from placewise.ops.math.division import divide
from placewise.ops.math.exponential import rsqrt
from placewise.ops.math.reduction import reduce_mean, reduce_prod
from placewise.ops.math.statistics import reduce_std
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.tf1_spelling import add_tf1, after_check, known_shape

_FLOATS = frozenset({float16, float32})


def image_shape(images: Static, *_: Static) -> Dims:
    """Shape rule: that of the images, which must have three dimensions."""
    if images.shape is not None and len(images.shape) < 3:
        raise ValueError(f"Shape must be at least rank 3 but is rank {len(images.shape)}")
    return images.shape


def _check(images: Any, factor: Any, what: str, colors: bool) -> None:
    if images.dim() < 3:
        raise invalid(f"input must be at least 3-D, got shape{bracketed(images.shape)}")
    if factor.dim():
        raise invalid(f"{what} must be scalar: {bracketed(factor.shape)}")
    if colors and images.shape[-1] != 3:
        raise invalid(f"input must have 3 channels but instead has {images.shape[-1]} channels.")


def adjust_brightness(image: Any, delta: TensorLike) -> Any:
    """Return an image with `delta` added, on the scale where white is 1."""
    with in_scope(None, "adjust_brightness") as scope:
        floats, dtype = in_floats(image)
        brighter = add_tf1(floats, cast(delta, floats.dtype), scope)
        return convert_image_dtype(brighter, dtype, saturate=True)


@op(
    "AdjustContrastv2(images: T, contrast_factor: float32) -> output: T",
    T=_FLOATS,
    default_types={"T": dtypes.float32},
)
def adjust_contrast(images: Any, contrast_factor: TensorLike) -> Any:
    """Return images whose distance from each channel's mean is multiplied by a factor."""
    with in_scope(None, "adjust_contrast") as scope:
        floats, dtype = in_floats(images)
        adjusted = adjust_contrast.bind(floats, contrast_factor, name=scope)
        return convert_image_dtype(adjusted, dtype, saturate=True)


adjust_contrast.shape(image_shape)


@adjust_contrast.kernel
def adjust_contrast_kernel(images: torch.Tensor, contrast_factor: torch.Tensor) -> Any:
    _check(images, contrast_factor, "contrast_factor", False)
    floats = images.to(torch.float32)
    array = host_array(floats.contiguous(), torch.float32) if native.code is not None else None
    if array is not None and array.size and 0 < array.shape[-1] <= _MOST_CHANNELS:
        out = np.empty(array.shape, np.float32)
        batch = math.prod(array.shape[:-3])
        native.code.contrast(array, out, batch, array.shape[-1], float(contrast_factor))
        return torch.from_numpy(out).to(images.dtype)
    mean = floats.mean((-3, -2), keepdim=True)
    return ((floats - mean) * contrast_factor + mean).to(images.dtype)


_MOST_CHANNELS = 96  # of what the native module takes


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Return `gain` times the image to the power of `gamma`, on the scale where white is 1."""
    floats, dtype = in_floats(image)
    require(gamma >= 0, "Gamma should be a non-negative real number.")
    return convert_image_dtype(gain * pow(floats, gamma), dtype, saturate=True)


@op(
    "AdjustHue(images: T, delta: float32) -> output: T",
    T=_FLOATS,
    default_types={"T": dtypes.float32},
)
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """Return an RGB image with its hues turned by `delta`, where 1 is the whole circle."""
    if current.interpreter is Scope.eager and (delta < -1 or delta > 1):
        raise ValueError("delta must be in the interval [-1, 1]")
    with in_scope(name, "adjust_hue"):
        floats, dtype = in_floats(image)
        return convert_image_dtype(adjust_hue.bind(floats, delta), dtype)


adjust_hue.shape(image_shape)


@adjust_hue.kernel
def adjust_hue_kernel(images: torch.Tensor, delta: torch.Tensor) -> Any:
    _check(images, delta, "delta", True)
    floats = images.to(torch.float32)
    compiled = recolored(floats, "hue", delta * 6)
    if compiled is not None:
        return compiled.to(images.dtype)
    high, low = floats.amax(-1), floats.amin(-1)
    red, green, blue = floats.unbind(-1)
    span = high - low
    turn = 1 / torch.where(span > 0, span, torch.ones_like(span))
    hue = torch.where(
        red == high,
        (green - blue) * turn,
        torch.where(green == high, (blue - red) * turn + 2, (red - green) * turn + 4),
    )
    hue = torch.where(span > 0, hue, torch.zeros_like(hue))
    hue = torch.remainder(hue + delta * 6, 6)
    # Each channel is at the top, at the bottom, or on its way between the two.
    parts = ((hue - 3).abs() - 1, 2 - (hue - 2).abs(), 2 - (hue - 4).abs())
    turned = torch.stack([low + part.clamp(0, 1) * span for part in parts], -1)
    return turned.to(images.dtype)


@op(
    "AdjustSaturation(images: T, scale: float32) -> output: T",
    T=_FLOATS,
    default_types={"T": dtypes.float32},
)
def adjust_saturation(image: Any, saturation_factor: TensorLike, name: str | None = None) -> Any:
    """Return an RGB image with its saturations multiplied by a factor."""
    with in_scope(name, "adjust_saturation"):
        floats, dtype = in_floats(image)
        return convert_image_dtype(adjust_saturation.bind(floats, saturation_factor), dtype)


adjust_saturation.shape(image_shape)


@adjust_saturation.kernel
def adjust_saturation_kernel(images: torch.Tensor, scale: torch.Tensor) -> Any:
    _check(images, scale, "scale", True)
    compiled = recolored(images.to(torch.float32), "saturation", scale)
    if compiled is not None:
        return compiled.to(images.dtype)
    hue, saturation, value = rgb_to_hsv_kernel(images.to(torch.float32)).unbind(-1)
    changed = torch.stack([hue, (saturation * scale).clamp(0, 1), value], -1)
    return hsv_to_rgb_kernel(changed).to(images.dtype)


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Any:
    """Return an image with the losses of JPEG at a quality of 0 to 100."""
    image = convert_to_tensor(image)
    dtype, channels = image.dtype, image.shape[-1]
    bytes_of = convert_image_dtype(image, uint8, saturate=True)
    encoded = encode_jpeg_variable_quality(bytes_of, convert_to_tensor(jpeg_quality, int32))
    decoded = decode_jpeg(encoded, channels=channels, dct_method=dct_method, name=name)
    return convert_image_dtype(decoded, dtype, saturate=True)


def per_image_standardization(image: Any) -> Any:
    """Return each image with mean 0 and deviation 1, as float32.

    Nearly flat images are divided by 1/sqrt(number of elements) at least.
    """
    with in_scope(None, "per_image_standardization") as scope:
        image = cast(after_check(at_least_3d(image)), float32)
        count = reduce_prod(convert_to_tensor(known_shape(image))[-3:])
        axes = [-1, -2, -3]
        mean = reduce_mean(image, axis=axes, keepdims=True)
        deviation = reduce_std(image, axis=axes, keepdims=True)
        deviation = maximum(deviation, rsqrt(cast(count, float32)))
        made = divide(image - mean, deviation, scope)
        return identity(made) if is_tf1_graph() else made
