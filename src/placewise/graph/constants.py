"""Constants as TensorFlow 1 writes them down: given, filled, or known from a shape."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.nest import Composite
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape, known_sizes
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.memory.host import reserve_on_host
from placewise.ops.array import creation
from placewise.ops.array import shape as shapes
from placewise.ops.convert import constant_of, convert_to_tensor, host_constant
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.values import filled

# Smaller constants are written down whole, larger ones as a Fill op.
_SMALL = 1000


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Any:
    """Return a tensor that holds `value`; in a graph it becomes part of the graph.

    `value`: a number, a string, nested lists of these, or a NumPy array.
    `dtype`: the dtype of the result. By default Python floats become float32 and integers int32.
    `shape`: the shape of the result. In a graph, elements that are missing at the end repeat the
        last one; eagerly there must be one element, or as many as the shape has.
    `verify_shape`: raise TypeError instead if `value` has another shape.

    >>> tf.compat.v1.constant([1, 2, 3, 4], shape=[2, 2]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    wanted = None if dtype is None else as_dtype(dtype).base_dtype
    if isinstance(value, Tensor):
        raise TypeError(f"List of Tensors when single Tensor expected: {value}")
    if current.interpreter is Scope.eager and not verify_shape:
        return constant_of(value, wanted, shape, name)
    array = host_constant(value, wanted)
    if shape is not None:
        array = _spread(array, TensorShape(shape), verify_shape)
    return current.interpreter.constant(array, wanted, None, name)


def _spread(array: np.ndarray[Any, Any], shape: TensorShape, verify: bool) -> Any:
    dims: Any = tuple(shape.as_list())
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
    if flat.size == 1:  # a graph keeps one value
        reserve_on_host(dims, flat.dtype)
        return np.broadcast_to(flat.reshape(()), dims)
    filled_array = np.empty(count, flat.dtype)
    filled_array[: flat.size] = flat
    filled_array[flat.size :] = flat[-1]
    return filled_array.reshape(dims)


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor of zeros (empty strings, False) of a shape.

    `shape`: a list of sizes, a TensorShape or an integer vector.
    `dtype`: the dtype of the elements, float32 by default.

    In a graph, small zeros are a constant and large ones an operation that fills.

    >>> tf.compat.v1.zeros([2], tf.int32).numpy()
    array([0, 0], dtype=int32)
    """
    if current.interpreter is Scope.eager:
        return creation.zeros(shape, dtype, name)
    kind = as_dtype(dtype).base_dtype
    nothing = b"" if kind is dtypes.string else False if kind is dtypes.bool else 0
    return _filled(shape, nothing, kind, name or "zeros")


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return a tensor of ones (True) of a shape.

    `shape`: a list of sizes, a TensorShape or an integer vector.
    `dtype`: the dtype of the elements, float32 by default.

    In a graph, a few ones are a constant and many an operation that fills.

    >>> tf.compat.v1.ones([2]).numpy()
    array([1., 1.], dtype=float32)
    """
    if current.interpreter is Scope.eager:
        return creation.ones(shape, dtype, name)
    kind = as_dtype(dtype).base_dtype
    return _filled(shape, True if kind is dtypes.bool else 1, kind, name or "ones")


def _filled(source: Any, value: Any, dtype: Any, name: str) -> Any:
    with get_default_graph().name_scope(name) as scope:
        dims = _static(source)
        content = host_constant(value, dtype)
        if dims is not None:
            # A number is not taken for a small shape; TensorFlow's check of the size fails on it.
            is_number = isinstance(source, (int, np.integer))
            if not is_number and int(np.prod(dims, dtype=np.int64)) < _SMALL:
                array = filled(dims, content[()], content.dtype)
                return current.interpreter.constant(array, dtype, None, scope)
            size_of = convert_to_tensor(dims, dtypes.int32, name="shape_as_tensor")
        else:
            _compare_size(source)
            size_of = creation.shape_argument(convert_to_tensor(source, name="packed"))
        filler = current.interpreter.constant(content, dtype, None, "Const")
        return creation.fill.bind(size_of, filler, scope)


def _compare_size(source: Any) -> None:
    """Write the ops that TensorFlow 1 leaves behind when it asks whether a shape is small.

    Nobody reads them, but ops without a seed take one by the number of ops before them.
    """
    if isinstance(source, (list, tuple)) and source and is_tf1_graph():
        product = functools.reduce(operator.mul, source)
        if isinstance(product, Tensor):
            product < _SMALL  # noqa: B015


def _static(shape: Any) -> list[int] | None:
    """Return a shape in plain numbers, if it has only those."""
    if isinstance(shape, Tensor):
        return None
    try:
        dims = TensorShape(shape)
    except (TypeError, ValueError):
        return None
    sizes = known_sizes(dims._dims)
    return None if sizes is None else list(sizes)


def zeros_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Return zeros (empty strings, False) in the shape of `tensor`.

    `tensor`: any tensor; its values are not read.
    `dtype`: the dtype of the result, that of `tensor` by default.
    `optimize`: make a constant in the graph if the shape is known.

    >>> tf.compat.v1.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.], dtype=float32)
    """
    if current.interpreter is Scope.eager or isinstance(tensor, Composite):
        return creation.zeros_like(tensor, dtype, name)
    with get_default_graph().name_scope(name or "zeros_like") as scope:
        source = convert_to_tensor(tensor, name="tensor")
        kind = source.dtype.base_dtype if dtype is None else as_dtype(dtype)
        if optimize and source.shape.is_fully_defined() and kind is not dtypes.variant:
            return zeros(source.shape, kind, scope)
        if kind is not source.dtype.base_dtype:
            return zeros(shape(source, optimize=optimize), kind, scope)
        return creation._zeros_like(source, scope)


def ones_like(
    tensor: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    optimize: bool = True,
) -> Any:
    """Return ones (True) in the shape of `tensor`.

    `tensor`: any tensor; its values are not read.
    `dtype`: the dtype of the result, that of `tensor` by default.
    `optimize`: make a constant in the graph if the shape is known.

    >>> tf.compat.v1.ones_like([1.5, 2.5]).numpy()
    array([1., 1.], dtype=float32)
    """
    if current.interpreter is Scope.eager or isinstance(tensor, Composite):
        return creation.ones_like(tensor, dtype, name)
    with get_default_graph().name_scope(name or "ones_like") as scope:
        source = convert_to_tensor(tensor, name="tensor")
        kind = source.dtype.base_dtype if dtype is None else dtype
        result = ones(shape(source, optimize=optimize), kind, scope)
        result.set_shape(source.shape)
        return result


def shape(
    input: Any, name: str | None = None, out_type: Any = dtypes.int32, optimize: bool = True
) -> Any:
    """Return the shape of `input` as an integer vector; a constant if all of it is known.

    `input`: any tensor, sparse ones included.
    `out_type`: int32 (the default) or int64.
    `optimize`: with False an operation is made also where the shape is known.

    The vector is in host memory, whatever the device of `input`.

    >>> tf.compat.v1.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    if current.interpreter is Scope.eager or isinstance(input, Composite) or not optimize:
        return shapes.shape(input, out_type, name)
    tensor = convert_to_tensor(input)
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.as_list(), out_type, name=name or shapes.shape.op.name)
    return shapes.shape(tensor, out_type, name)


def size(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Any:
    """Return the number of elements of `input`; a constant if it is known."""
    if current.interpreter is Scope.eager or isinstance(input, Composite):
        return shapes.size(input, out_type, name)
    tensor = convert_to_tensor(input)
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.num_elements(), out_type, name=name or shapes.size.op.name)
    return shapes.size(tensor, out_type, name)


def rank(input: Any, name: str | None = None) -> Any:
    """Return the number of dimensions of `input`; a constant if it is known."""
    if current.interpreter is Scope.eager or isinstance(input, Composite):
        return shapes.rank(input, name)
    tensor = convert_to_tensor(input)
    if tensor.shape.rank is not None:
        return constant(tensor.shape.rank, dtypes.int32, name=name or shapes.rank.op.name)
    return shapes.rank(tensor, name)
