"""A function applied to every row of tensors: `tf.map_fn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.shapes import TensorShape, as_dimension
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import unstack
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.composite_rows import sparse_rows, stacked
from placewise.ops.flow.graphs import graph_flow
from placewise.ops.flow.loops import _read
from placewise.ops.flow.tensor_array import TensorArray


def map_fn(
    fn: Callable[..., Any],
    elems: TensorLike,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Return the results of `fn` for each row of `elems`, stacked.

    `fn`: takes one row, or one structure of rows.
    `elems`: a tensor, or a structure of tensors with equally many rows.
    `dtype`: the former name of `fn_output_signature`.
    `parallel_iterations`: how many rows TensorFlow may work on at once; here one after the other.
    `back_prop`: with False no gradient flows.
    `swap_memory`, `infer_shape`: accepted; `infer_shape` False allows results of different shapes
        in a graph.
    `fn_output_signature`: dtypes or specs of the results, where they differ from the rows.

    Raises ValueError if `elems` holds no tensor. An op on the whole tensor, or `tf.vectorized_map`,
    is faster.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    if fn_output_signature is None:
        fn_output_signature = dtype
    if not callable(fn):
        raise TypeError(f"The provided function {fn.__name__} is not callable.fn must be callable.")
    if (flow := graph_flow()) is not None:
        return flow.map_fn(
            fn,
            elems,
            fn_output_signature,
            infer_shape,
            name,
            back_prop=back_prop,
        )
    return map_fn_eagerly(fn, elems, fn_output_signature, infer_shape)


def map_fn_eagerly(
    fn: Callable[..., Any], elems: Any, signature: Any, infer_shape: bool = True
) -> Any:
    """Call `fn` for one row after the other."""
    elems = nest.map_structure(_read, elems)
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
            f"{elems}, which does not contain any Tensors."
        )
    flat = [each if isinstance(each, nest.Composite) else convert_to_tensor(each) for each in flat]
    if flat[0].shape.rank == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    count = _row_count(flat)
    columns = [_rows(each, count) for each in flat]
    structure = elems if signature is None else signature
    results = [
        _Results(spec, count, infer_shape)
        for spec in (flat if signature is None else nest.flatten(signature))
    ]
    if signature is None:
        for result in results:
            result.shape = TensorShape(None)
    for index in range(count):
        row = nest.pack_sequence_as(elems, [column[index] for column in columns])
        value = fn(row)
        nest.assert_same_structure(structure, value)
        for result, part in zip(results, nest.flatten(value), strict=True):
            result.write(index, part)
    return nest.pack_sequence_as(structure, [result.stack() for result in results])


def _row_count(flat: list[Any]) -> int:
    first = as_dimension(flat[0].shape.with_rank_at_least(1)[0])
    for other in flat[1:]:
        first.assert_is_compatible_with(as_dimension(other.shape.with_rank_at_least(1)[0]))
    return int(first)


def _rows(value: Any, count: int) -> list[Any]:
    if isinstance(value, Tensor):
        rows: list[Any] = unstack(value)
        return rows
    if not hasattr(value, "nrows"):
        return sparse_rows(value, count)
    return [value[index] for index in range(count)]


class _Results:
    """The results for one leaf of what `fn` returns, row after row."""

    def __init__(self, spec: Any, count: int, infer_shape: bool) -> None:
        self.spec, self.count, self.infer_shape = spec, count, infer_shape
        composite = ("RaggedTensorSpec", "SparseTensorSpec")
        self.is_composite = isinstance(spec, nest.Composite) or type(spec).__name__ in composite
        self.dtype = getattr(spec, "dtype", spec)
        self.shape = getattr(spec, "shape", None)
        self.items: list[Any] = []
        self.array: TensorArray | None = None

    def write(self, index: int, value: TensorLike) -> None:
        if self.is_composite:
            self.items.append(value)
            return
        if self.array is None:
            self.array = self._new()
        self.array = self.array.write(index, value)

    def _new(self) -> TensorArray:
        return TensorArray(
            self.dtype, self.count, infer_shape=self.infer_shape, element_shape=self.shape
        )

    def stack(self) -> Any:
        if self.is_composite:
            return stacked(self.spec, self.items)
        return (self.array or self._new()).stack()
