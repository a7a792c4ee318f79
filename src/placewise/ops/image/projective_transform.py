"""Images seen through projective transforms: rotated, sheared, moved, zoomed, tilted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.dtypes import FLOATS, int32, int64, uint8
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import ones_like
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.linalg.inverse import inv

if TYPE_CHECKING:
    import numpy as np


_TYPES = FLOATS | {uint8, int32, int64}
_ATTRS = "interpolation: string, fill_mode: string = 'CONSTANT'"

project_v2 = define(
    f"ImageProjectiveTransformV2(images: dtype, transforms: float32, output_shape: int32; {_ATTRS})"
    " -> transformed_images: dtype",
    host=("output_shape",),
    dtype=_TYPES,
    doc="Return images transformed, with zeros for what is outside.",
)
project_v3 = define(
    "ImageProjectiveTransformV3(images: dtype, transforms: float32, output_shape: int32,"
    f" fill_value: float32; {_ATTRS}) -> transformed_images: dtype",
    host=("output_shape",),
    dtype=_TYPES,
    doc="Return images transformed, with a value for what is outside.",
)


@project_v2.shape
@project_v3.shape
def project_shape(
    images: Static, transforms: Static, output_shape: Static, *_: Static, **__: object
) -> Dims:
    first, *_rest, last = images.shape or (None, None)
    sizes = (None, None) if output_shape.value is None else output_shape.value.tolist()
    return (first, *sizes, last)


def _checked(
    images: torch.Tensor, transforms: torch.Tensor, output_shape: np.ndarray[Any, Any]
) -> None:
    if images.dim() != 4:
        raise invalid("Input images must be rank 4")
    if transforms.dim() != 2 or transforms.shape[1] != 8:
        raise invalid("Input transform should be num_images x 8 or 1 x 8")
    if transforms.shape[0] not in (1, images.shape[0]):
        raise invalid("Input transform should be num_images x 8 or 1 x 8")
    if output_shape.shape != (2,):
        raise invalid(f"output shape must have two elements{bracketed(output_shape.shape)}")
    if output_shape.min() <= 0:
        raise invalid("output dimensions must be positive")


@project_v2.kernel
def project_v2_kernel(
    images: torch.Tensor,
    transforms: torch.Tensor,
    output_shape: np.ndarray[Any, Any],
    *,
    interpolation: str,
    fill_mode: str,
) -> Any:
    nothing = torch.zeros((), dtype=torch.float32, device=images.device)
    return project_kernel(
        images, transforms, output_shape, nothing, interpolation=interpolation, fill_mode=fill_mode
    )


@project_v3.kernel
def project_kernel(
    images: torch.Tensor,
    transforms: torch.Tensor,
    output_shape: np.ndarray[Any, Any],
    fill_value: torch.Tensor,
    *,
    interpolation: str,
    fill_mode: str,
) -> Any:
    _checked(images, transforms, output_shape)
    if fill_value.dim():
        raise invalid(f"fill_value must be a scalar{bracketed(fill_value.shape)}")
    if fill_mode.upper() not in _FILLED:
        raise invalid(f"Invalid mode {fill_mode}")
    if interpolation.upper() not in ("NEAREST", "BILINEAR"):
        raise invalid(f"Invalid interpolation {interpolation}.")
    height, width = images.shape[1:3]
    down, across, divisor = _places(transforms, *output_shape.tolist())
    moved = _FILLED[fill_mode.upper()]
    down, across = moved(down, height), moved(across, width)
    read = _reader(images, fill_value.to(images.dtype))
    # A point at infinity reads nothing.
    finite = divisor != 0
    down, across = (
        torch.where(finite, each, torch.full_like(each, -2.0)) for each in (down, across)
    )
    if interpolation.upper() == "NEAREST":
        found = read(_rounded(down), _rounded(across))
    else:
        found = _bilinear(read, down, across)
    return torch.where(finite[..., None], found.to(images.dtype), fill_value.to(images.dtype))


def _places(transforms: Any, rows: int, columns: int) -> tuple[Any, Any, Any]:
    """Return where each pixel comes from: row, column, and what both were divided by."""
    device = transforms.device
    y = torch.arange(rows, dtype=torch.float32, device=device)[None, :, None]
    x = torch.arange(columns, dtype=torch.float32, device=device)[None, None, :]
    a0, a1, a2, b0, b1, b2, c0, c1 = transforms.float().T[:, :, None, None]
    divisor = c0 * x + c1 * y + 1
    return (b0 * x + b1 * y + b2) / divisor, (a0 * x + a1 * y + a2) / divisor, divisor


def _as_is(at: torch.Tensor, size: int) -> Any:
    return at


def _nearest(at: torch.Tensor, size: int) -> Any:
    return at.clamp(0, size - 1)


def _reflected(at: torch.Tensor, size: int) -> Any:
    """Return coordinates folded back at the edges: d c b a | a b c d | d c b a."""
    if size <= 1:
        return torch.zeros_like(at)
    twice = 2 * size
    below = torch.where(at < twice, twice * torch.trunc(-at / twice) + at, at)
    below = torch.where(below < -size, below + twice, -below - 1)
    above = at - twice * torch.trunc(at / twice)
    above = torch.where(above >= size, twice - above - 1, above)
    return torch.where(at < 0, below, torch.where(at > size - 1, above, at)).clamp(0, size - 1)


def _wrapped(at: torch.Tensor, size: int) -> Any:
    """Return coordinates that go on at the other edge: a b c d | a b c d | a b c d."""
    if size <= 1:
        return torch.zeros_like(at)
    last = size - 1
    below = at + size * (torch.trunc(-at / last) + 1)
    above = at - size * torch.trunc(at / last)
    return torch.where(at < 0, below, torch.where(at > last, above, at)).clamp(0, last)


_FILLED = {"CONSTANT": _as_is, "NEAREST": _nearest, "REFLECT": _reflected, "WRAP": _wrapped}


def _rounded(at: torch.Tensor) -> Any:
    """Return the nearest whole number, halves away from zero."""
    return torch.where(at >= 0, torch.floor(at + 0.5), torch.ceil(at - 0.5))


def _reader(images: torch.Tensor, filling: torch.Tensor) -> Any:
    """Return the function that reads pixels at whole coordinates, or what fills the outside."""
    count, height, width = images.shape[:3]
    batch = torch.arange(count, device=images.device)[:, None, None]

    def read(down: torch.Tensor, across: torch.Tensor) -> Any:
        inside = (down >= 0) & (down < height) & (across >= 0) & (across < width)
        row = down.clamp(0, height - 1).long().expand(count, -1, -1)
        column = across.clamp(0, width - 1).long().expand(count, -1, -1)
        return torch.where(inside[..., None], images[batch, row, column], filling)

    return read


def _bilinear(read: Callable[..., Any], down: torch.Tensor, across: torch.Tensor) -> Any:
    top, left = down.floor(), across.floor()
    right = (across - left)[..., None]
    low = (down - top)[..., None]
    above = (1 - right) * read(top, left) + right * read(top, left + 1)
    below = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1)
    return (1 - low) * above + low * below


def _inverse(transforms: Any) -> Any:
    """Return the transforms that undo others."""
    whole = concat([transforms, ones_like(transforms[:, :1])], 1)
    back = reshape(inv(reshape(whole, [-1, 3, 3])), [-1, 9])
    return (back / back[:, 8:])[:, :8]


@project_v2.gradient
@project_v3.gradient
def project_gradient(call: Call, dy: Tensor) -> Any:
    """Send what arrives back through the inverse transform."""
    images, transforms, *rest = call.inputs
    size = shape_of(images)[1:3]
    again = project_v3 if len(rest) == 2 else project_v2
    filling = rest[1:]
    back = again(dy, _inverse(transforms), size, *filling, **call.attrs)
    return (back, *[None] * (len(call.inputs) - 1))
