"""Resizing by windows of several pixels: bicubic, area, and any kernel with scale and shift."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import float32, float64
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.image.resample import (
    Taps,
    as_float,
    centers,
    check_centers,
    checked_size,
    gathered,
    original_shape,
    ratio,
    resized_shape,
    scattered,
)
from placewise.ops.image.resize_linear import IMAGES, check_grads
from placewise.ops.math.cast import cast

if TYPE_CHECKING:
    import torch


_WAYS = "align_corners: bool = False, half_pixel_centers: bool = False"
_STEPS = 1024
# Below this a sum of weights counts as zero.
_TINY = np.float32(1000) * np.finfo(np.float32).tiny


def _normal(weights: np.ndarray[Any, Any], total: np.ndarray[Any, Any]) -> Any:
    """Return weights that sum to one, unless they sum to nothing."""
    return np.where(np.abs(total) >= _TINY, weights / np.where(total == 0, 1, total), weights)


@functools.cache
def _cubic_table(a: float) -> np.ndarray[Any, Any]:
    """Return the two halves of the cubic kernel at 1025 places, as TensorFlow keeps them."""
    x = (np.arange(_STEPS + 1) / np.float32(_STEPS)).astype(np.float32)
    a32 = np.float32(a)
    near = ((a32 + 2) * x - (a32 + 3)) * x * x + 1
    x = x + 1
    far = ((a32 * x - 5 * a32) * x + 8 * a32) * x - 4 * a32
    return np.stack([near, far], 1).astype(np.float32)


@functools.lru_cache(64)
def cubic_taps(old: int, new: int, align_corners: bool, half: bool) -> Taps:
    """Return bicubic interpolation as four taps."""
    table = _cubic_table(-0.5 if half else -0.75)
    place = centers(old, new, align_corners, half)
    floor = np.floor(place)
    offset = np.rint((place - floor) * _STEPS).astype(np.int64)
    wanted = floor.astype(np.int64)[:, None] + np.arange(-1, 3)
    places = np.clip(wanted, 0, old - 1)
    weights = np.stack(
        [table[offset, 1], table[offset, 0], table[_STEPS - offset, 0], table[_STEPS - offset, 1]],
        1,
    )
    if half:
        # Beyond the edge there is nothing, and what is left is brought back to a sum of one.
        weights = np.where(places == wanted, weights, np.float32(0))
        total = weights.sum(1, keepdims=True)
        weights = _normal(weights, total)
    return Taps(places, weights.astype(np.float32))


@op(
    f"ResizeBicubic(images: T, size: int32; {_WAYS}) -> resized_images: float32",
    host=("size",),
    devices=("CPU",),
    T=IMAGES,
)
def resize_bicubic(
    images: Tensor,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Return images of another size, each pixel a smooth blend of sixteen."""
    return resize_bicubic.bind(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


resize_bicubic.shape(resized_shape)


@resize_bicubic.kernel
def resize_bicubic_kernel(
    images: torch.Tensor,
    size: np.ndarray[Any, Any],
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Any:
    height, width = checked_size(images, size)
    check_centers(align_corners, half_pixel_centers)
    images = as_float(images)
    for axis, new in ((1, height), (2, width)):
        taps = cubic_taps(images.shape[axis], new, align_corners, half_pixel_centers)
        images = gathered(images, axis, taps)
    return images


@resize_bicubic.gradient
def resize_bicubic_gradient(call: Call, dy: Tensor) -> Any:
    images = call.inputs[0]
    if images.dtype not in (float32, float64):
        return None, None
    return resize_bicubic_grad(dy, images, **call.attrs), None


@op(
    f"ResizeBicubicGrad(grads: float32, original_image: T; {_WAYS}) -> output: T",
    devices=("CPU",),
    T=frozenset({float32, float64}),
)
def resize_bicubic_grad(
    grads: Tensor,
    original_image: Tensor,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Any:
    """Return what the gradient of bicubically resized images is for the original ones."""
    return resize_bicubic_grad.bind(
        grads,
        original_image,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


resize_bicubic_grad.shape(original_shape)


@resize_bicubic_grad.kernel
def resize_bicubic_grad_kernel(
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
        taps = cubic_taps(old, new, align_corners, half_pixel_centers)
        grads = scattered(grads, axis, taps, old)
    return grads.to(original_image.dtype)


@resize_bicubic_grad.gradient
def resize_bicubic_grad_gradient(call: Call, dy: Tensor) -> Any:
    size = np.asarray(call.inputs[0].shape.as_list()[1:3], np.int32)
    return cast(resize_bicubic(dy, size, **call.attrs), float32), None


@functools.lru_cache(64)
def area_taps(old: int, new: int, align_corners: bool) -> Taps:
    """Return averaging over the area each output pixel covers, as taps."""
    scale = ratio(old, new, align_corners)
    start = np.arange(new, dtype=np.float32) * scale
    end = np.arange(1, new + 1, dtype=np.float32) * scale
    first = np.floor(start).astype(np.int64)
    count = int((np.ceil(end).astype(np.int64) - first).max())
    wanted = first[:, None] + np.arange(max(count, 1))
    begin = np.maximum(wanted.astype(np.float32), start[:, None])
    stop = np.minimum((wanted + 1).astype(np.float32), end[:, None])
    weights = np.maximum(stop - begin, 0) / scale
    return Taps(np.clip(wanted, 0, old - 1), weights.astype(np.float32))


@op(
    "ResizeArea(images: T, size: int32; align_corners: bool = False) -> resized_images: float32",
    host=("size",),
    devices=("CPU",),
    T=IMAGES,
)
def resize_area(
    images: Tensor, size: TensorLike, align_corners: bool = False, name: str | None = None
) -> Any:
    """Return images of another size, each pixel the mean of the area it covers."""
    return resize_area.bind(images, size, align_corners=align_corners, name=name)


resize_area.shape(resized_shape)


@resize_area.kernel
def resize_area_kernel(
    images: torch.Tensor, size: np.ndarray[Any, Any], *, align_corners: bool
) -> Any:
    height, width = checked_size(images, size)
    images = as_float(images)
    for axis, new in ((1, height), (2, width)):
        images = gathered(images, axis, area_taps(images.shape[axis], new, align_corners))
    return images


def _lanczos(radius: float) -> Any:
    def kernel(x: Any) -> Any:
        safe = np.where(x > 1e-3, x, 1)
        value = radius * np.sin(np.pi * safe) * np.sin(np.pi * safe / radius)
        value = value / (np.pi * np.pi * safe * safe)
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, value))

    return radius, kernel


def _cubic(inner: Callable[..., Any], outer: Callable[..., Any]) -> Any:
    return 2.0, lambda x: np.where(x >= 2, 0, np.where(x >= 1, outer(x), inner(x)))


# Name → radius and weight at a distance.
_KERNELS: dict[str, Any] = {
    "lanczos1": _lanczos(1.0),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "gaussian": (1.5, lambda x: np.where(x >= 1.5, 0, np.exp(-x * x / 0.5))),
    "box": (1.0, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "triangle": (1.0, lambda x: np.maximum(1 - x, 0)),
    "keyscubic": _cubic(
        lambda x: (1.5 * x - 2.5) * x * x + 1, lambda x: ((-0.5 * x + 2.5) * x - 4) * x + 2
    ),
    "mitchellcubic": _cubic(
        lambda x: (7 / 6 * x - 2) * x * x + 8 / 9,
        lambda x: ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9,
    ),
}


@functools.lru_cache(64)
def kernel_taps(
    old: int, new: int, scale: float, shift: float, kernel_type: str, antialias: bool
) -> Taps:
    """Return sampling with a kernel, after the image was scaled and moved, as taps."""
    radius, weight_at = _KERNELS[kernel_type]
    one = np.float32(1)
    back = one / np.float32(scale)
    stretch = max(back, one) if antialias else one
    reach = np.float32(radius) * stretch
    place = (np.arange(new, dtype=np.float32) + np.float32(0.5)) * back - back * np.float32(shift)
    first = np.clip(np.ceil(place - reach - np.float32(0.5)), 0, old - 1).astype(np.int64)
    last = np.clip(np.floor(place + reach - np.float32(0.5)), 0, old - 1).astype(np.int64)
    count = max(int((last - first).max()) + 1, 1)
    wanted = first[:, None] + np.arange(count)
    distance = np.abs(wanted.astype(np.float32) + np.float32(0.5) - place[:, None]) / stretch
    weights = np.where(wanted <= last[:, None], weight_at(distance), 0).astype(np.float32)
    total = weights.sum(1, keepdims=True, dtype=np.float32)
    weights = _normal(weights, total)
    outside = (place < 0) | (place > old)
    weights[outside] = 0
    return Taps(np.minimum(wanted, old - 1), weights.astype(np.float32))


_SCALING = "kernel_type: string = 'lanczos3', antialias: bool = True"


@op(
    f"ScaleAndTranslate(images: T, size: int32, scale: float32, translation: float32; {_SCALING})"
    " -> resized_images: float32",
    host=("size", "scale", "translation"),
    devices=("CPU",),
    T=IMAGES,
)
def scale_and_translate(
    images: Tensor,
    size: np.ndarray[Any, Any],
    scale: np.ndarray[Any, Any],
    translation: np.ndarray[Any, Any],
    kernel_type: str = "lanczos3",
    antialias: bool = True,
    name: str | None = None,
) -> Any:
    """Return images scaled and moved, sampled with a kernel into pictures of `size`."""
    return scale_and_translate.bind(
        images, size, scale, translation, kernel_type=kernel_type, antialias=antialias, name=name
    )


scale_and_translate.shape(resized_shape)


def _pair(values: Any) -> tuple[float, float]:
    if values.ndim != 1:
        raise invalid(f"t must be 1-dimensional{bracketed(values.shape)}")
    if values.size != 2:
        raise invalid(f"t must have two elements{bracketed(values.shape)}")
    first, second = values.tolist()
    return first, second


def _checked_scale(
    scale: np.ndarray[Any, Any], translation: np.ndarray[Any, Any], kernel_type: str
) -> Any:
    if kernel_type not in _KERNELS:
        raise invalid(f"Unrecognized kernel type: {kernel_type}")
    factors, shifts = _pair(scale), _pair(translation)
    if not all(np.isfinite([*factors, *shifts])):
        raise invalid("Scale and translation must be finite.")
    if min(factors) <= 0:
        raise invalid("Scale must be greater than zero.")
    return zip((1, 2), factors, shifts, strict=True)


@scale_and_translate.kernel
def scale_and_translate_kernel(
    images: torch.Tensor,
    size: np.ndarray[Any, Any],
    scale: np.ndarray[Any, Any],
    translation: np.ndarray[Any, Any],
    *,
    kernel_type: str,
    antialias: bool,
) -> Any:
    sizes = (0, *checked_size(images, size))
    images = as_float(images)
    for axis, factor, shift in _checked_scale(scale, translation, kernel_type):
        taps = kernel_taps(
            images.shape[axis], sizes[axis], factor, shift, kernel_type, bool(antialias)
        )
        images = gathered(images, axis, taps)
    return images


@scale_and_translate.gradient
def scale_and_translate_gradient(call: Call, dy: Tensor) -> Any:
    images, _, scale, translation = call.inputs
    if images.dtype is not float32:
        return None, None, None, None
    dx = scale_and_translate_grad(dy, images, scale, translation, **call.attrs)
    return dx, None, None, None


@op(
    "ScaleAndTranslateGrad(grads: T, original_image: T, scale: float32, translation: float32;"
    f" {_SCALING}) -> output: T",
    host=("scale", "translation"),
    devices=("CPU",),
    T=frozenset({float32}),
)
def scale_and_translate_grad(
    grads: Tensor,
    original_image: Tensor,
    scale: np.ndarray[Any, Any],
    translation: np.ndarray[Any, Any],
    kernel_type: str = "lanczos3",
    antialias: bool = True,
    name: str | None = None,
) -> Any:
    """Return what the gradient of scaled and moved images is for the original ones."""
    return scale_and_translate_grad.bind(
        grads,
        original_image,
        scale,
        translation,
        kernel_type=kernel_type,
        antialias=antialias,
        name=name,
    )


scale_and_translate_grad.shape(original_shape)


@scale_and_translate_grad.kernel
def scale_and_translate_grad_kernel(
    grads: torch.Tensor,
    original_image: torch.Tensor,
    scale: np.ndarray[Any, Any],
    translation: np.ndarray[Any, Any],
    *,
    kernel_type: str,
    antialias: bool,
) -> Any:
    check_grads(grads, original_image)
    for axis, factor, shift in _checked_scale(scale, translation, kernel_type):
        old, new = original_image.shape[axis], grads.shape[axis]
        taps = kernel_taps(old, new, factor, shift, kernel_type, bool(antialias))
        grads = scattered(grads, axis, taps, old)
    return grads


@scale_and_translate_grad.gradient
def scale_and_translate_grad_gradient(call: Call, dy: Tensor) -> Any:
    _, _, scale, translation = call.inputs
    size = np.asarray(call.inputs[0].shape.as_list()[1:3], np.int32)
    return scale_and_translate(dy, size, scale, translation, **call.attrs), None, None, None
