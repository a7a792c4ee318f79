"""Margins around tensors: pad with a constant, by reflection, by symmetry."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, lessened
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text, text_full
from placewise.ops.array.shape import shape_of
from placewise.ops.array.slice_ops import slice as slice_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.values import Content

_pad = define(
    "Pad(input: T, paddings: Tpaddings) -> output: T",
    host=("paddings",),
    Tpaddings=INDEX,
    doc="Return `input` with zeros around it.",
    static="shapes",
)
_pad_with = define(
    "PadV2(input: T, paddings: Tpaddings, constant_values: T) -> output: T",
    host=("paddings",),
    Tpaddings=INDEX,
    doc="Return `input` with a value around it.",
    static="shapes",
)
_mirror_pad = define(
    "MirrorPad(input: T, paddings: Tpaddings; mode: 'REFLECT'|'SYMMETRIC') -> output: T",
    host=("paddings",),
    Tpaddings=INDEX,
    doc="Return `input` with margins that mirror it.",
)
_mirror_pad_grad = define(
    "MirrorPadGrad(input: T, paddings: Tpaddings; mode: 'REFLECT'|'SYMMETRIC') -> output: T",
    host=("paddings",),
    Tpaddings=INDEX,
    doc="Return `input` without its margins, each added to what it mirrors.",
)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """Return `tensor` with more elements before and after each dimension.

    `tensor`: any tensor.
    `paddings`: one pair [before, after] a dimension.
    `mode`: 'CONSTANT' fills with `constant_values`; 'REFLECT' mirrors the tensor without its
        border, 'SYMMETRIC' with it. Case does not matter.
    `constant_values`: the number to fill with, for 'CONSTANT' only.

    Raises InvalidArgumentError if a mirrored padding is larger than the tensor, ValueError for an
    unknown mode.

    >>> tf.pad([1, 2, 3], [[1, 2]], "SYMMETRIC").numpy()
    array([1, 1, 2, 3, 3, 2], dtype=int32)
    """
    kind = mode.upper()
    if kind == "CONSTANT":
        is_plain = not isinstance(constant_values, Tensor) and np.isscalar(constant_values)
        if is_plain and constant_values == 0:
            return _pad(tensor, paddings, name)
        return _pad_with(tensor, paddings, constant_values, name)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {mode}'
        )
    return _mirror_pad(tensor, paddings, mode=kind, name=name)


def padded_shape(input: Static, paddings: Static, *_: object, **__: object) -> Dims:
    """Shape rule of every kind of padding."""
    if paddings.value is None:
        if input.shape is not None:
            return (None,) * len(input.shape)
        rows = None if paddings.shape is None else paddings.shape[0]
        return None if rows is None else (None,) * rows
    margins = np.asarray(paddings.value)
    if input.shape is None:
        return (None,) * len(margins)
    if margins.ndim != 2 or len(margins) != len(input.shape):
        raise ValueError(f"Shape must be rank {len(margins)} but is rank {len(input.shape)}")
    if (margins < 0).any():
        raise ValueError("Paddings must be non-negative")
    return tuple(
        None if d is None else d + int(before) + int(after)
        for d, (before, after) in zip(input.shape, margins, strict=True)
    )


def _margins(input: Content, paddings: np.ndarray[Any, Any]) -> list[list[int]]:
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {bracketed(paddings.shape)}")
    rank = len(input.shape)
    if len(paddings) != rank and not (rank == 0 and len(paddings) == 0):
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{bracketed(paddings.shape)} {bracketed(input.shape)}"
        )
    margins: list[list[int]] = paddings.tolist()
    for before, after in margins:
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
    return margins


def _padded(input: Any, paddings: np.ndarray[Any, Any], value: Any) -> Any:
    margins = _margins(input, paddings)
    if not isinstance(value, (bytes, torch.Tensor)):
        flat = [size for pair in reversed(margins) for size in pair]
        return torch.constant_pad_nd(input, flat, value)
    shape = [d + sum(pair) for d, pair in zip(input.shape, margins, strict=True)]
    made: Any = (
        text_full(shape, value) if isinstance(value, bytes) else input.new_empty(shape).fill_(value)
    )
    made[tuple(slice(b, b + d) for (b, _), d in zip(margins, input.shape, strict=True))] = input
    return made


_pad.shape(padded_shape)


@_pad.kernel
def pad_kernel(input: Content, paddings: np.ndarray[Any, Any]) -> Any:
    return _padded(input, paddings, b"" if is_text(input) else 0)


@_pad.gradient
def pad_gradient(call: Call, dy: Tensor) -> Any:
    return _without_margins(call, dy), None


def _without_margins(call: Any, dy: Tensor) -> Any:
    x, paddings = call.inputs[:2]
    shape, begin = shape_of(x), paddings[:, 0]
    if isinstance(shape, np.ndarray) and isinstance(begin, np.ndarray):
        shape = shape.astype(begin.dtype)
    return slice_of(dy, begin, shape)


_pad_with.shape(padded_shape)


@_pad_with.kernel
def pad_v2_kernel(input: Content, paddings: np.ndarray[Any, Any], constant_values: Any) -> Any:
    if constant_values.shape != ():
        raise invalid(
            f"constant_values must be a scalar. Found: {bracketed(constant_values.shape)}"
        )
    is_near = is_text(input) or constant_values.is_cpu
    return _padded(input, paddings, constant_values.item() if is_near else constant_values)


@_pad_with.gradient
def pad_v2_gradient(call: Call, dy: Tensor) -> Any:
    inside = _without_margins(call, dy)
    return inside, None, reduce_sum(dy) - reduce_sum(inside)


_mirror_pad.shape(padded_shape)


def _mirrored(size: int, before: int, after: int, mode: str) -> tuple[slice, slice]:
    """Return the parts of an axis that its margins mirror, the one before and the one after it."""
    offset = 0 if mode == "SYMMETRIC" else 1
    limit = size - offset
    if before > limit or after > limit:
        if mode == "SYMMETRIC":
            raise invalid(
                "paddings must be no greater than the dimension size: "
                f"{before}, {after} greater than {size}"
            )
        raise invalid(
            f"paddings must be less than the dimension size: {before}, {after} not less than {size}"
        )
    return slice(offset, offset + before), slice(limit - after, limit)


def _turned(part: Any, axis: int) -> Any:
    return np.flip(part, axis) if is_text(part) else part.flip(axis)


@_mirror_pad.kernel
def mirror_pad_kernel(input: Content, paddings: np.ndarray[Any, Any], *, mode: str) -> Any:
    for axis, (before, after) in enumerate(_margins(input, paddings)):
        first, last = _mirrored(input.shape[axis], before, after, mode)
        if before or after:
            lead = (slice(None),) * axis
            margins = [_turned(input[(*lead, part)], axis) for part in (first, last)]
            parts = [margins[0], input, margins[1]]
            input = np.concatenate(parts, axis) if is_text(input) else torch.cat(parts, axis)
    return input


_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


@_mirror_pad.kernel(on="wide_unsigned")
def wide_mirror_pad_kernel(
    input: torch.Tensor, paddings: np.ndarray[Any, Any], *, mode: str
) -> torch.Tensor:
    # torch cannot turn these round; elements of the same bits it can.
    padded = mirror_pad_kernel(input.view(_SIGNED[input.dtype]), paddings, mode=mode)
    return padded.view(input.dtype)


@_mirror_pad.gradient
def mirror_pad_gradient(call: Call, dy: Tensor) -> Any:
    return _mirror_pad_grad(dy, call.inputs[1], mode=call.attrs["mode"]), None


@_mirror_pad_grad.shape
def mirror_pad_grad_shape(input: Static, paddings: Static, *, mode: str) -> Dims:
    if input.shape is None:
        return None
    if paddings.value is None:
        return (None,) * len(input.shape)
    margins = np.asarray(paddings.value).sum(1).tolist()
    return tuple([lessened(d, margin) for d, margin in zip(input.shape, margins, strict=True)])


@_mirror_pad_grad.kernel
def mirror_pad_grad_kernel(input: Any, paddings: np.ndarray[Any, Any], *, mode: str) -> Any:
    for axis, (before, after) in enumerate(_margins(input, paddings)):
        if before or after:
            size = input.shape[axis] - before - after
            if size < 0:
                raise invalid("Total paddings must be less than the input size")
            first, last = _mirrored(size, before, after, mode)
            lead = (slice(None),) * axis
            left, inner, right = input.split([before, size, after], axis)
            input = inner.clone(memory_format=torch.contiguous_format)
            input[(*lead, first)] += _turned(left, axis)
            input[(*lead, last)] += _turned(right, axis)
    return input


@_mirror_pad_grad.gradient
def mirror_pad_grad_gradient(call: Call, dy: Tensor) -> Any:
    return _mirror_pad(dy, call.inputs[1], mode=call.attrs["mode"]), None


def pad_v1(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Any:
    """Return `tensor` with more elements before and after each dimension: TensorFlow 1's order.

    `tensor`: any tensor.
    `paddings`: one pair [before, after] a dimension.
    `mode`: 'CONSTANT', 'REFLECT' or 'SYMMETRIC', see `tf.pad`.
    `constant_values`: the number to fill with; here it comes after `name`.

    >>> tf.compat.v1.pad([1, 2], [[1, 1]], constant_values=9).numpy()
    array([9, 1, 2, 9], dtype=int32)
    """
    return pad(convert_to_tensor(tensor), paddings, mode, constant_values, name)
