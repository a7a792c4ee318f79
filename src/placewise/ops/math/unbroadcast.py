"""Undoing a broadcast: what gradients of two-input ops need."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.ops import lazy
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.shape import shape as shape_op
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
        axes = lazy.broadcast_gradient_args(shape_of(like), shape_of(gradient))[0]
        return reshape(reduce_sum(gradient, axes), shape_of(like))
    if target == given:
        return gradient
    axes = broadcast_axes(target, given)
    summed = reduce_sum(gradient, axes) if axes else gradient
    return reshape(summed, shape_of(like))


def axes_to_sum(mine: Any, other: Any) -> tuple[list[int], list[int]] | None:
    """Return the axes, from the back, along which broadcasting repeated `mine` to meet `other`.

    First those `mine` does not have, then those where it has one; None if that cannot be told
    before anything runs.
    """
    if mine is None or other is None:
        return None
    missing: list[int] = []
    single: list[int] = []
    for axis in range(-max(len(mine), len(other)), 0):
        theirs = other[axis] if -axis <= len(other) else 1
        if -axis > len(mine):
            missing.append(axis)
        elif mine[axis] == 1 and theirs != 1:
            if theirs is None:
                return None
            single.append(axis)
        elif mine[axis] is None and theirs != 1:
            return None
    return missing, single


def sum_back(gradient: Any, mine: Any, other: Any) -> Any:
    """Return the gradient of one of two inputs that broadcast, summed to its own shape."""
    found = axes_to_sum(mine._shape_tuple, other._shape_tuple)
    if found is None:
        return sum_to_shape_of(gradient, mine)
    missing, single = found
    if single:
        gradient = reduce_sum(gradient, single, keepdims=True)
    return reduce_sum(gradient, missing) if missing else gradient


def written_back(gradient: Any, call: Any, dy: Any) -> tuple[Any, Any]:
    """Write the gradients of two inputs that broadcast down as TensorFlow 1 does.

    Shapes known only when the graph runs are compared then; equal ones not at all.
    """
    x, y = call.inputs
    shapes = (x._shape_tuple, y._shape_tuple)
    is_static = is_known(shapes[0]) and is_known(shapes[1])
    sides: list[Any] = [None, None]
    if not is_static:
        sizes = (shape_op(x), shape_op(y))
        sides = list(zip(lazy.broadcast_gradient_args(*sizes), sizes, strict=True))
    elif not shapes[0] == shapes[1] == dy._shape_tuple:
        lazy.broadcast_gradient_args(*(np.asarray(each, np.int32) for each in shapes))
        for index, dims in enumerate(shapes):
            if dims != dy._shape_tuple:
                axes = broadcast_axes(dims, dy._shape_tuple)
                sides[index] = np.asarray(axes, np.int32), np.asarray(dims, np.int32)
    of_both = None if isinstance(gradient, tuple) else gradient(call, dy)
    found = []
    for index, side in enumerate(sides):
        one = gradient[index](call, dy) if of_both is None else of_both[index]
        if side is not None and one is not None:
            one = reshape(reduce_sum(one, side[0]), side[1])
        found.append(one)
    return found[0], found[1]


def is_known(shape: Any) -> bool:
    """Return True if a static shape has no unknown part."""
    return shape is not None and None not in shape
