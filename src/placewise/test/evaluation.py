"""Tensors of tests as NumPy values: read at once, or run in a session."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise
from placewise.test.arrays import is_tensor, map_structure


def is_eager() -> bool:
    """Return True where ops run at once."""
    tf: Any = placewise
    return bool(tf.executing_eagerly())


def evaluated(tensors: Any) -> Any:
    """Return eager tensors, or a nested structure of them, as NumPy values."""
    return map_structure(_to_numpy, tensors)


def _to_numpy(value: Any) -> Any:
    if value is None or isinstance(value, np.ndarray | np.generic | str | bytes):
        return value
    if hasattr(value, "_value_from_arrays"):  # sparse, ragged, or slices: parts by parts
        return value._value_from_arrays([_to_numpy(part) for part in value._components()])
    if is_tensor(value):
        return value.numpy()
    if callable(value):
        return map_structure(_to_numpy, value())
    raise ValueError(f"Unsupported type {type(value).__name__!r}.")
