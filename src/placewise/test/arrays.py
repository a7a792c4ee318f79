"""What test cases compare: tensors, numbers and nested structures of them, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike

Array = np.ndarray[Any, np.dtype[Any]]


def is_tensor(value: TensorLike) -> bool:
    """Return whether a value is a tensor or variable, without loading what makes them."""
    return callable(getattr(value, "numpy", None)) and hasattr(value, "dtype")


def is_ragged(value: Any) -> bool:
    """Return True for a ragged tensor or its value."""
    return hasattr(value, "nested_row_splits")


def is_uneven(value: Any) -> bool:
    """Return True for what is no array: ragged tensors, and lists of rows of several lengths."""
    if not isinstance(value, list | tuple):
        return is_ragged(value)
    try:
        to_array(value)
    except ValueError:
        return True
    return False


def to_rows(value: Any) -> Any:
    """Return a ragged tensor or value, an array or nested lists as nested lists."""
    if is_ragged(value):
        return value.to_list()
    return value if isinstance(value, list | tuple) else to_array(value).tolist()


def to_mapping(value: Any) -> Any:
    """Return a named tuple, an attrs object or a dataclass as a dictionary; all else as it is."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(type(value), "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in type(value).__attrs_attrs__}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value


def map_structure(function: Callable[[Any], Any], value: Any) -> Any:
    """Return `value` with `function` applied to each leaf of its dicts, lists and tuples."""
    if isinstance(value, Mapping):
        mapped = {key: map_structure(function, item) for key, item in value.items()}
        return mapped if type(value) is dict else type(value)(mapped)  # type: ignore[call-arg]  # a mapping's own copy
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_structure(function, item) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(map_structure(function, item) for item in value)
    if hasattr(type(value), "__tf_flatten__") and hasattr(type(value), "__tf_unflatten__"):
        metadata, parts = value.__tf_flatten__()
        mapped_parts = tuple(map_structure(function, part) for part in parts)
        return type(value).__tf_unflatten__(metadata, mapped_parts)
    return function(value)


def to_array(value: Any) -> Array:
    """Return a tensor, number, or list of either as an array NumPy can compare."""
    if is_tensor(value):
        array = np.asarray(value.numpy())
    elif isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
    else:
        array = np.array(
            map_structure(lambda leaf: leaf.numpy() if is_tensor(leaf) else leaf, value)
        )
    # NumPy's own functions know nothing of bfloat16 and the 8-bit floats.
    return array.astype(np.float32) if array.dtype.name.startswith(("bfloat", "float8")) else array


def is_floating(array: Array) -> bool:
    """Return whether an array can hold NaN."""
    return array.dtype.kind in "fc"


def describe_items(indices: Array, array: Array, limit: int = 10) -> str:
    """Return one line per offending element: where, and its value."""
    lines = [f"  {list(map(int, index))} : {array[tuple(index)]}" for index in indices[:limit]]
    return "\n".join([*lines, "  ..."] if len(indices) > limit else lines)
