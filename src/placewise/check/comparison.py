"""Whether two arrays are the same but for rounding; in words if they are not."""

from __future__ import annotations

from typing import Any

import numpy as np

# How far results of a dtype may be apart, as a part of the largest number in the array. A GPU adds
# in another order, and its functions differ in the last bits.
TOLERANCES = {
    "float64": 1e-9,
    "complex128": 1e-9,
    "float32": 1e-4,
    "complex64": 1e-4,
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "float8_e4m3fn": 0.15,
    "float8_e5m2": 0.3,
}


def difference(expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> str:
    """Return how `found` differs from what was expected; empty if it does not.

    >>> difference(np.float32([1, 2]), np.float32([1, 2.5]))
    'largest difference 0.5 at [1]: 2.5 instead of 2.0 (float32, allowed 0.0002)'
    """
    if expected.dtype != found.dtype:
        return f"dtype {found.dtype} instead of {expected.dtype}"
    if expected.shape != found.shape:
        return f"shape {list(found.shape)} instead of {list(expected.shape)}"
    if not expected.size:
        return ""
    tolerance = TOLERANCES.get(str(expected.dtype))
    if tolerance is None:
        return _exact_difference(expected, found)
    kind = np.complex128 if np.iscomplexobj(expected) else np.float64
    return _rounded_difference(expected.astype(kind), found.astype(kind), expected.dtype, tolerance)


def _exact_difference(expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> str:
    wrong = np.argwhere(np.atleast_1d(expected != found))
    if not len(wrong):
        return ""
    many = f"{len(wrong)} of {expected.size} elements differ, the first at"
    return f"{many} {_at(expected, found, tuple(wrong[0]))} ({expected.dtype})"


def _rounded_difference(
    expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any], dtype: Any, tolerance: float
) -> str:
    finite = np.isfinite(expected)
    alike = (expected == found) | (np.isnan(expected) & np.isnan(found))
    wrong = np.argwhere(np.atleast_1d(~alike & ~(finite & np.isfinite(found))))
    if len(wrong):
        return f"at {_at(expected, found, tuple(wrong[0]))} ({dtype})"
    with np.errstate(invalid="ignore"):
        distance = np.where(alike, 0.0, np.abs(expected - found))
    allowed = tolerance * max(1.0, float(np.abs(expected[finite]).max(initial=0.0)))
    largest = float(distance.max())
    if largest <= allowed:
        return ""
    place = np.unravel_index(int(distance.argmax()), distance.shape)
    where = _at(expected, found, tuple(map(int, place)))
    return f"largest difference {largest:.3g} at {where} ({dtype}, allowed {allowed:.3g})"


def _at(expected: np.ndarray[Any, Any], found: np.ndarray[Any, Any], place: tuple[Any, ...]) -> str:
    index = place if expected.ndim else ()
    shown = [int(number) for number in index]
    return f"{shown}: {found[index]} instead of {expected[index]}"
