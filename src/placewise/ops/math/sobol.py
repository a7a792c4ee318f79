"""Points that fill a cube evenly: Sobol's sequence."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, DTypeLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import op
from placewise.ops.facts import FLOAT_NUMBERS
from placewise.ops.values import TORCH

_LIMIT = 2**31 - 1  # of numbers, and of points


@op(
    "SobolSample(dim: int32, num_results: int32, skip: int32; dtype: type = float32)"
    " -> samples: dtype",
    host=("dim", "num_results", "skip"),
    devices=("CPU",),
    differentiable=False,
    dtype=FLOAT_NUMBERS,
)
def sobol_sample(
    dim: AxisLike,
    num_results: Any,
    skip: Any = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Return points of the Sobol sequence in `dim` dimensions, after the first `skip` ones."""
    return sobol_sample.bind(dim, num_results, skip, dtype=as_dtype(dtype), name=name)


@sobol_sample.shape
def sobol_sample_shape(dim: Static, num_results: Static, skip: Static, *, dtype: DType) -> Dims:
    return (_size(num_results), _size(dim))


def _size(static: Static) -> int | None:
    if static.value is None or np.ndim(static.value):
        return None  # the kernel says what is wrong with more than a number
    return int(static.value)


@sobol_sample.kernel
def sobol_sample_kernel(
    dim: np.ndarray[Any, Any],
    num_results: np.ndarray[Any, Any],
    skip: np.ndarray[Any, Any],
    *,
    dtype: DType,
) -> Any:
    for name, value in (("dim", dim), ("num_results", num_results), ("skip", skip)):
        if np.ndim(value):
            raise invalid(f"{name} must be a scalar")
    columns, rows, start = int(dim), int(num_results), int(skip)
    if columns < 1:
        raise invalid("dim must be at least one")
    if rows < 1:
        raise invalid("num_results must be at least one")
    if start < 0:
        raise invalid("skip must be non-negative")
    if rows * columns >= _LIMIT:
        raise invalid(f"num_results*dim must be less than {_LIMIT}")
    if rows + start >= _LIMIT:
        raise invalid(f"num_results+skip must be less than {_LIMIT}")
    engine = torch.quasirandom.SobolEngine(columns)
    if start + rows >= 1 << engine.MAXBIT:
        raise UnimplementedError(
            None, None, f"num_results+skip must be less than 2**{engine.MAXBIT}, got {start + rows}"
        )
    # torch's sequence begins with the origin, which TensorFlow leaves out. A point's number in
    # Gray code says which directions add up to it: no need to pass through those before.
    for bit in range(engine.MAXBIT):
        if (start ^ start >> 1) >> bit & 1:
            engine.quasi ^= engine.sobolstate[:, bit]
    engine.num_generated = start + 1
    return engine.draw(rows, dtype=TORCH[dtype])
