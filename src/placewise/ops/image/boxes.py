"""Boxes drawn into images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import float16, float32
from placewise.core.errors import invalid
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.image.adjustments import image_shape

_FLOATS = frozenset({float16, float32})

# Without colours of one's own: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, pink.
_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)

_draw_in_own_colors = define(
    "DrawBoundingBoxes(images: T, boxes: float32) -> output: T",
    devices=("CPU",),
    differentiable=False,
    T=_FLOATS,
    doc="Return images with boxes drawn in ten colours that take turns.",
    default_types={"T": dtypes.float32},
)


@op(
    "DrawBoundingBoxesV2(images: T, boxes: float32, colors: float32) -> output: T",
    devices=("CPU",),
    differentiable=False,
    T=_FLOATS,
    default_types={"T": dtypes.float32},
)
def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike, name: str | None = None
) -> Any:
    """Return images with a line of one pixel around each box `[y1, x1, y2, x2]` from 0 to 1.

    `colors` take turns; None means ten of ours.
    """
    if colors is None:
        return _draw_in_own_colors(images, boxes, name)
    return draw_bounding_boxes.bind(images, boxes, colors, name)


_draw_in_own_colors.shape(image_shape)
draw_bounding_boxes.shape(image_shape)


@_draw_in_own_colors.kernel
def draw_bounding_boxes_kernel(images: torch.Tensor, boxes: torch.Tensor) -> Any:
    return _drawn(images, boxes, None)


@draw_bounding_boxes.kernel
def draw_bounding_boxes_v2_kernel(
    images: torch.Tensor, boxes: torch.Tensor, colors: torch.Tensor
) -> Any:
    # TensorFlow has colours of its own where none are passed.
    is_empty = colors.dim() == 2 and not len(colors)
    return _drawn(images, boxes, None if is_empty else colors)


def _drawn(images: Any, boxes: Any, colors: Any) -> Any:
    if images.dim() != 4:
        raise invalid("The rank of the images should be 4")
    if boxes.dim() != 3:
        raise invalid("The rank of the boxes tensor should be 3")
    if images.shape[0] != boxes.shape[0]:
        raise invalid("The batch sizes should be the same")
    depth = images.shape[3]
    if depth not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.shape[2] != 4:
        raise invalid(
            f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}"
        )
    if colors is None:
        own = _COLORS[:, :depth] if depth > 1 else np.ones_like(_COLORS[:, :1])
        palette = torch.from_numpy(own)
    else:
        if colors.dim() != 2:
            raise invalid(f"colors must be a 2-D matrix{bracketed(colors.shape)}")
        if colors.shape[1] < depth:
            raise invalid(
                "colors must have equal or more channels than the image provided: "
                f"{bracketed(colors.shape)}"
            )
        palette = colors[:, :depth]
    palette = palette.to(images.device, images.dtype)
    result = images.clone(memory_format=torch.contiguous_format)
    if native.code is not None and result.numel() and len(palette) and boxes.numel():
        places, shape = np.ascontiguousarray(boxes.numpy()), result.shape[:3]
        colors, pixels = palette.contiguous().view(torch.uint8), result.view(torch.uint8)
        pixel = result.shape[3] * result.element_size()
        native.code.draw_boxes(pixels.numpy(), places, colors.numpy(), (*shape, pixel))
        return result
    for image, several in zip(result, boxes.numpy(), strict=True):
        for index, box in enumerate(several):
            if len(palette):
                _draw(image, box, palette[index % len(palette)])
    return result


def _draw(image: torch.Tensor, box: np.ndarray[Any, Any], color: torch.Tensor) -> None:
    height, width = image.shape[:2]
    y1, x1, y2, x2 = (
        _whole(float(np.float32(value) * np.float32(size - 1)))
        for value, size in zip(box, (height, width, height, width), strict=True)
    )
    if y1 > y2 or x1 > x2 or y1 >= height or y2 < 0 or x1 >= width or x2 < 0:
        return
    top, bottom = max(y1, 0), min(y2, height - 1)
    left, right = max(x1, 0), min(x2, width - 1)
    if y1 >= 0:
        image[top, left : right + 1] = color
    if y2 < height:
        image[bottom, left : right + 1] = color
    if x1 >= 0:
        image[top : bottom + 1, left] = color
    if x2 < width:
        image[top : bottom + 1, right] = color


def _whole(value: float) -> int:
    """Return a number cut to an integer as C does it: what is not finite is very low."""
    return int(value) if math.isfinite(value) else -(2**63)
