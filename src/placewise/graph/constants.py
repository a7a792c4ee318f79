"""Constants as TensorFlow 1 makes them: a value may be shorter than the shape it fills."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import as_dtype
from placewise.core.scope import local
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.convert import host_constant


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
