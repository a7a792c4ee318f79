"""What a staged `for` goes over: how many items there are, and how one is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.graph.recorder import constant_value
from placewise.graph.tensor import GraphTensor
from placewise.graph.tensor_array import GraphTensorArray
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import shape_of
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast


class Rows(NamedTuple):
    """A counter's first value and step, whether it is in range, and the item it stands for.

    `is_counter` is True where the item is the counter itself, as of a range.
    """

    first: Any
    advance: Callable[[Any], Any]
    holds: Callable[[Any], Any]
    item: Callable[[Any], Any]
    is_counter: bool = False


def rows_of(iterable: Any) -> Rows:
    """Return the items of something symbolic."""
    if isinstance(iterable, GraphTensor) and iterable.op.type == "Range":
        return _numbers(*iterable.op.inputs)
    if isinstance(iterable, nest.Composite):
        return _of_composite(iterable)
    return _of_tensor(convert_to_tensor(iterable))


def counted(count: TensorLike, item: Callable[[Any], Any], first: Tensor | None = None) -> Rows:
    """Return rows that are read by their number."""
    start = constant(0) if first is None else first
    return Rows(start, lambda number: number + 1, lambda number: number < count, item)


def _numbers(start: Tensor, limit: Tensor, delta: Tensor) -> Rows:
    """Return the numbers of a tf.range, which is never made: the counter itself is the item."""
    step = constant_value(delta)
    if step is None:

        def holds(number: Tensor) -> Any:
            return where(delta > 0, number < limit, number > limit)

    elif step > 0:

        def holds(number: Tensor) -> Any:
            return number < limit

    else:

        def holds(number: Tensor) -> Any:
            return number > limit

    return Rows(start, lambda number: number + delta, holds, lambda number: number, is_counter=True)


def _of_tensor(tensor: Tensor) -> Rows:
    dims = tensor._dims
    if dims == ():
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {shape_of(tensor)}")
    count = dims[0] if dims and dims[0] is not None else shape_of(tensor)[0]
    array = GraphTensorArray(tensor.dtype.base_dtype, count, clear_after_read=False)
    array = array.unstack(tensor)
    return counted(count, array.read)


def _of_composite(value: Any) -> Rows:
    if hasattr(value, "_staged_rows"):  # datasets and their iterators
        return Rows(*value._staged_rows())
    if not hasattr(value, "nrows"):
        raise TypeError(f"iterating over {type(value).__name__} is not supported")
    splits = cast(value.row_splits, "int32")
    return counted(
        cast(value.nrows(), "int32"),
        lambda number: value.values[splits[number] : splits[number + 1]],
    )


def together(several: list[Any]) -> Rows:
    """Return the items of several things side by side, as far as the shortest goes."""
    every = [rows_of(item) for item in several]

    def holds(numbers: Tensor) -> Any:
        held = every[0].holds(numbers[0])
        for rows, number in zip(every[1:], numbers[1:], strict=True):
            held = held & rows.holds(number)
        return held

    return Rows(
        tuple(rows.first for rows in every),
        lambda numbers: tuple(rows.advance(n) for rows, n in zip(every, numbers, strict=True)),
        holds,
        lambda numbers: tuple(rows.item(n) for rows, n in zip(every, numbers, strict=True)),
    )
