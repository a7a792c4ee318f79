"""What is asked of an image before anything is done with it: its rank, its size, its batch."""

from __future__ import annotations

from typing import Any

from placewise.core.tensor import Tensor
from placewise.ops.array.shape import expand_dims, shape, squeeze
from placewise.ops.convert import convert_to_tensor


def at_least_3d(image: Tensor) -> Any:
    """Return an image as a tensor; ValueError unless it has three dimensions or more, not empty."""
    image = convert_to_tensor(image)
    dims = image._shape_tuple
    if dims is None:
        return image
    if len(dims) < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if 0 in dims[-3:]:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    return image


def rank_of(image: Any, space: str = " ") -> int:
    """Return 3 for an image and 4 for a batch; an image of unknown rank counts as one."""
    dims = image._shape_tuple
    if dims is None:
        return 3
    if len(dims) not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}){space}must have either 3 or 4 dimensions.")
    return len(dims)


def as_batch(image: Tensor) -> tuple[Any, bool]:
    """Return an image as a batch of one, a batch as it is, and whether it was one."""
    image = convert_to_tensor(image)
    if rank_of(image) == 4:
        return image, True
    return expand_dims(image, 0), False


def unbatched(images: Tensor, was_batch: bool) -> Any:
    """Return the one image of a batch that `as_batch` made; a true batch as it is."""
    return images if was_batch else squeeze(images, [0])


def sizes_of(images: Any) -> list[Any]:
    """Return the sizes of a batch: integers where they are known, else scalar tensors."""
    dims = images._shape_tuple or (None,) * 4
    if None not in dims:
        return list(dims)
    dynamic = shape(images)
    return [dynamic[i] if d is None else d for i, d in enumerate(dims)]
