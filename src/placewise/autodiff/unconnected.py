"""What the gradient of a source is that has no part in the target."""

from __future__ import annotations

import enum
from typing import Any


class UnconnectedGradients(enum.Enum):
    """What the gradient of a source is that has no part in the target."""

    NONE = "none"
    ZERO = "zero"


def wants_zeros(unconnected_gradients: Any) -> bool:
    """Return True if zeros are asked for, or raise what TensorFlow raises for other words."""
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: '{unconnected_gradients}'. Give 'none' or "
            "'zero'."
        ) from None
