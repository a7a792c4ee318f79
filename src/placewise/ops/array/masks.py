"""Grids and masks made of lengths and coordinates: sequence_mask, meshgrid."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import NotFoundError, hint
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import ones
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import expand_dims, reshape, size
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import less
from placewise.ops.math.reduction import reduce_max
from placewise.ops.name_scopes import is_tf1_graph


def sequence_mask(
    lengths: TensorLike, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Any:
    """Return rows of `maxlen` (the largest length) values that are true up to each length."""
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        none = lengths.shape.num_elements() == 0
        longest = convert_to_tensor(0, lengths.dtype) if none else reduce_max(lengths)
        maxlen = maximum(longest, convert_to_tensor(0, lengths.dtype))
    else:
        maxlen = convert_to_tensor(maxlen)
    if maxlen.shape.rank not in (None, 0):
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
            f"{_shown(maxlen)} with shape '{maxlen.shape}' instead"
        )
    if not (maxlen.dtype.is_floating or maxlen.dtype in dtypes.INDEX):
        raise NotFoundError(
            None,
            None,
            f"Could not find device for node: Range[Tidx=DT_{maxlen.dtype.name.upper()}]. Give "
            "lengths of int32 or int64.",
        )
    places = range_of(
        convert_to_tensor(0, maxlen.dtype), maxlen, convert_to_tensor(1, maxlen.dtype), name="Range"
    )
    column = expand_dims(lengths, -1)
    if column.dtype is not maxlen.dtype or is_tf1_graph():  # TensorFlow 1 casts all the same
        column = cast.bind(column, DstT=maxlen.dtype)
    result = less(places, column)
    return result if as_dtype(dtype) is dtypes.bool else cast(result, dtype)


def _shown(tensor: Any) -> Any:
    return tensor.numpy() if hasattr(tensor, "numpy") else tensor


def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Any]:
    """Return each vector of coordinates spread over the grid of all; 'xy' swaps the first axes."""
    if indexing not in ("xy", "ij"):
        raise ValueError(
            hint(
                f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'",
                "'xy' swaps the first two axes, 'ij' keeps them",
            )
        )
    count = len(args)
    if not count:
        return []
    made = []
    tensors = [convert_to_tensor(each) for each in args]
    for index, tensor in enumerate(tensors):
        spread = [1] * count
        spread[_place(index, count, indexing)] = -1
        made.append(reshape(tensor, spread))
    sizes: list[Any] = [None] * count
    for index, tensor in enumerate(tensors):
        sizes[_place(index, count, indexing)] = _size(tensor)
    whole = ones(sizes, made[0].dtype)
    return [tensor * whole for tensor in made]


def _place(index: int, count: int, indexing: str) -> int:
    return 1 - index if indexing == "xy" and count > 1 and index < 2 else index


def _size(tensor: Tensor) -> Any:
    known = tensor.shape.num_elements()
    return size(tensor) if known is None else known
