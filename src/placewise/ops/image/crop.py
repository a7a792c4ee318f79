"""Parts of images and images with margins: crops and paddings by pixels and by fractions."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import stack
from placewise.ops.array.indexing import slice
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import Assert
from placewise.ops.image.images import as_batch, at_least_3d, sizes_of, unbatched
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.cast import cast
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.tf1_spelling import after_check
from placewise.ops.values import EagerTensor


def require(condition: Any, message: str) -> None:
    """Raise ValueError unless a condition holds; if it is a tensor, as the op Assert does."""
    if isinstance(condition, Tensor):
        Assert(condition, [message])
    elif not condition:
        raise ValueError(message)


def central_crop(image: Any, central_fraction: Any) -> Any:
    """Return the middle of an image: this fraction of its height and width."""
    image = convert_to_tensor(image)
    fraction = central_fraction
    if isinstance(fraction, EagerTensor):
        fraction = fraction.numpy()
    if not isinstance(fraction, Tensor):
        if fraction <= 0.0 or fraction > 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if fraction == 1.0:
            return image
    image = at_least_3d(image)
    dims = image._shape_tuple
    if dims is None or len(dims) not in (3, 4):
        raise ValueError(
            "`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = "
            f"{None if dims is None else len(dims)}."
        )
    begin, size = [], []
    sizes = sizes_of(image)
    for axis, count in enumerate(sizes):
        if axis in (len(dims) - 3, len(dims) - 2):
            start = _margin(count, fraction)
            begin.append(start)
            size.append(count - start * 2)
        else:
            begin.append(0)
            size.append(-1)
    return slice(image, begin, size)


def _margin(count: Any, fraction: Any) -> Any:
    if isinstance(count, Tensor) or isinstance(fraction, Tensor):
        whole = cast(count, dtypes.float64)
        return cast((whole - whole * cast(fraction, dtypes.float64)) / 2, dtypes.int32)
    return int((float(count) - float(count) * fraction) / 2)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Return an image of the target size, zero but for `image` at the offset."""
    with in_scope(None, "pad_to_bounding_box"):
        return _padded(image, offset_height, offset_width, target_height, target_width)


def _padded(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    images, was_batch = as_batch(image)
    _, height, width, _ = sizes_of(images)
    after_width = target_width - offset_width - width
    after_height = target_height - offset_height - height
    at_least_3d(images)
    require(offset_height >= 0, "offset_height must be >= 0")
    require(offset_width >= 0, "offset_width must be >= 0")
    require(after_width >= 0, "width must be <= target - offset")
    require(after_height >= 0, "height must be <= target - offset")
    margins: Any = [[0, 0], [offset_height, after_height], [offset_width, after_width], [0, 0]]
    images = after_check(images)
    if is_tf1_graph():
        margins = reshape(stack([each for pair in margins for each in pair]), [4, 2])
    return unbatched(pad(images, margins), was_batch)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Return the part of an image that begins at the offset and has the target size."""
    with in_scope(None, "crop_to_bounding_box"):
        return _cropped(image, offset_height, offset_width, target_height, target_width)


def _cropped(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    images, was_batch = as_batch(image)
    at_least_3d(images)
    _, height, width, _ = sizes_of(images)
    require(offset_width >= 0, "offset_width must be >= 0.")
    require(offset_height >= 0, "offset_height must be >= 0.")
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    require(width >= target_width + offset_width, "width must be >= target + offset.")
    require(height >= target_height + offset_height, "height must be >= target + offset.")
    begin: Any = [0, offset_height, offset_width, 0]
    size: Any = [-1, target_height, target_width, -1]
    images = after_check(images)
    if is_tf1_graph():
        begin, size = stack(begin), stack(size)
    return unbatched(slice(images, begin, size), was_batch)


def _larger(x: Any, y: Any) -> Any:
    return maximum(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else max(x, y)


def _smaller(x: Any, y: Any) -> Any:
    return minimum(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else min(x, y)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """Return an image of the target size: cut in the middle where larger, padded where smaller."""
    with in_scope(None, "resize_image_with_crop_or_pad"):
        return _fitted(image, target_height, target_width)


def _fitted(image: Any, target_height: Any, target_width: Any) -> Any:
    images, was_batch = as_batch(image)
    images = after_check(at_least_3d(images))
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    _, height, width, _ = sizes_of(images)
    wider, higher = target_width - width, target_height - height
    cropped = crop_to_bounding_box(
        images,
        _larger(-higher // 2, 0),
        _larger(-wider // 2, 0),
        _smaller(target_height, height),
        _smaller(target_width, width),
    )
    resized = pad_to_bounding_box(
        cropped, _larger(higher // 2, 0), _larger(wider // 2, 0), target_height, target_width
    )
    return unbatched(after_check(resized), was_batch)
