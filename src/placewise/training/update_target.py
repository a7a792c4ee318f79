"""What an optimizer reaches a variable through: its reference, or its handle."""

from __future__ import annotations

from typing import Any

from placewise.core.tensor import Tensor


def is_updatable(variable: Any) -> bool:
    """Return True if it is a variable, not a mere tensor."""
    return hasattr(variable, "_ref") or hasattr(variable, "handle")


def update_target(variable: Any) -> Any:
    """Return the reference or handle of a variable; a tensor is itself."""
    if isinstance(variable, Tensor):
        return variable
    if hasattr(variable, "_ref"):
        return variable._ref()
    if hasattr(variable, "handle"):
        return variable.handle
    raise AttributeError(f"{type(variable).__name__!r} object has no attribute 'op'")
