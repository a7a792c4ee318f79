"""`tf.map_fn`, `tf.foldl`, `tf.foldr` and `tf.scan` in graphs: loops over the rows of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.shapes import TensorShape, as_dimension
from placewise.core.tensor import Tensor
from placewise.graph.composite_rows import RowReader, composite_results
from placewise.graph.defaults import get_default_graph
from placewise.graph.tensor_array import GraphTensorArray
from placewise.graph.while_loop import while_loop
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor

Function = Callable[..., Any]


class _Rows:
    """The rows of a structure of tensors, to be read one by one."""

    def __init__(self, elems: Any) -> None:
        self.structure = elems
        leaves = nest.flatten(elems)
        self.tensors = [
            RowReader(leaf)
            if isinstance(leaf, nest.Composite)
            else convert_to_tensor(leaf, name="elem")
            for leaf in leaves
        ]
        first = self.tensors[0].shape
        if first.rank == 0:
            message = "elems must be a 1+ dimensional Tensor, not a scalar"
            if len(leaves) > 1:
                message = "elements in elems must be 1+ dimensional Tensors, not scalars"
            raise ValueError(message)
        self.static = None if first.rank is None else first._dims[0]
        self.count: Any = _count(self.tensors[0]) if self.static is None else self.static
        for tensor in self.tensors[1:]:
            rows = tensor.shape.with_rank_at_least(1)
            if rows.rank is not None:
                as_dimension(self.static).assert_is_compatible_with(as_dimension(rows._dims[0]))
        self.arrays = [
            tensor
            if isinstance(tensor, RowReader)
            else _array(tensor.dtype, self.count).unstack(tensor)
            for tensor in self.tensors
        ]

    def read(self, index: TensorLike) -> Any:
        """Return one row."""
        return nest.pack_sequence_as(self.structure, self.read_flat(index))

    def read_flat(self, index: TensorLike) -> list[Any]:
        """Return the tensors of one row."""
        return [array.read(index) for array in self.arrays]

    def with_count(self, tensor: Tensor) -> Any:
        """Tell a result how many rows there are, as far as that is known."""
        shape = tensor.shape
        if shape.rank is not None:
            tensor.set_shape(TensorShape([self.static]).concatenate(shape[1:]))
        return tensor


def _count(tensor: Any) -> Any:
    return tensor.count() if isinstance(tensor, RowReader) else shape_of(tensor)[0]


def _array(
    dtype: DType, size: TensorLike, infer: bool = True, shape: TensorShape | None = None
) -> GraphTensorArray:
    tensor_array: GraphTensorArray = GraphTensorArray(
        dtype.base_dtype, size, dynamic_size=False, infer_shape=infer, element_shape=shape
    )
    return tensor_array


def _check(fn: Any) -> None:
    if not callable(fn):
        raise TypeError("fn must be callable.")


def map_fn(
    fn: Function,
    elems: Tensor,
    signature: Any = None,
    infer_shape: bool = True,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Return the results of `fn` for each row of `elems`, stacked."""
    _check(fn)
    with get_default_graph().name_scope(name or "map"):
        rows = _Rows(elems)
        structure = elems if signature is None else signature
        specs = rows.tensors if signature is None else nest.flatten(signature)
        results = [_results(spec, rows, infer_shape, signature is not None) for spec in specs]

        def step(index: Tensor, arrays: list[Any]) -> Any:
            value = fn(rows.read(index))
            nest.assert_same_structure(structure, value)
            written = [
                [
                    array.write(index, part)
                    for array, part in zip(own, result.parts(row, index), strict=True)
                ]
                for result, own, row in zip(results, arrays, nest.flatten(value), strict=True)
            ]
            return index + 1, written

        first = (constant(0), [item.arrays for item in results])
        _, arrays = while_loop(lambda index, _: index < rows.count, step, first, **options)
        stacked = [rows_of.stacked(own) for rows_of, own in zip(results, arrays, strict=True)]
        return nest.pack_sequence_as(structure, stacked)


