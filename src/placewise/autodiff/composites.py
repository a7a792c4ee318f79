"""Gradients by values that are made of several tensors: ragged and sparse ones, operators."""

from __future__ import annotations

from typing import Any

from placewise.ops.array.creation import zeros_like
from placewise.ops.convert import convert_to_tensor


def is_differentiable(tensor: Any) -> bool:
    """Return True for a tensor of a dtype that gradients are defined for."""
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def composite_gradient(source: Any, gradients: list[Any]) -> Any:
    """Return the gradient by a value made of several tensors, as such a value; None if all are.

    A part that nothing flowed to has zeros, one that has no gradients (rows, sizes) stays.
    """
    if all(gradient is None for gradient in gradients):
        return None
    parts = source._components()
    for index, (part, gradient) in enumerate(zip(parts, gradients, strict=True)):
        if gradient is not None:
            # As a tensor: rows of it would be no values of a composite.
            parts[index] = convert_to_tensor(gradient)
        elif is_differentiable(part):
            parts[index] = zeros_like(part)
    return source._from_components(parts)
