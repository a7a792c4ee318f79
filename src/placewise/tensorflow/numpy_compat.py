"""TensorFlow's spellings of NumPy functions that mean the same in NumPy 1 and 2."""

from __future__ import annotations

from typing import Any

import numpy as np


def np_array(values: Any, dtype: Any = None, copy: bool | None = True, order: Any = "K") -> Any:
    """Return an array; `copy=False` copies only where it must."""
    if copy:
        return np.array(values, dtype=dtype, order=order)
    return np.asarray(values, dtype=dtype, order=order)


def np_asarray(values: Any, dtype: Any = None, order: Any = None, copy: bool | None = None) -> Any:
    """Return an array, of the memory of `values` where that is possible unless `copy` is True."""
    array = np.asarray(values, dtype=dtype, order=order)
    return array.copy() if copy and array is values else array


def np_where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return places where a condition holds, or items of `x` and `y` chosen by it."""
    if x is None and y is None:
        return np.where(np.atleast_1d(condition))
    return np.where(condition, x, y)


def np_reshape(a: Any, /, shape: Any = None, *, newshape: Any = None, order: Any = "C") -> Any:
    """Return an array in another shape, which either parameter may name."""
    return np.reshape(a, newshape if shape is None else shape, order=order)
