"""A value carried from row to row of tensors: `tf.scan`, `tf.foldl`, `tf.foldr`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.graphs import graph_flow
from placewise.ops.flow.loops import while_loop_eagerly
from placewise.ops.flow.tensor_array import TensorArray


def _checked(fn: Callable[..., Any]) -> None:
    if not callable(fn):
        raise TypeError(f"{fn.__name__} is not callable. Please provide a callable function.")


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return `fn(… fn(fn(initializer, row 0), row 1) …)`, from the first row to the last.

    Without `initializer`, the first row is where it starts.
    """
    _checked(fn)
    if (flow := graph_flow()) is not None:
        return flow.foldl(fn, elems, initializer, name, back_prop=back_prop)
    return fold_eagerly(fn, elems, initializer, False)


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return `fn(… fn(fn(initializer, last row), the row before) …)`, down to the first row.

    Without `initializer`, the last row is where it starts.
    """
    _checked(fn)
    if (flow := graph_flow()) is not None:
        return flow.foldr(fn, elems, initializer, name, back_prop=back_prop)
    return fold_eagerly(fn, elems, initializer, True)


def fold_eagerly(
    fn: Callable[..., Any], elems: Tensor, initializer: int | None, backwards: bool
) -> Any:
    """Call `fn` for one row after the other and return the last value."""
    flat = [convert_to_tensor(each) for each in nest.flatten(elems)]
    count = _count(flat)
    arrays = [_array(each, count) for each in flat]

    def row(index: int) -> Any:
        return nest.pack_sequence_as(elems, [array.read(index) for array in arrays])

    order = list(range(count))[:: -1 if backwards else 1]
    if initializer is None:
        value = row(order[0] if order else -1 if backwards else 0)
        order = order[1:]
    else:
        value = initializer
    # As a loop over one carried value, so that its structure is watched as there.
    _, value = while_loop_eagerly(
        lambda step, value: step < len(order),
        lambda step, value: [step + 1, fn(value, row(order[step]))],
        [0, value],
    )
    return value


def _count(flat: list[Any]) -> int:
    count: int = flat[0].shape[0]
    return count


def _array(value: Tensor, count: int, element_shape: TensorShape | None = None) -> TensorArray:
    return TensorArray(value.dtype, count, element_shape=element_shape).unstack(value)


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: TensorLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return all the values that `foldl` (or, with `reverse`, `foldr`) passes through, stacked.

    >>> import placewise as tf
    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    _checked(fn)
    if (flow := graph_flow()) is not None:
        return flow.scan(fn, elems, initializer, infer_shape, reverse, name, back_prop=back_prop)
    return scan_eagerly(fn, elems, initializer, infer_shape, reverse)


def scan_eagerly(
    fn: Callable[..., Any],
    elems: Tensor,
    initializer: Any,
    infer_shape: bool,
    reverse: bool,
) -> Any:
    """Call `fn` for one row after the other and keep every value."""
    flat = [convert_to_tensor(each) for each in nest.flatten(elems)]
    count = _count(flat)
    arrays = [_array(each, count, each.shape[1:]) for each in flat]
    structure = elems if initializer is None else initializer
    order = list(range(count))[:: -1 if reverse else 1]
    if initializer is None:
        start = order[0] if order else -1 if reverse else 0
        carried = [array.read(start) for array in arrays]
    else:
        carried = [convert_to_tensor(each) for each in nest.flatten(initializer)]
    results = [
        TensorArray(
            each.dtype,
            count,
            infer_shape=infer_shape,
            element_shape=each.shape if infer_shape else None,
        )
        for each in carried
    ]
    if initializer is None:
        results = _written(results, order[0], carried)
        order = order[1:]
    for index in order:
        row = nest.pack_sequence_as(elems, [array.read(index) for array in arrays])
        value = fn(nest.pack_sequence_as(structure, carried), row)
        nest.assert_same_structure(structure, value)
        carried = nest.flatten(value)
        results = _written(results, index, carried)
    return nest.pack_sequence_as(structure, [result.stack() for result in results])


def _written(arrays: list[TensorArray], index: int, values: list[Any]) -> list[TensorArray]:
    return [array.write(index, value) for array, value in zip(arrays, values, strict=True)]
