"""Crops of images, given as boxes of relative coordinates and brought to one size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from placewise import native
from placewise.core.dtypes import SIGNED, DType, float16, float32, float64, uint8, uint16
from placewise.core.errors import OutOfRangeError, invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.values import TORCH

_FLOATS = frozenset({float16, float32, float64})
_TYPES = SIGNED | _FLOATS | {uint8, uint16}


@op(
    "CropAndResize(image: T, boxes: float32, box_ind: int32, crop_size: int32;"
    " method: 'bilinear'|'nearest' = 'bilinear',"
    " extrapolation_value: float = 0.0) -> crops: float32",
    host=("crop_size",),
    T=_TYPES,
)
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Any:
    """Return a crop of `crop_size` for each box, out of the image that `box_indices` names.

    Boxes are `[y1, x1, y2, x2]` from 0 to 1; what lies outside is `extrapolation_value`, and a
    box with its corners exchanged gives a mirrored crop.
    """
    return crop_and_resize.bind(
        image,
        boxes,
        box_indices,
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )


@crop_and_resize.shape
def crop_and_resize_shape(
    image: Static, boxes: Static, box_ind: Static, crop_size: Static, **_: object
) -> Dims:
    for static, rank in ((image, 4), (boxes, 2), (box_ind, 1), (crop_size, 1)):
        if static.shape is not None and len(static.shape) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(static.shape)}")
    count = None if boxes.shape is None else boxes.shape[0]
    if count is None and box_ind.shape is not None:
        count = box_ind.shape[0]
    height, width = (None, None) if crop_size.value is None else crop_size.value.tolist()
    return (count, height, width, None if image.shape is None else image.shape[3])


class _Grid(NamedTuple):
    """Along one axis: where each box's samples lie, the pixels around, and which are inside."""

    lower: Any
    upper: Any
    part: Any
    inside: Any


def _grid(start: torch.Tensor, end: torch.Tensor, old: int, new: int) -> _Grid:
    steps = torch.arange(new, dtype=torch.float32, device=start.device)
    if new > 1:
        scale = (end - start) * (old - 1) / (new - 1)
        place = (start * (old - 1))[:, None] + steps * scale[:, None]
    else:
        place = (0.5 * (start + end) * (old - 1))[:, None]
    inside = (place >= 0) & (place <= old - 1)
    held = torch.where(inside, place, torch.zeros_like(place))
    lower = held.floor()
    return _Grid(lower.long(), held.ceil().long(), held - lower, inside)


def _nearest(grid: _Grid) -> Any:
    return torch.where(grid.part < 0.5, grid.lower, grid.upper)  # halves go up, as C rounds


