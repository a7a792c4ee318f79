"""The sizes that identities and zeros are given: numbers, or tensors that are known when run."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_dynamic_shape
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import expand_dims, identity, rank, shape
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import control_dependencies
from placewise.ops.linalg.operator import Shape, assert_that
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, greater_equal
from placewise.ops.state.variable import is_variable

Size = Any  # an int, or a scalar tensor where it is not known yet
Batch = Any  # a tuple of ints, or a tensor of them


def row_count(value: Any, name: str = "num_rows", is_checked: bool = False) -> Size:
    """Return a number of rows; with `is_checked`, one not known yet is looked at when it runs."""
    known = _static(value, name)
    if known is None:
        tensor = _checked_tensor(value, name, 0)
        return _asserted(tensor, name, 0) if is_checked else tensor
    if known.ndim:
        raise ValueError(f"Argument `{name}` must be a 0-D Tensor. Found: {value}")
    if known.dtype.kind not in "iu":
        raise TypeError(f"Argument {name} must be integer type.  Found: {value}")
    if known < 0:
        raise ValueError(f"Argument `{name}` must be non-negative. Found: {known}")
    return int(known)


def batch_sizes(value: Any, is_checked: bool = False) -> Batch:
    """Return the sizes of a batch; None is no batch."""
    if value is None:
        return ()
    known = _static(value, "batch_shape")
    if known is None:
        tensor = _checked_tensor(value, "batch_shape", 1)
        return _asserted(tensor, "batch_shape", 1) if is_checked else tensor
    if known.ndim != 1:
        raise ValueError(f"Argument `batch_shape` must be a 1-D Tensor. Found: {value}")
    if known.size and known.dtype.kind not in "iu":
        raise TypeError(f"Argument `batch_shape` must be integer type. Found: {value}")
    if (known < 0).any():
        raise ValueError(f"Argument `batch_shape` must be non-negative. Found:{known}")
    return tuple(int(size) for size in known)


def _static(value: Any, name: str) -> np.ndarray[Any, Any] | None:
    if is_variable(value):
        # The operator would keep the size that the variable had when it was made.
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}.")
    if isinstance(value, Tensor):
        found = get_static_value(value)
        return None if found is None else np.asarray(found)
    return np.asarray(value)


def _checked_tensor(value: Tensor, name: str, ndims: int) -> Tensor:
    dims = value._shape_tuple
    if dims is not None and len(dims) != ndims:
        raise ValueError(f"Argument `{name}` must be a {ndims}-D Tensor. Found: {value}")
    if not value.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {value}")
    return value


def _asserted(tensor: Tensor, name: str, ndims: int) -> Any:
    checks = [
        assert_that(equal(rank(tensor), ndims), f"Argument `{name}` must be a {ndims}-D Tensor."),
        assert_that(
            greater_equal(tensor, cast(0, tensor.dtype)), f"Argument `{name}` must be non-negative."
        ),
    ]
    with control_dependencies([check for check in checks if check is not None]):
        return identity(tensor)


def sizes_found(**arguments: Any) -> dict[str, Any]:
    """Return those of an operator's sizes that are numbers; a batch as a list."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in arguments.items()
        if isinstance(value, int) or (isinstance(value, tuple) and None not in value)
    }


def known_dims(batch: Batch, *sizes: Size) -> Shape:
    """Return a shape, with None for sizes that are not known; None if its rank is not."""
    rest = [None if isinstance(size, Tensor) else size for size in sizes]
    if not isinstance(batch, Tensor):
        return (*batch, *rest)
    dims = batch._shape_tuple
    count = None if dims is None else dims[0]
    return None if count is None else (*[None] * count, *rest)


def shape_of(batch: Batch, *sizes: Size) -> Any:
    """Return a shape as a list of ints, or as an int32 tensor if some are not known."""
    if not isinstance(batch, Tensor) and not any(isinstance(size, Tensor) for size in sizes):
        return [*batch, *sizes]
    parts = [cast(convert_to_tensor(batch, _kind(batch)), dtypes.int32)]
    parts += [expand_dims(cast(convert_to_tensor(size), dtypes.int32), 0) for size in sizes]
    return concat(parts, 0)


def _kind(batch: Batch) -> Any:
    return batch.dtype if isinstance(batch, Tensor) else dtypes.int32


def checked_rows(x: Tensor, expected: Size) -> Any:
    """Return matrices `x`, which are read only if they have so many rows."""
    rows = shape(x)[-2]
    fits = equal(rows, cast(expected, dtypes.int32))
    check = assert_that(fits, "Dimensions are not compatible.")
    with control_dependencies([] if check is None else [check]):
        return identity(x)


def broadcast_sizes(batch: Batch, x: Tensor) -> Any:
    """Return the batch that `batch` and that of matrices `x` broadcast to, as a tensor."""
    mine = shape_of(batch)
    mine = constant(mine, dtypes.int32) if isinstance(mine, list) else mine
    return broadcast_dynamic_shape(mine, shape(x)[:-2])
