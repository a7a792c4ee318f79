"""What a run is fed: which tensors, and their values as arrays that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import hint
from placewise.graph.tensor import GraphTensor
from placewise.ops.convert import host_constant
from placewise.session.handles import TensorHandle

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


def fed(graph: Graph, feed_dict: Any) -> tuple[list[GraphTensor], list[Any]]:
    """Return the tensors that are fed, and their values as arrays of their dtypes."""
    feeds: list[GraphTensor] = []
    arrays: list[Any] = []
    for key, value in feed_dict.items():
        if (
            type(key) is GraphTensor
            and type(value) is np.ndarray
            and value.dtype == key._dtype._numpy
            and key.op.graph is graph
            and not graph._unfeedable
            and value.dtype.kind in "fiub"
            and fits(key._dims, value.shape)
        ):
            feeds.append(key)
            arrays.append(value)
            continue
        for tensor, part in _pairs(graph, key, value):
            feeds.append(tensor)
            arrays.append(_array(tensor, part))
    return feeds, arrays


def _pairs(graph: Graph, key: Any, value: Any) -> list[tuple[GraphTensor, Any]]:
    if isinstance(key, tuple):  # the state of a cell, or several feeds at once
        if len(key) != len(value):
            raise ValueError(
                f"Cannot feed {len(value)} values for the {len(key)} tensors of the key {key!r}."
            )
        pairs = [_pairs(graph, one, part) for one, part in zip(key, value, strict=True)]
        return [pair for several in pairs for pair in several]
    if hasattr(key, "_components") and not isinstance(key, GraphTensor):
        parts = value._components() if hasattr(value, "_components") else list(value)
        # TensorFlow takes fewer: a sparse placeholder that knows its shape needs none fed.
        return list(zip(key._components(), parts, strict=False))
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except Exception as problem:
        said = problem.args[0] if isinstance(problem, KeyError) else problem
        raise TypeError(
            hint(
                f"Cannot interpret feed_dict key as Tensor: {said}",
                "keys are tensors of this session's graph, or names such as 'x:0'",
            )
        ) from None
    if isinstance(value, TensorHandle):
        value = value.eval()
    if isinstance(value, GraphTensor):
        raise TypeError(
            hint(
                "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
                f"Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, "
                f"the tensor object was {value} which was passed to the feed with key {key}.",
                "feed numpy values: session.run(tensor) first, or build the graph on the tensor "
                "itself",
            )
        )
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor} may not be fed.")
    return [(tensor, value)]


def _converted(value: Any, tensor: GraphTensor) -> Any:
    """Return a fed value as an array; the words of the error are NumPy's, as in TensorFlow."""
    dtype = tensor.dtype.base_dtype
    try:
        return np.asarray(value, dtype.as_numpy_dtype)
    except (TypeError, ValueError) as problem:
        shown = f"'{tensor.name}' takes {dtype.name}, received {type(value).__name__}"
        advice = "feed numbers of one shape, or make the placeholder with tf.string"
        kind = ValueError if isinstance(problem, ValueError) else TypeError
        raise kind(hint(str(problem), shown, advice)) from None


def _array(tensor: GraphTensor, value: Any) -> Any:
    """Return a fed value as an array of a tensor's dtype; its shape must fit."""
    dtype = tensor.dtype.base_dtype
    if dtype.name == "string":
        value = _strings(value)
    elif not isinstance(value, np.ndarray) or value.dtype != dtype.as_numpy_dtype:
        if type(value) is int and dtype.is_integer and not dtype.min <= value <= dtype.max:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
                f"type {dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor "
                "to a larger type (e.g. int64)."
            )
        if isinstance(value, (list, tuple, int, float, bool, complex, np.ndarray, np.generic)):
            value = _converted(value, tensor)
        elif value is None and dtype.is_floating:
            value = np.asarray(np.nan, dtype.as_numpy_dtype)
        elif isinstance(value, (str, bytes)):
            value = _converted(value, tensor)
        if type(value) is not np.ndarray or value.dtype != dtype.as_numpy_dtype:
            value = host_constant(value, dtype)
    if not tensor.shape.is_compatible_with(value.shape):
        raise ValueError(
            hint(
                f"Cannot feed value of shape {tuple(value.shape)} for Tensor '{tensor.name}', "
                "which "
                f"has shape '{tensor._shape_text()}'",
                "reshape the value, or leave a dimension of the placeholder open with None",
            )
        )
    return value


def _strings(value: TensorLike) -> Any:
    """Return fed strings as bytes objects: NumPy's own string arrays drop zeros at the end."""
    if isinstance(value, (list, tuple, np.ndarray, np.generic)):
        value = np.asarray(value, dtype=object)
    return host_constant(value, dtypes.string)


def fits(dims: tuple[Any, ...] | None, shape: tuple[int, ...]) -> bool:
    """Return True if a shape is one of those that dimensions, some unknown, allow."""
    if dims is None or dims == shape:
        return True
    return len(dims) == len(shape) and all(
        d is None or d == size for d, size in zip(dims, shape, strict=True)
    )
