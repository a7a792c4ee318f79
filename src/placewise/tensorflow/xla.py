"""`tensorflow.compiler.tf2xla.python.xla`: the one function of it that Keras uses."""

from __future__ import annotations

from typing import Any

from placewise.ops.array.creation import ones_like
from placewise.ops.array.shape import shape_of
from placewise.ops.array.slice_ops import tensor_strided_slice_update
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.clip import clip_by_value


def dynamic_update_slice(input: Any, update: Any, start_indices: Any) -> Any:
    """Return `input` with `update` in it from `start_indices` on, moved so that it fits."""
    whole, part = convert_to_tensor(input), convert_to_tensor(update)
    size = shape_of(part)
    start = convert_to_tensor(start_indices)
    begin = clip_by_value(start, 0 * start, shape_of(whole) - size)
    return tensor_strided_slice_update(whole, begin, begin + size, ones_like(begin), part)
