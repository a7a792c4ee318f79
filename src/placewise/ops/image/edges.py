"""Differences between neighbouring pixels: gradients, Sobel's edges, total variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.tile import tile
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import abs
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.nn.depthwise import depthwise_conv2d


def image_gradients(image: TensorLike) -> tuple[Any, Any]:
    """Return the differences to the pixel below and to the right; 0 in the last row and column."""
    image = convert_to_tensor(image)
    if image.shape.rank != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    right = image[:, :, 1:, :] - image[:, :, :-1, :]
    return (
        concat([down, zeros_like(image[:, :1, :, :])], 1),
        concat([right, zeros_like(image[:, :, :1, :])], 2),
    )


_SOBEL = np.stack([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], -1)[
    :, :, None, :
]


def sobel_edges(image: TensorLike) -> Any:
    """Return how strongly images change downwards and to the right, in a last dimension of two."""
    image = convert_to_tensor(image)
    sizes = shape_of(image)
    dtype = image.dtype
    filters = convert_to_tensor(_SOBEL.astype(dtype.as_numpy_dtype), dtype)
    filters = tile(filters, [1, 1, convert_to_tensor(sizes)[-1], 1])
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    found = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    return reshape(found, concat([sizes, [2]], 0))


def total_variation(images: TensorLike, name: str | None = None) -> Any:
    """Return the sum of all differences between neighbours, for each image of a batch."""
    images = convert_to_tensor(images)
    rank = images.shape.rank
    if rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axis = [1, 2, 3] if rank == 4 else None
    down = images[..., 1:, :, :] - images[..., :-1, :, :]
    right = images[..., :, 1:, :] - images[..., :, :-1, :]
    return reduce_sum(abs(down), axis=axis) + reduce_sum(abs(right), axis=axis)
