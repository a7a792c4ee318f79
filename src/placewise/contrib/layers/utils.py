"""Helpers of contrib's layers that programs call: aliases of tensors, sizes, conditions.

`tf.contrib.layers.utils` in TensorFlow 1.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import placewise as tf
from placewise.contrib.layers.shared import (
    aliases_of,
    collect_outputs,
    variable_collections,
)
from placewise.graph.defaults import get_default_graph
from placewise.layers.dropout import smart_cond as choose

NamedOutputs = namedtuple("NamedOutputs", ["name", "outputs"])

collect_named_outputs = collect_outputs
get_variable_collections = variable_collections


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Give a tensor one more name it is collected under."""
    aliases_of(tensor).append(alias.removesuffix("/"))
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """Return the names a tensor is collected under; else its own."""
    found = [alias.removesuffix("/") for alias in aliases_of(tensor)]
    return found or [tensor.name.removesuffix(":0")]


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """Return the names of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(
    collection: Any, clear_collection: bool = False
) -> OrderedDict[str, Any]:
    """Return the tensors of a collection by the names they were collected under."""
    kept = get_default_graph().get_collection_ref(collection)
    found = OrderedDict((alias, each) for each in kept for alias in get_tensor_aliases(each))
    if clear_collection:
        del kept[:]
    return found


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """Return the value, if it is known now."""
    given = value_or_tensor_or_var
    if given is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not tf.is_tensor(given) and not hasattr(given, "op"):
        if dtype and not isinstance(given, dtype):
            raise ValueError(f"It has the wrong type {type(given)} instead of {dtype}")
        return given
    return tf.get_static_value(given) if tf.is_tensor(given) else None


def static_cond(pred: Any, fn1: Any, fn2: Any) -> Any:
    """Return what one of two functions gives, chosen now."""
    if not callable(fn1):
        raise TypeError("fn1 must be callable.")
    if not callable(fn2):
        raise TypeError("fn2 must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred: Any, fn1: Any, fn2: Any, name: str | None = None) -> Any:
    """Return what one of two functions gives, chosen now if it can be."""
    return choose(pred, fn1, fn2)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """Return the last size of a shape, which must be known."""
    return channel_dimension(shape, "NHWC", min_rank)


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """Return the size of the channels, which must be known."""
    dims = shape.as_list() if shape.rank is not None else []
    if len(dims) < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {len(dims)}")
    found = dims[1 if data_format == "NCHW" else -1]
    if found is None:
        raise ValueError("`C` dimension must be known but is None")
    return int(found)


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """Return a pair of what is one number or two."""
    pair = [int_or_tuple] * 2 if isinstance(int_or_tuple, int) else int_or_tuple
    if not isinstance(pair, list | tuple):
        raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")
    if len(pair) != 2:
        raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
    first, second = map(int, pair)
    return first, second


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """Return `n` positive numbers of what is one number or a list."""
    found = list(value) if isinstance(value, (list, tuple)) else [value]
    found = found * n if len(found) == 1 else found
    if len(found) != n or any(each <= 0 for each in found):
        raise ValueError(f"Expected {n} positive integers, got {value}")
    return tuple(int(each) for each in found)