def _checked_boxes(boxes: torch.Tensor, box_ind: torch.Tensor, batch: int) -> tuple[Any, Any]:
    """Return the image of each box, and None; on a device, where nobody looks, which are none.

    There such boxes count as lying outside of their image.
    """
    if boxes.dim() != 2:
        raise invalid(f"boxes must be 2-D, got: {bracketed(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if box_ind.dim() != 1:
        raise invalid(f"box_indices must be rank 1 but is shape {bracketed(box_ind.shape)}")
    if box_ind.shape[0] != boxes.shape[0]:
        raise invalid("box_index has incompatible shape")
    wrong = OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")
    if boxes.numel() and not batch:
        raise wrong
    outside = (box_ind < 0) | (box_ind >= batch)
    if not boxes.is_cpu:
        return box_ind.clamp(0, max(batch - 1, 0)).long(), outside
    if boxes.numel():
        if not bool(torch.isfinite(boxes).all()):
            raise invalid("Boxes contains at least one element that is not finite")
        if bool(outside.any()):
            raise wrong
    return box_ind.long(), None


def _check_image(image: torch.Tensor) -> None:
    if image.dim() != 4:
        raise invalid(f"input image must be 4-D{bracketed(image.shape)}")
    if not image.shape[1] or not image.shape[2]:
        raise invalid("image dimensions must be positive")


def _grids(boxes: torch.Tensor, sizes: tuple[int, ...], new: Sequence[Any]) -> tuple[_Grid, _Grid]:
    y1, x1, y2, x2 = boxes.unbind(1)
    return _grid(y1, y2, sizes[0], new[0]), _grid(x1, x2, sizes[1], new[1])


def _inside(down: _Grid, across: _Grid, outside: Any) -> Any:
    """Return which samples are inside of an image."""
    inside = down.inside[:, :, None] & across.inside[:, None, :]
    if outside is not None:
        inside = inside & ~outside[:, None, None]
    return inside[..., None]


def _corners(
    image: torch.Tensor, which: torch.Tensor, down: _Grid, across: _Grid
) -> tuple[Any, ...]:
    return tuple(
        image[which[:, None, None], y[:, :, None], x[:, None, :]]
        for y in (down.lower, down.upper)
        for x in (across.lower, across.upper)
    )


def _cropped_in_c(
    image: torch.Tensor,
    boxes: torch.Tensor,
    which: torch.Tensor,
    crop_size: np.ndarray[Any, Any],
    outside: float,
) -> Any:
    """Return crops made by the native module, or None for other memory."""
    pixels = host_array(image.contiguous(), torch.float32)
    corners = host_array(boxes.contiguous(), torch.float32)
    owners = host_array(which, torch.int64)
    if pixels is None or corners is None or owners is None:
        return None
    batch, height, width, channels = image.shape
    rows, columns = crop_size.tolist()
    crops = np.empty((len(boxes), rows, columns, image.shape[3]), np.float32)
    sizes = (batch, height, width, channels)
    native.code.crop_and_resize(pixels, corners, owners, crops, *sizes, rows, columns, outside)
    return torch.from_numpy(crops)


@crop_and_resize.kernel
def crop_and_resize_kernel(
    image: torch.Tensor,
    boxes: torch.Tensor,
    box_ind: torch.Tensor,
    crop_size: np.ndarray[Any, Any],
    *,
    method: str,
    extrapolation_value: float,
) -> Any:
    _check_image(image)
    which, outside = _checked_boxes(boxes, box_ind, image.shape[0])
    if crop_size.ndim != 1:
        raise invalid(f"crop_size must be 1-D{bracketed(crop_size.shape)}")
    if crop_size.size != 2:
        raise invalid(f"crop_size must have two elements{bracketed(crop_size.shape)}")
    if crop_size.min() <= 0:
        raise invalid("crop dimensions must be positive")
    image = image.to(torch.float32)
    if method == "bilinear" and native.code is not None:
        crops = _cropped_in_c(image, boxes, which, crop_size, extrapolation_value)
        if crops is not None:
            return crops
    down, across = _grids(boxes, image.shape[1:3], crop_size.tolist())
    if method == "nearest":
        rows, columns = _nearest(down)[:, :, None], _nearest(across)[:, None, :]
        crops = image[which[:, None, None], rows, columns]
    else:
        high_left, high_right, low_left, low_right = _corners(image, which, down, across)
        x_part, y_part = across.part[:, None, :, None], down.part[:, :, None, None]
        top = high_left + (high_right - high_left) * x_part
        bottom = low_left + (low_right - low_left) * x_part
        crops = top + (bottom - top) * y_part
    return torch.where(_inside(down, across, outside), crops, extrapolation_value)


@crop_and_resize.gradient
def crop_and_resize_gradient(call: Call, dy: Tensor) -> Any:
    image, boxes, box_ind, _ = call.inputs
    method = call.attrs["method"]
    to_image = to_boxes = None
    if image.dtype in _FLOATS:
        to_image = crop_and_resize_grad_image(
            dy, boxes, box_ind, shape_of(image), T=image.dtype, method=method
        )
    if method == "bilinear":  # TensorFlow gives boxes none for the nearest pixel
        to_boxes = crop_and_resize_grad_boxes(dy, image, boxes, box_ind)
    return to_image, to_boxes, None, None


crop_and_resize_grad_image = define(
    "CropAndResizeGradImage(grads: float32, boxes: float32, box_ind: int32, image_size: int32;"
    " T: type, method: 'bilinear'|'nearest' = 'bilinear') -> output: T",
    host=("image_size",),
    doc="Return what the gradient of crops is for the images.",
)


@crop_and_resize_grad_image.shape
def crop_and_resize_grad_image_shape(
    grads: Static, boxes: Static, box_ind: Static, image_size: Static, **_: object
) -> Dims:
    if image_size.shape is not None and len(image_size.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(image_size.shape)}")
    return (None,) * 4 if image_size.value is None else tuple(image_size.value.tolist())


def _check_grads(grads: torch.Tensor, boxes: torch.Tensor) -> None:
    if grads.dim() != 4:
        raise invalid(f"grads image must be 4-D{bracketed(grads.shape)}")
    if grads.shape[0] != boxes.shape[0]:
        raise invalid("boxes and grads have incompatible shape")
    if not grads.shape[1] or not grads.shape[2]:
        raise invalid("grads dimensions must be positive")


@crop_and_resize_grad_image.kernel
def crop_and_resize_grad_image_kernel(
    grads: torch.Tensor,
    boxes: torch.Tensor,
    box_ind: torch.Tensor,
    image_size: np.ndarray[Any, Any],
    *,
    T: DType,  # noqa: N803 - the attribute's name
    method: str,
) -> Any:
    if image_size.ndim != 1:
        raise invalid(f"image_size must be 1-D{bracketed(image_size.shape)}")
    if image_size.size != 4:
        raise invalid(f"image_size must have 4 elements{bracketed(image_size.shape)}")
    batch, height, width, depth = image_size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("image dimensions must be positive")
    if T not in _FLOATS:
        raise invalid(
            f"Value for attr 'T' of {T.name} is not in the list of allowed values: float, half, "
            "double"
        )
    which, outside = _checked_boxes(boxes, box_ind, batch)
    _check_grads(grads, boxes)
    if depth != grads.shape[3]:
        raise invalid("image_size and grads are incompatible")
    down, across = _grids(boxes, (height, width), grads.shape[1:3])
    grads = torch.where(_inside(down, across, outside), grads, 0.0)
    total = torch.zeros((batch, height, width, depth), device=grads.device)
    which = which[:, None, None]
    if method == "nearest":
        rows = [(_nearest(down), 1.0)]
        columns = [(_nearest(across), 1.0)]
    else:
        y_part, x_part = down.part[:, :, None, None], across.part[:, None, :, None]
        rows = [(down.lower, 1 - y_part), (down.upper, y_part)]
        columns = [(across.lower, 1 - x_part), (across.upper, x_part)]
    for y, y_weight in rows:
        for x, x_weight in columns:
            places = torch.broadcast_tensors(which, y[:, :, None], x[:, None, :])
            total = total.index_put(places, grads * y_weight * x_weight, accumulate=True)
    return total.to(TORCH[T])


@crop_and_resize_grad_image.gradient
def crop_and_resize_grad_image_gradient(call: Any, dy: Any) -> Any:
    grads, boxes, box_ind, _ = call.inputs
    size = np.asarray(grads.shape.as_list()[1:3], np.int32)
    crops = crop_and_resize(dy, boxes, box_ind, size, method=call.attrs["method"])
    return crops, None, None, None


crop_and_resize_grad_boxes = define(
    "CropAndResizeGradBoxes(grads: float32, image: T, boxes: float32, box_ind: int32;"
    " method: 'bilinear' = 'bilinear') -> output: float32",
    T=_TYPES,
    doc="Return what the gradient of crops is for the boxes.",
)


@crop_and_resize_grad_boxes.shape
def crop_and_resize_grad_boxes_shape(
    grads: Static, image: Static, boxes: Static, box_ind: Static, **_: object
) -> Dims:
    return boxes.shape


@crop_and_resize_grad_boxes.kernel
def crop_and_resize_grad_boxes_kernel(
    grads: torch.Tensor,
    image: torch.Tensor,
    boxes: torch.Tensor,
    box_ind: torch.Tensor,
    *,
    method: str,
) -> Any:
    _check_image(image)
    which, outside = _checked_boxes(boxes, box_ind, image.shape[0])
    _check_grads(grads, boxes)
    if grads.shape[3] != image.shape[3]:
        raise invalid("image, grads depth differ")
    image = image.to(torch.float32)
    down, across = _grids(boxes, image.shape[1:3], grads.shape[1:3])
    high_left, high_right, low_left, low_right = _corners(image, which, down, across)
    x_part, y_part = across.part[:, None, :, None], down.part[:, :, None, None]
    grads = torch.where(_inside(down, across, outside), grads, 0.0)
    by_y = grads * ((1 - x_part) * (low_left - high_left) + x_part * (low_right - high_right))
    by_x = grads * ((1 - y_part) * (high_right - high_left) + y_part * (low_right - low_left))
    y1, y2 = _ends(by_y.sum((2, 3)), image.shape[1])
    x1, x2 = _ends(by_x.sum((1, 3)), image.shape[2])
    return torch.stack([y1, x1, y2, x2], 1)


def _ends(slopes: torch.Tensor, old: int) -> tuple[Any, Any]:
    """Share each sample's slope between the two ends of the box, by its distance from them."""
    new = slopes.shape[1]
    if new == 1:
        both = slopes[:, 0] * 0.5 * (old - 1)
        return both, both
    along = torch.arange(new, dtype=torch.float32, device=slopes.device) * ((old - 1) / (new - 1))
    return (slopes * (old - 1 - along)).sum(1), (slopes * along).sum(1)
