"""Signals cut into overlapping frames, and frames added up to signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import int32
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import as_matrix, expand_dims, reshape, sizes_of, squeeze
from placewise.ops.array.static import get_static_value
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_sum


def whole_number(value: TensorLike) -> Any:
    """Return a scalar argument as an int, a tensor if it is not known; TensorFlow's errors."""
    made = convert_to_tensor(value)
    if made._shape_tuple != ():
        raise ValueError(f"Shape {made.shape} must have rank 0")
    if not made.dtype.is_integer:
        raise invalid(
            "cannot compute FloorDiv as input #1(zero-based) was expected to be a int32 tensor but "
            f"is a {made.dtype.name} tensor [Op:FloorDiv] name: "
        )
    static = get_static_value(made)
    return cast(made, int32) if static is None else int(static)


def at_least_zero(value: int) -> Any:
    """Return a number, or 0 if that is greater."""
    return maximum(value, 0) if isinstance(value, Tensor) else max(0, value)


def frame(
    signal: TensorLike,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: AxisLike = -1,
    name: str | None = None,
) -> Any:
    """Return the pieces of `frame_length` that start every `frame_step` along `axis`.

    `pad_end` fills the last ones up with `pad_value`; otherwise what is too short is left out.
    """
    signal = convert_to_tensor(signal)
    length, step = whole_number(frame_length), whole_number(frame_step)
    if signal._shape_tuple == ():
        raise ValueError(f"Shape {signal.shape} must have rank at least 1")
    if signal._shape_tuple is None and get_static_value(axis) == -1:
        matrix, restored = as_matrix(signal)
        return restored(frame(matrix, length, step, pad_end, pad_value, name=name))
    dims = sizes_of(signal)
    place = list(range(len(dims)))[int(get_static_value(axis))]
    samples = dims[place]
    if isinstance(step, int) and not step:
        raise invalid("Integer division by zero [Op:FloorDiv] name: ")
    if pad_end:
        count = -(-samples // step)
        sides: list[Any] = [[0, 0]] * len(dims)
        sides[place] = [0, at_least_zero(length + step * (count - 1) - samples)]
        filler = convert_to_tensor(pad_value, signal.dtype)
        if filler.shape.rank:
            raise ValueError(f"Shape {filler.shape} must have rank 0")
        padded = pad(signal, sides, constant_values=filler)
        known = list(signal._shape_tuple)
        known[place] = None  # the other dimensions stay
        padded.set_shape(known)
        signal = padded
    else:
        count = at_least_zero(1 + (samples - length) // step)
    places = _places(count, length, step)
    if place:
        return gather(signal, places, axis=place, name=name)
    # Gathered along the first dimension, the gradient would come as slices.
    return squeeze(gather(expand_dims(signal, 0), places, axis=1), [0], name=name)


def _places(count: Any, length: Any, step: Any) -> Any:
    """Return, for each frame, the places of its samples."""
    if any(isinstance(each, Tensor) for each in (count, length, step)):
        return range_of(count)[:, None] * step + range_of(length)[None, :]
    starts = np.arange(count) * step
    return np.add.outer(starts.astype(np.int32), np.arange(length, dtype=np.int32))


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Return the signal whose frames, `frame_step` apart, are given; where they overlap, sums."""
    signal = convert_to_tensor(signal)
    if len(signal._shape_tuple) < 2:
        raise ValueError(f"Shape {signal.shape} must have rank at least 2")
    made = convert_to_tensor(frame_step)
    if not made.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {made.dtype!s}")
    step = whole_number(made)
    *outer, frames, length = sizes_of(signal)
    total = length + step * (frames - 1)
    if isinstance(step, int) and isinstance(length, int):
        if step == length:
            return reshape(signal, [*outer, total], name=name)
        if step <= 0:
            raise invalid(f"Paddings must be non-negative: 0 {-length} [Op:Pad] name: ")
    # Each frame is cut into pieces of one step; pieces that fall on one another are added.
    pieces = -(-length // step)
    rank = len(outer)
    signal = pad(signal, [[0, 0]] * rank + [[0, pieces], [0, pieces * step - length]])
    signal = reshape(signal, [*outer, frames + pieces, pieces, step])
    signal = transpose(signal, [*range(rank), rank + 1, rank, rank + 2])
    signal = reshape(signal, [*outer, (frames + pieces) * pieces, step])
    signal = signal[..., : (frames + pieces - 1) * pieces, :]
    signal = reshape(signal, [*outer, pieces, frames + pieces - 1, step])
    signal = reshape(reduce_sum(signal, -3), [*outer, (frames + pieces - 1) * step])
    return signal[..., :total]