class _DenseResults:
    """The array that takes tensors of one shape, which are stacked at the end."""

    def __init__(self, rows: _Rows, array: GraphTensorArray) -> None:
        self.rows, self.arrays = rows, [array]

    def parts(self, row: Tensor, index: Tensor) -> list[Any]:
        """Return what a row puts into the array."""
        return [row]

    def stacked(self, arrays: list[Any]) -> Any:
        """Return all rows as one tensor."""
        return self.rows.with_count(arrays[0].stack())


def _results(spec: Any, rows: _Rows, infer_shape: bool, message: bool) -> Any:
    result = composite_results(spec, rows.count)
    if result is not None:
        return result
    shape = getattr(spec, "shape", None) if message else None
    return _DenseResults(rows, _array(_dtype(spec), rows.count, infer_shape, shape))


def _dtype(spec: Any) -> Any:
    return as_dtype(getattr(spec, "dtype", spec))


def foldl(
    fn: Function, elems: Tensor, initializer: Any = None, name: str | None = None, **options: Any
) -> Any:
    """Return what `fn` makes of a value and one row after the other."""
    _check(fn)
    with get_default_graph().name_scope(name or "foldl"):
        rows = _Rows(elems)
        value = rows.read(0) if initializer is None else _converted(initializer)
        start = constant(1 if initializer is None else 0)
        _, value = while_loop(
            lambda index, _: index < rows.count,
            lambda index, value: [index + 1, fn(value, rows.read(index))],
            [start, value],
            **options,
        )
        return value


def foldr(
    fn: Function,
    elems: Tensor,
    initializer: float | None = None,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Return what `fn` makes of a value and one row after the other, from the last."""
    _check(fn)
    with get_default_graph().name_scope(name or "foldr"):
        rows = _Rows(elems)
        start = convert_to_tensor(rows.count)
        if initializer is None:
            start = start - 1
            value = rows.read(start)
        else:
            value = _converted(initializer)

        def step(index: Tensor, value: Tensor) -> Any:
            before = index - 1
            return [before, fn(value, rows.read(before))]

        _, value = while_loop(lambda index, _: index > 0, step, [start, value], **options)
        return value


def _converted(structure: float) -> Any:
    return nest.map_structure(convert_to_tensor, structure)


def scan(
    fn: Function,
    elems: Tensor,
    initializer: Tensor | None = None,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Return all the values that a fold passes through, stacked."""
    _check(fn)
    with get_default_graph().name_scope(name or "scan"):
        rows = _Rows(elems)
        structure = elems if initializer is None else initializer
        last = rows.count - 1
        if initializer is None:
            carried = rows.read_flat(last if reverse else 0)
        else:
            carried = [convert_to_tensor(leaf) for leaf in nest.flatten(initializer)]
        arrays = [
            _array(item.dtype, rows.count, infer_shape, item.shape if infer_shape else None)
            for item in carried
        ]
        start = convert_to_tensor(last if reverse else 0)
        if initializer is None:
            arrays = _written(arrays, start, carried)
            start = start - 1 if reverse else start + 1

        def step(index: Tensor, carried: Tensor, results: list[Any]) -> Any:
            value = fn(nest.pack_sequence_as(structure, carried), rows.read(index))
            nest.assert_same_structure(structure, value)
            flat = [convert_to_tensor(leaf) for leaf in nest.flatten(value)]
            return index - 1 if reverse else index + 1, flat, _written(results, index, flat)

        _, _, results = while_loop(
            lambda index, *_: index >= 0 if reverse else index < rows.count,
            step,
            (start, carried, arrays),
            **options,
        )
        stacked = [rows.with_count(result.stack()) for result in results]
        return nest.pack_sequence_as(structure, stacked)


def _written(arrays: list[Any], index: Tensor, values: list[Any]) -> list[Any]:
    return [array.write(index, value) for array, value in zip(arrays, values, strict=True)]
