"""Constants as TensorFlow 1 makes them: a value may be shorter than the shape it fills."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.scope import Scope, local
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.ops.array import creation
from placewise.ops.convert import convert_to_tensor, host_constant

# Smaller constants are written down whole, larger ones as a Fill op.
_SMALL = 1000


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const",
    verify_shape: bool = False,
) -> Any:  # fmt: skip
    """Return a constant; with a `shape`, what is missing at the end repeats the last element."""
    wanted = None if dtype is None else as_dtype(dtype).base_dtype
    if isinstance(value, Tensor):
        raise TypeError(f"List of Tensors when single Tensor expected: {value}")
    array = host_constant(value, wanted)
    if shape is not None:
        array = _spread(array, TensorShape(shape), verify_shape)
    return local.interpreter.constant(array, wanted, None, name)


def _spread(array: Any, shape: TensorShape, verify: bool) -> Any:
    dims = tuple(shape.as_list())
    if verify and tuple(array.shape) != dims:
        raise TypeError(f"Expected Tensor's shape: {dims}, got {tuple(array.shape)}.")
    count = int(np.prod(dims, dtype=np.int64))
    flat = array.reshape(-1)
    if flat.size == count:
        return flat.reshape(dims)
    if flat.size > count:
        raise ValueError(
            f"Too many elements provided. Needed at most {count}, but received {flat.size}"
        )
    if not flat.size:
        raise ValueError("Too few elements provided. Needed at least one, but received none")
    made = np.empty(count, flat.dtype)
    made[: flat.size] = flat
    made[flat.size :] = flat[-1]
    return made.reshape(dims)


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor of zeros (empty strings, False) of a shape."""
    if local.interpreter is Scope.eager:
        return creation.zeros(shape, dtype, name)
    kind = as_dtype(dtype).base_dtype
    nothing = b"" if kind is dtypes.string else False if kind is dtypes.bool else 0
    return _filled(shape, nothing, kind, name or "zeros")


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor of ones (True) of a shape."""
    if local.interpreter is Scope.eager:
        return creation.ones(shape, dtype, name)
    kind = as_dtype(dtype).base_dtype
    return _filled(shape, True if kind is dtypes.bool else 1, kind, name or "ones")


def _filled(shape: Any, value: Any, dtype: Any, name: str) -> Any:
    with get_default_graph().name_scope(name) as scope:
        dims = _static(shape)
        content = host_constant(value, dtype)
        if dims is not None:
            if int(np.prod(dims, dtype=np.int64)) < _SMALL:
                made = np.full(dims, content[()], content.dtype)
                return local.interpreter.constant(made, dtype, None, scope)
            shape = convert_to_tensor(dims, dtypes.int32, name="shape_as_tensor")
        else:
            shape = creation.shape_argument(convert_to_tensor(shape, name="packed"))
        filler = local.interpreter.constant(content, dtype, None, "Const")
        return creation.fill.bind(shape, filler, scope)


def _static(shape: Any) -> list[int] | None:
    """Return a shape in plain numbers, if it has only those."""
    if isinstance(shape, Tensor):
        return None
    try:
        dims = TensorShape(shape)
    except (TypeError, ValueError):
        return None
    return dims.as_list() if dims.is_fully_defined() else None
