"""Attributes passed to `tf.raw_ops`: converted to what an op declares, or refused.

Without this a wrong one reaches the kernel, and torch's words reach the user.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.ops.declare import REQUIRED, Attr

_NO_FUNCTIONS = (str, bytes, numbers.Number, list, tuple, dict, type, np.ndarray)


def checked_attribute(attr: Attr, public: str, value: Any) -> Any:
    """Return an attribute as its kind has it; raise TypeError if it is something else.

    `public`: what `tf.raw_ops` calls it. None stands for the default, where there is one.
    """
    if value is None and attr.default is not REQUIRED:
        return attr.default
    kind, is_list = attr.kind, attr.kind.startswith("list(")
    convert = _KINDS.get(kind[5:-1] if is_list else kind)
    if convert is None:
        return value
    if not is_list:
        return convert(value, public)
    if value is None:
        raise _unexpected("list", public, value)
    return [convert(item, public) for item in value]


def _string(value: Any, public: str) -> Any:
    if not isinstance(value, (str, bytes)):
        raise _unexpected("string", public, value)
    return value


def _int(value: Any, public: str) -> int:
    if isinstance(value, (str, bytes)) or value is None:
        raise _unexpected("int", public, value)
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise _unexpected("int", public, value) from None


def _float(value: Any, public: str) -> float:
    if not isinstance(value, (numbers.Real, np.number, np.ndarray)):
        raise _unexpected("float", public, value)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _unexpected("float", public, value) from None


def _bool(value: Any, public: str) -> bool:
    if not isinstance(value, bool):
        raise _unexpected("bool", public, value)
    return value


def _type(value: Any, public: str) -> Any:
    if value is None:
        raise _unexpected("DataType", public, value)
    return as_dtype(value)


def unknown_number(attr: Attr, value: Any) -> int | None:
    """Return a number among an attribute's dtypes that is none; None if there is no such."""
    if attr.kind not in ("type", "list(type)"):
        return None
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if type(item) is int:
            try:
                as_dtype(item)
            except TypeError:
                return item
    return None


def unknown_where_negative(shape: Any) -> Any:
    """Return a shape whose negative dimensions are unknown ones, as in TensorFlow's C++."""
    if not isinstance(shape, (list, tuple)):
        return shape
    return [None if type(size) is int and size < 0 else size for size in shape]


def _shape(value: Any, public: str) -> Any:
    try:
        TensorShape(value)
    except (TypeError, ValueError) as problem:
        words = f"Error converting {public} to a TensorShape: {problem}"
        raise type(problem)(words) from None
    return value


def _function(value: Any, public: str) -> Any:
    if value is None or isinstance(value, _NO_FUNCTIONS):
        raise _unexpected("function", public, value)
    return value


def _unexpected(kind: str, public: str, value: Any) -> TypeError:
    return TypeError(f"Expected {kind} for argument '{public}' not {value!r}.")


def _tensor(value: Any, public: str) -> Any:
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(
            f"Don't know how to convert {value!r} to a TensorProto for argument '{public}'"
        )
    return np.asarray(value)


_KINDS = {"string": _string, "int": _int, "float": _float, "bool": _bool, "type": _type}
_KINDS |= {"func": _function, "tensor": _tensor, "shape": _shape}
