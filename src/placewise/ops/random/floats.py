"""Logarithm, sine and cosine of float32, rounded from double precision.

Normal samples should be TensorFlow's; NumPy's and torch's vectorised float32 functions are off in
the last bits more often than a rounded double.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def log32(x: Array) -> Array:
    """Return the natural logarithm of positive float32."""
    return np.log(x.astype(np.float64)).astype(np.float32)


def sincos32(x: Array) -> tuple[Array, Array]:
    """Return sine and cosine of float32."""
    wide = x.astype(np.float64)
    return np.sin(wide).astype(np.float32), np.cos(wide).astype(np.float32)
