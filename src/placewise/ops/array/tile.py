"""Tensors repeated: tile, repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, as_dimension
from placewise.core.tensor import Tensor
from placewise.ops.array.broadcasting import broadcast_to
from placewise.ops.array.concat import stack
from placewise.ops.array.contents import is_text
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.gather import gather, joined
from placewise.ops.array.masks import sequence_mask
from placewise.ops.array.shape import expand_dims, reshape, shape_of, size
from placewise.ops.array.where import boolean_mask
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.values import Content


@op(
    "Tile(input: T, multiples: Tmultiples) -> output: T",
    host=("multiples",),
    Tmultiples=INDEX,
    result="view",
    static="shapes",
)
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """Return `input` repeated side by side along each dimension.

    `input`: any tensor.
    `multiples`: how often to repeat along each dimension, one integer a dimension.

    Raises InvalidArgumentError if the length of `multiples` is not the rank, or one is negative.

    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    return tile.bind(input, multiples, name)


@tile.shape
def tile_shape(input: Static, multiples: Static) -> Dims:
    if input.shape is None:
        known = multiples.shape is not None and multiples.shape[0] is not None
        return (None,) * multiples.shape[0] if known else None  # type: ignore[index,operator]
    if multiples.value is None:
        return (None,) * len(input.shape)
    if np.ndim(multiples.value) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {np.ndim(multiples.value)}")
    times = np.asarray(multiples.value).tolist()
    if len(times) != len(input.shape):
        raise ValueError(f"Shape must be rank {len(times)} but is rank {len(input.shape)}")
    return tuple(
        None if d is None or n < 0 else d * n for d, n in zip(input.shape, times, strict=True)
    )


@tile.kernel
def tile_kernel(input: Content, multiples: np.ndarray[Any, Any]) -> Any:
    if multiples.ndim != 1:
        raise invalid(f"Expected multiples to be 1-D, but got shape {bracketed(multiples.shape)}")
    rank, times = len(input.shape), multiples.tolist()
    if len(times) != rank:
        raise invalid(
            f"Expected multiples argument to be a vector of length {rank} but got length "
            f"{len(times)}"
        )
    for index, count in enumerate(times):
        if count < 0:
            raise invalid(f"Expected multiples[{index}] >= 0, but got {count}")
    if not times:
        return input
    return np.tile(input, times) if is_text(input) else input.repeat(times)


@tile.gradient
def tile_gradient(call: Call, dy: Tensor) -> Any:
    x, multiples = call.inputs
    shape = shape_of(x)
    if isinstance(shape, np.ndarray) and isinstance(multiples, np.ndarray):
        folded: Any = np.stack([multiples, shape], 1).reshape(-1)
        return reduce_sum(reshape(dy, folded), np.arange(0, 2 * len(shape), 2)), None

    folded = reshape(stack([cast(multiples, dtypes.int32), shape], axis=1), [-1])
    return reduce_sum(reshape(dy, folded), range_of(0, size(folded), 2)), None


def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Any:
    """Return `input` with each element repeated along `axis`; of the flat input when it is None.

    `repeats` is one number for all, or one per element.
    """
    data = convert_to_tensor(input)
    if axis is None:
        data, axis = reshape(data, [-1]), 0
    counts = _counts(repeats)
    if data.shape.rank == 0:
        data = reshape(data, [1])
    axis = _front(axis, data.shape.rank)
    if counts.shape.num_elements() == 1:
        return _repeat_all(data, reshape(counts, []), axis)
    length = data.shape[axis]
    if counts.shape.rank == 1:
        as_dimension(length).assert_is_compatible_with(counts.shape[0])
    # The reshape makes the gradient dense, as in TensorFlow.
    return gather(reshape(data, shape_of(data)), _places(counts), axis=axis, name=name)


def _counts(repeats: TensorLike) -> Any:
    # An empty list is of integers, too.
    counts = convert_to_tensor(repeats, dtype_hint=dtypes.int32)
    check_integer(counts, repeats, "repeats")
    counts = cast(counts, dtypes.int32)
    counts.shape.with_rank_at_most(1)
    return counts


def check_integer(tensor: Any, given: Any, name: str) -> None:
    """Raise TypeError unless a tensor holds integers."""
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{given} of dtype: {tensor.dtype!r}"
        )


def _front(axis: int, rank: int | None) -> int:
    if rank is None:
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank


def _repeat_all(data: Tensor, count: Tensor, axis: int) -> Any:
    shape = shape_of(data)
    rank = data.shape.rank
    times: list[Any] = [1] * (rank + 1)
    times[axis + 1] = count
    tiled = tile(expand_dims(data, axis + 1), times)
    rest = shape[axis + 1 :]
    length = reshape(count * shape[axis], [1])
    made = reshape(tiled, joined(shape[:axis], length, rest))
    dims = made._shape_tuple
    if dims is None or None in dims:
        known = data.shape.as_list()
        made.set_shape([*known[:axis], None, *known[axis + 1 :]])
    return made


def _places(counts: Any) -> Any:
    """Return each position as often as it is to be repeated."""
    mask = sequence_mask(counts)
    own = expand_dims(range_of(shape_of(counts)[0]), 1)
    return boolean_mask(broadcast_to(own, shape_of(mask)), mask)
