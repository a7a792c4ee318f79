"""Undoing a broadcast: what gradients of two-input ops need."""

from __future__ import annotations

from typing import Any

from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.math.reduction import reduce_sum


def broadcast_axes(small: tuple[int, ...], large: tuple[int, ...]) -> list[int]:
    """Return the axes of `large` along which `small` was repeated."""
    missing = len(large) - len(small)
    return [
        axis
        for axis in range(len(large))
        if axis < missing or (small[axis - missing] == 1 and large[axis] != 1)
    ]


def sum_to_shape_of(gradient: Any, like: Any) -> Any:
    """Return `gradient` summed over the axes that broadcasting added to `like`."""
    target = like._shape_tuple
    given = gradient._shape_tuple
    if not is_known(target) or not is_known(given):
        from placewise.ops.array.broadcasting import broadcast_gradient_args

        axes = broadcast_gradient_args(shape_of(like), shape_of(gradient))[0]
        return reshape(reduce_sum(gradient, axes), shape_of(like))
    if target == given:
        return gradient
    axes = broadcast_axes(target, given)
    summed = reduce_sum(gradient, axes) if axes else gradient
    return reshape(summed, shape_of(like))


def is_known(shape: Any) -> bool:
    """Return True if a static shape has no unknown part."""
    return shape is not None and None not in shape
