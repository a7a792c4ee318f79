"""`tf.image.resize` and its kin: which resize op a method means, and what surrounds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import zeros
from placewise.ops.array.shape import expand_dims, shape, squeeze
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.control import cond
from placewise.ops.flow.map_fn import map_fn
from placewise.ops.image.crop import pad_to_bounding_box, require
from placewise.ops.image.images import as_batch, at_least_3d, sizes_of, unbatched
from placewise.ops.image.resize_linear import resize_bilinear, resize_nearest_neighbor
from placewise.ops.image.resize_windowed import (
    resize_area,
    resize_bicubic,
    scale_and_translate,
)
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.rounding import floor, round
from placewise.ops.name_scopes import in_scope
from placewise.ops.specs import TensorSpec
from placewise.ops.values import EagerTensor, to_numpy


class ResizeMethod:
    """The ways `tf.image.resize` knows."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


class ResizeMethodV1:
    """The ways TensorFlow 1's `tf.image.resize` knows."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _as_size(size: TensorLike) -> Any:
    try:
        size = convert_to_tensor(size, dtypes.int32, name="size")
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return to_numpy(size._value) if isinstance(size, EagerTensor) else size


def _fitting(images: Tensor, size: np.ndarray[Any, Any]) -> Any:
    """Return the largest size within `size` that keeps the aspect ratio."""
    _, height, width, _ = sizes_of(images)
    if isinstance(size, np.ndarray) and type(height) is int and type(width) is int:
        current = np.asarray([height, width], np.float32)
        with np.errstate(all="ignore"):
            factor = (size.astype(np.float32) / current).min()
            return np.rint(factor * current).astype(np.int32)
    high, wide = cast(height, dtypes.float32), cast(width, dtypes.float32)
    wanted = cast(size, dtypes.float32)
    factor = minimum(wanted[0] / high, wanted[1] / wide)
    return convert_to_tensor(
        [cast(round(factor * high), dtypes.int32), cast(round(factor * wide), dtypes.int32)]
    )


def _resized(
    images: Tensor, size: Any, resizer: Callable[..., Any], keeps_aspect: bool, skips_same: bool
) -> Any:
    if isinstance(images, lazy.RaggedTensor):
        return _resized_one_by_one(images, size, resizer, keeps_aspect, skips_same)
    images = convert_to_tensor(images, name="images")
    dims = images._shape_tuple
    if dims is None:
        raise ValueError("'images' contains no shape.")
    if len(dims) not in (3, 4):
        raise ValueError(
            hint(
                "'images' must have either 3 or 4 dimensions.",
                f"received shape {images.shape}; images have [height, width, channels]: "
                "image[..., tf.newaxis] adds the channels",
            )
        )
    is_batch = len(dims) == 4
    if not is_batch:
        images = expand_dims(images, 0)
    size = _as_size(size)
    if keeps_aspect:
        size = _fitting(images, size)
    same = isinstance(size, np.ndarray) and images._shape_tuple[1:3] == tuple(size.tolist())
    if not (skips_same and same):
        images = resizer(images, size)
    return images if is_batch else squeeze(images, [0])


def _resized_one_by_one(
    images: Any, size: Any, resizer: Callable[..., Any], keeps_aspect: bool, skips_same: bool
) -> Any:
    """Return images of different sizes as one batch of images that are all of one size."""
    if images.shape.rank != 4:
        raise ValueError("tf.image.resize: images.shape.rank must be 4 if images is ragged.")

    def resized(image: Any) -> Any:
        dense = image.to_tensor() if isinstance(image, lazy.RaggedTensor) else image
        return _resized(dense, size, resizer, keeps_aspect, skips_same)

    def empty() -> Any:
        channels = shape(images.flat_values)[-1:]
        return zeros(concat([[0], size, channels], 0))

    def mapped() -> Any:
        known = get_static_value(convert_to_tensor(size))
        high_and_wide = [None, None] if known is None or keeps_aspect else known.tolist()
        spec = TensorSpec([*high_and_wide, images.shape[3]], dtypes.float32)
        return map_fn(resized, images, fn_output_signature=spec)

    # A loop that makes no element could not tell how many channels its result has.
    if images.shape[0] is not None:
        return mapped() if images.shape[0] else empty()
    return cond(images.nrows() == 0, empty, mapped)


def _with_kernel(images: Tensor, size: np.ndarray[Any, Any], kernel: str, antialias: bool) -> Any:
    dims = images._shape_tuple
    if isinstance(size, np.ndarray) and None not in dims[1:3]:
        with np.errstate(all="ignore"):
            scale: Any = size.astype(np.float32) / np.asarray(dims[1:3], np.float32)
    else:
        scale = cast(size, dtypes.float32) / cast(shape(images)[1:3], dtypes.float32)
    return scale_and_translate(
        images, size, scale, np.zeros(2, np.float32), kernel_type=kernel, antialias=antialias
    )


_WINDOWED = ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def resize(
    images: Any,
    size: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Return images of another size.

    `images`: [batch, height, width, channels] or [height, width, channels]; a ragged batch may
        hold images of different sizes.
    `size`: the new height and width, two integers.
    `method`: 'bilinear', 'nearest', 'bicubic', 'area', 'lanczos3', 'lanczos5', 'gaussian' or
        'mitchellcubic', or a member of `tf.image.ResizeMethod`.
    `preserve_aspect_ratio`: keep the ratio of height to width; `size` is then the largest allowed.
    `antialias`: smooth images that shrink; 'nearest' and 'area' ignore it.

    The result is float32, for 'nearest' of the dtype of `images`. Raises ValueError for another
    rank, an unknown method or a size that is not two integers.

    >>> tf.image.resize(tf.ones([4, 4, 3]), [2, 2]).shape
    TensorShape([2, 2, 3])
    """

    def resizer(batch: Tensor, new: np.ndarray[Any, Any]) -> Any:
        if method == ResizeMethod.BILINEAR:
            if antialias:
                return _with_kernel(batch, new, "triangle", True)
            return resize_bilinear(batch, new, half_pixel_centers=True)
        if method == ResizeMethod.NEAREST_NEIGHBOR:
            return resize_nearest_neighbor(batch, new, half_pixel_centers=True)
        if method == ResizeMethod.BICUBIC:
            if antialias:
                return _with_kernel(batch, new, "keyscubic", True)
            return resize_bicubic(batch, new, half_pixel_centers=True)
        if method == ResizeMethod.AREA:
            return resize_area(batch, new)
        if method in _WINDOWED:
            return _with_kernel(batch, new, method, bool(antialias))
        raise ValueError(
            hint(
                f"Resize method is not implemented: {method}",
                "take one of tf.image.ResizeMethod: bilinear, nearest, bicubic, area, lanczos3, "
                "lanczos5, gaussian, mitchellcubic",
            )
        )

    with in_scope(name, "resize"):
        return _resized(images, size, resizer, preserve_aspect_ratio, False)


