"""Small facts that arrangement kernels need about contents: strings are NumPy, the rest torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
from placewise.memory.allocation import sharing
from placewise.ops.families import bracketed

_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def is_text(value: Any) -> bool:
    """Return True for the content of a string tensor."""
    return isinstance(value, np.ndarray)


def seen_as(value: Any, dtype: torch.dtype) -> Any:
    """Return the bytes of a content as another dtype, of which torch makes no view."""
    made = value.view(dtype)
    return made if made._base is not None else sharing(made, value)


def signed(value: Any) -> Any:
    """Return wide unsigned integers seen as signed ones of that width, other contents as is.

    For kernels that only move elements: torch moves signed integers everywhere.
    """
    kind = _SIGNED.get(value.dtype) if isinstance(value, torch.Tensor) else None
    return value if kind is None else seen_as(value, kind)


def moving(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel for wide unsigned integers of an op that only moves elements."""

    def moved(*values: Any, **attrs: Any) -> Any:
        kind = next(v.dtype for v in values if getattr(v, "dtype", None) in _SIGNED)
        result = kernel(*[signed(value) for value in values], **attrs)
        return seen_as(result, kind)

    return moved


def sizes(value: Any, what: str) -> list[int]:
    """Return a host vector of sizes as a list; none may be negative."""
    if value.ndim > 1:
        raise invalid(f"{what} must represent a vector, got shape {bracketed(value.shape)}")
    found: list[int] = value.reshape(-1).tolist()
    for size in found:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return found


def product(dims: Any) -> int:
    """Return the product of some sizes."""
    count = 1
    for d in dims:
        count *= d
    return count


def text_full(shape: Any, value: bytes) -> np.ndarray[Any, Any]:
    """Return a content of strings that are all the same."""
    made = np.empty(tuple(shape), dtype=object)
    made.fill(value)
    return made
