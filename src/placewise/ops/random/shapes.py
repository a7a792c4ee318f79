"""Checks and shape rules that random ops share."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.ops.families import bracketed


def sample_shape(shape: Static, *_: Static, **__: object) -> Dims:
    """Shape rule: what the first input says."""
    return from_value(shape)


def size_of(shape: np.ndarray[Any, Any]) -> tuple[list[int], int]:
    """Return the dimensions that a shape input asks for and their product."""
    if shape.ndim != 1:
        raise invalid(
            f"shape must be a vector of {{int32,int64}}, got shape {bracketed(shape.shape)}"
        )
    dims = shape.tolist()
    count = 1
    for each in dims:
        if each < 0:
            raise invalid(f"Dimension {each} must be >= 0")
        count *= each
    if count >= 2**63:
        raise invalid(f"Shape {bracketed(dims)} would have more than 2**63 - 1 elements")
    return dims, count


def ending_in(shape: np.ndarray[Any, Any], broadcasted: tuple[int, ...]) -> tuple[list[int], int]:
    """Return what `size_of` does; the shape must end in that of the parameters."""
    dims, count = size_of(shape)
    if tuple(dims[len(dims) - len(broadcasted) :]) != tuple(broadcasted):
        raise invalid("Shape passed in must end with broadcasted shape.")
    return dims, count


def bounds(minval: np.ndarray[Any, Any], maxval: np.ndarray[Any, Any]) -> tuple[int, int]:
    """Return the limits of integer samples; both must be scalars, the first the smaller."""
    for name, value in (("minval", minval), ("maxval", maxval)):
        if np.ndim(value):
            raise invalid(f"{name} must be 0-D, got shape {bracketed(value.shape)}")
    low, high = int(minval), int(maxval)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    return low, high
