"""`tf.zeros`, `tf.ones`, `tf.shape` and their like: constants in a graph where they can be.

TensorFlow has a constant called `zeros` or `Shape` there, and ops without a seed take one by
the number of ops before them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.nest import Composite
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph import constants
from placewise.graph.defaults import get_default_graph
from placewise.ops.array import creation
from placewise.ops.array import shape as shapes
from placewise.ops.convert import convert_to_tensor

_SHAPES = (Tensor, TensorShape, list, tuple, np.ndarray, int)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the shape of `input` as an integer vector.

    `input`: any tensor, sparse and ragged ones included.
    `out_type`: int32 (the default) or int64.

    Use it where `input.shape` has unknown sizes: the vector has the sizes of the run. It lies in
    host memory, whatever the device of `input`. In a graph it is a constant if all sizes are known.

    >>> tf.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    if current.interpreter is Scope.eager:
        return shapes.shape(input, out_type, name)
    kind = dtypes.int32 if out_type is None else as_dtype(out_type)
    result: Tensor = constants.shape(input, name, kind)
    return result


def zeros(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """Return a tensor of zeros (empty strings, False) of a shape.

    `shape`: a list of sizes, a TensorShape or an integer vector.
    `dtype`: the dtype of the elements, float32 by default.
    `layout`: accepted for TensorFlow's sake; anything but None has no effect here.

    In a graph, small zeros are a constant and large ones an operation that fills.

    >>> tf.zeros([2, 2], tf.int32).numpy()
    array([[0, 0],
           [0, 0]], dtype=int32)
    """
    if current.interpreter is Scope.eager or not isinstance(shape, _SHAPES):
        return creation.zeros(shape, dtype, name)
    result: Tensor = constants.zeros(shape, dtype, name)
    return result


def ones(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """Return a tensor of ones (True) of a shape.

    `shape`: a list of sizes, a TensorShape or an integer vector.
    `dtype`: the dtype of the elements, float32 by default. Strings have no one: TypeError.
    `layout`: accepted for TensorFlow's sake; anything but None has no effect here.

    In a graph, a few ones are a constant and many an operation that fills.

    >>> tf.ones([3]).numpy()
    array([1., 1., 1.], dtype=float32)
    """
    if current.interpreter is Scope.eager or not isinstance(shape, _SHAPES):
        return creation.ones(shape, dtype, name)
    result: Tensor = constants.ones(shape, dtype, name)
    return result


def zeros_like(
    input: Any, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Return zeros (empty strings, False) in the shape of `input`.

    `input`: any tensor; its values are not read.
    `dtype`: the dtype of the result, that of `input` by default.
    `layout`: accepted for TensorFlow's sake; anything but None has no effect here.

    In a graph they are a constant if the shape is known and small.

    >>> tf.zeros_like([1.5, 2.5]).numpy()
    array([0., 0.], dtype=float32)
    """
    if current.interpreter is Scope.eager:
        return creation.zeros_like(input, dtype, name)
    result: Tensor = constants.zeros_like(input, dtype, name)
    return result


def ones_like(
    input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Return ones (True) in the shape of `input`.

    `input`: any tensor; its values are not read.
    `dtype`: the dtype of the result, that of `input` by default.
    `layout`: accepted for TensorFlow's sake; anything but None has no effect here.

    In a graph they are a constant if the shape is known and small.

    >>> tf.ones_like([[3, 4]], dtype=tf.float32).numpy()
    array([[1., 1.]], dtype=float32)
    """
    if current.interpreter is Scope.eager or isinstance(input, Composite):
        return creation.ones_like(input, dtype, name)
    with get_default_graph().name_scope(name or "ones_like") as scope:
        source = convert_to_tensor(input, name="tensor")
        kind = source.dtype.base_dtype if dtype is None else as_dtype(dtype)
        if source.shape.is_fully_defined():
            return ones(source.shape, kind, scope)
        if kind is not source.dtype.base_dtype:
            return ones(constants.shape(source), kind, scope)
        result: Tensor = creation._ones_like(source, scope)
        return result
