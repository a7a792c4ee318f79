"""Order: sort, argsort, the n-th element, permutations turned around, buckets."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, REAL
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.memory.transfer import move
from placewise.ops.array.shape import expand_dims, shape_of
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, op
from placewise.ops.families import same_shape, through_numpy
from placewise.ops.math.arithmetic import negative, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.extremes import top_k
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.values import from_numpy
from placewise.ops.work import sort_work, view_work


def sort(
    values: TensorLike, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Any:
    """Return the elements in order along `axis`."""
    del name
    return _in_order(values, axis, direction, 0)


def argsort(
    values: TensorLike,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Any:
    """Return the positions of the elements, as int32, in their order along `axis`."""
    del stable, name  # always stable here
    return _in_order(values, axis, direction, 1)


def _in_order(values: Any, axis: int, direction: str, part: int) -> Any:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    if isinstance(axis, Tensor):
        axis = int(axis)
    values = convert_to_tensor(values)
    if direction == "ASCENDING":
        values = _reversed_order(values)
    shape = values._shape_tuple
    if shape is None and axis == -1:
        found = top_k(values, shape_of(values)[-1])[part]
        return _reversed_order(found) if direction == "ASCENDING" and part == 0 else found
    if shape is None:
        raise ValueError("`values` must be a tensor of known rank to be sorted.")
    rank = len(shape)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"slice index {axis} of dimension 0 out of bounds. "
            "[Op:StridedSlice] name: strided_slice/",
        )
    axis %= rank
    if axis != rank - 1:
        order = [*range(axis), rank - 1, *range(axis + 1, rank - 1), axis]
        values = transpose(values, order)
    size = values._shape_tuple[-1]
    found = top_k(values, size if size is not None else shape_of(values)[-1])[part]
    if axis != rank - 1:
        found = transpose(found, order)
    return _reversed_order(found) if direction == "ASCENDING" and part == 0 else found


def _reversed_order(values: Tensor) -> Any:
    """Return values whose descending order is the ascending one of the given; its own inverse."""
    dtype = values.dtype
    if dtype.is_unsigned:
        return subtract(scalar(dtype.max, dtype), values)
    if dtype.is_integer:
        return subtract(scalar(-1, dtype), values)
    return negative(values)


@op(
    "NthElement(input: T, n: int32; reverse: bool = False) -> values: T",
    host=("n",),
    T=REAL,
    devices=("CPU",),
    work=sort_work,
)
def nth_element(input: Any, n: Any, reverse: bool = False, name: str | None = None) -> Any:
    """Return the element that stands at place `n` when each row is in order."""
    return nth_element.bind(input, n, reverse=reverse, name=name)


@nth_element.shape
def nth_element_shape(input: Static, n: Static, *, reverse: bool) -> Dims:
    if input.shape is None:
        return None
    if not input.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return input.shape[:-1]


@nth_element.kernel
def nth_element_kernel(input: torch.Tensor, n: np.ndarray[Any, Any], *, reverse: bool) -> Any:
    place = _checked_place(input, n)
    if reverse:
        place = input.shape[-1] - 1 - place
    return torch.kthvalue(input, place + 1, -1)[0]


@nth_element.kernel(on="wide_unsigned")
def nth_element_wide_unsigned_kernel(
    input: torch.Tensor, n: np.ndarray[Any, Any], *, reverse: bool
) -> Any:
    place = _checked_place(input, n)
    place = input.shape[-1] - 1 - place if reverse else place
    return through_numpy(lambda x: np.sort(x, -1)[..., place])(input)


def _checked_place(input: torch.Tensor, n: np.ndarray[Any, Any]) -> int:
    place = int(n)
    if place < 0:
        raise invalid(f"n must be non-negative but is {place}")
    if not input.dim():
        raise invalid("Input must be at least rank 1 but is rank 0")
    if input.shape[-1] <= place:
        raise invalid(f"Input must have last dimension > n = {place}")
    return place


@nth_element.gradient
def nth_element_gradient(call: Call, dy: Tensor) -> Any:
    hits = cast(equal(expand_dims(call.output, -1), call.inputs[0]), dy.dtype)
    return hits / reduce_sum(hits, -1, keepdims=True) * expand_dims(dy, -1), None


@op(
    "InvertPermutation(x: T) -> y: T",
    host=("x", "y"),
    T=INDEX,
    differentiable=False,
    work=view_work,
    default_types={"T": dtypes.int32},
)
def invert_permutation(x: TensorLike, name: str | None = None) -> Any:
    """Return the permutation that undoes `x`."""
    return invert_permutation.bind(x, name)


@invert_permutation.shape
def invert_permutation_shape(x: Static) -> Dims:
    if x.shape is not None and len(x.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(x.shape)}")
    return (None,) if x.shape is None else x.shape


@invert_permutation.kernel
def invert_permutation_kernel(x: np.ndarray[Any, Any]) -> Any:
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    size = x.shape[0]
    outside = (x < 0) | (x >= size)
    if outside.any():
        raise invalid(f"{int(x[outside][0])} is not between 0 and {size}")
    result = np.full_like(x, -1)
    result[x] = np.arange(size, dtype=x.dtype)
    if (result < 0).any():
        seen: set[int] = set()
        twice = next(v for v in x.tolist() if v in seen or seen.add(v))  # type: ignore[func-returns-value]
        raise invalid(f"{twice} is duplicated in the input.")
    return from_numpy(result)


@op(
    "Bucketize(input: T; boundaries: list(float)) -> output: int32",
    T=INDEX | {dtypes.float32, dtypes.float64},
    differentiable=False,
)
def bucketize(input: Any, boundaries: Any, name: str | None = None) -> Any:
    """Return in which bucket each number falls; a boundary belongs to the bucket above it."""
    return bucketize.bind(input, boundaries=boundaries, name=name)


bucketize.shape(same_shape)


@bucketize.kernel
def bucketize_kernel(input: torch.Tensor, *, boundaries: list[Any]) -> Any:
    edges = [float(b) for b in boundaries]
    if any(after < before for before, after in pairwise(edges)):
        raise invalid("Expected sorted boundaries")
    return torch.bucketize(input, _edges(tuple(edges), input.device), right=True, out_int32=True)


@lru_cache(maxsize=64)
def _edges(boundaries: tuple[float, ...], device: torch.device) -> Any:
    """Return boundaries on a device; kept there, since a graph asks for the same each time."""
    return move(torch.tensor(boundaries, dtype=torch.float32), device)