def resize_images(
    images: Any,
    size: TensorLike,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Return images of another size, with pixels placed as TensorFlow 1 does."""

    def resizer(batch: Tensor, new: TensorLike) -> Any:
        if method in (ResizeMethodV1.BILINEAR, ResizeMethod.BILINEAR):
            return resize_bilinear(batch, new, align_corners=align_corners)
        if method in (ResizeMethodV1.NEAREST_NEIGHBOR, ResizeMethod.NEAREST_NEIGHBOR):
            return resize_nearest_neighbor(batch, new, align_corners=align_corners)
        if method in (ResizeMethodV1.BICUBIC, ResizeMethod.BICUBIC):
            return resize_bicubic(batch, new, align_corners=align_corners)
        if method in (ResizeMethodV1.AREA, ResizeMethod.AREA):
            return resize_area(batch, new, align_corners=align_corners)
        raise ValueError(
            hint(
                f"Resize method is not implemented: {method}",
                "take one of tf.image.ResizeMethod: bilinear, nearest, bicubic, area, lanczos3, "
                "lanczos5, gaussian, mitchellcubic",
            )
        )

    with in_scope(name, "resize"):
        return _resized(images, size, resizer, preserve_aspect_ratio, True)


def _resized_and_padded(
    image: Tensor, target_height: int, target_width: int, resizer: Callable[..., Any]
) -> Any:
    images, was_batch = as_batch(image)
    at_least_3d(images)
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    _, height, width, _ = sizes_of(images)
    high, wide = cast(height, dtypes.float32), cast(width, dtypes.float32)
    target_high = cast(target_height, dtypes.float32)
    target_wide = cast(target_width, dtypes.float32)
    shrink = maximum(wide / target_wide, high / target_high)
    new_high, new_wide = high / shrink, wide / shrink
    new_size = [cast(floor(new_high), dtypes.int32), cast(floor(new_wide), dtypes.int32)]
    margins: list[Any] = [
        maximum(0, cast(floor((target - new) / 2), dtypes.int32))
        for target, new in ((target_high, new_high), (target_wide, new_wide))
    ]
    if all(isinstance(each, EagerTensor) for each in margins):
        margins = [int(each) for each in margins]
    resized = resizer(images, new_size)
    padded = pad_to_bounding_box(resized, margins[0], margins[1], target_height, target_width)
    return unbatched(padded, was_batch)


def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Any:
    """Return an image resized with its aspect ratio kept, and padded with zeros to the target."""
    return _resized_and_padded(
        image,
        target_height,
        target_width,
        lambda batch, size: resize(batch, size, method, antialias=antialias),
    )


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
) -> Any:
    """Return what `resize_with_pad` does, with pixels placed as TensorFlow 1 does."""
    return _resized_and_padded(
        image,
        target_height,
        target_width,
        lambda batch, size: resize_images(batch, size, method, align_corners=align_corners),
    )
