"""The modes "all" and "safe" of `experimental_enable_numpy_behavior`: which dtype two operands get.

An integer beside a float takes the float's dtype, however wide the integer is. In "safe" mode the
result has the dtype of one operand and holds every value of the other; else TypeError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.numpy_api.promotion import asarray

# How many bits of an integer a float holds exactly.
_EXACT_BITS = {
    "bfloat16": 8,
    "float16": 11,
    "float32": 24,
    "float64": 53,
    "complex64": 24,
    "complex128": 53,
}


def converted(mode: str, one: Any, other: Any) -> tuple[Any, Any]:
    """Return two operands as tensors of the dtype that a mode brings them to."""
    dtype = _common(mode, one, other)
    return asarray(one, dtype), asarray(other, dtype)


def _common(mode: str, one: Any, other: Any) -> Any:
    for number, array in ((one, other), (other, one)):
        if type(number) in (int, float, complex):
            return _with_number(mode, number, _dtype(array))
    first, second = _dtype(one), _dtype(other)
    common = _promoted(first, second)
    if mode == "safe" and not (common in (first, second) and _keeps(first, second, common)):
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between ({first}, weak="
            f"False) and ({second}, weak=False) is disallowed. You need to explicitly specify the "
            "dtype in your op, or relax your dtype promotion rules (such as from SAFE mode to ALL "
            "mode)."
        )
    return common


def _with_number(mode: str, number: Any, dtype: Any) -> Any:
    """Return the dtype of an array beside a plain number, which has none of its own."""
    if type(number) is int and dtype != tf.bool:
        return dtype
    if type(number) is float and (dtype.is_floating or dtype.is_complex):
        return dtype
    if type(number) is complex and dtype.is_complex:
        return dtype
    if mode == "safe":
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between ({dtype}, weak="
            f"False) and a Python {type(number).__name__} is disallowed. Cast one of them"
        )
    return tf.as_dtype(np.result_type(dtype.as_numpy_dtype, number))


def _dtype(value: Any) -> Any:
    return value.dtype.base_dtype if hasattr(value, "numpy") else asarray(value).dtype


def _promoted(first: Any, second: Any) -> Any:
    if first == second:
        return first
    exact, inexact = sorted((first, second), key=_is_inexact)
    if _is_inexact(inexact) and not _is_inexact(exact):
        return inexact
    if {first.name, second.name} == {"float16", "bfloat16"}:
        return tf.float32
    if "bfloat16" in (first.name, second.name):
        return second if first.name == "bfloat16" else first
    return tf.as_dtype(np.promote_types(first.as_numpy_dtype, second.as_numpy_dtype))


def _is_inexact(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex)


def _keeps(first: Any, second: Any, common: Any) -> bool:
    """Does `common` hold every value of both?"""
    return not _is_inexact(common) or all(
        _is_inexact(dtype) or dtype == tf.bool or dtype.size * 8 <= _EXACT_BITS[common.name]
        for dtype in (first, second)
    )
