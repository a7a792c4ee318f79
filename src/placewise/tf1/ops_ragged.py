"""`tf.ragged` of TensorFlow 1: values of ragged tensors as arrays, and placeholders for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.shapes import TensorShape
from placewise.graph.inputs import placeholder as dense_placeholder
from placewise.ops.ragged.constant import cut_rows, ragged_layout
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.ragged.value import value_of


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Return nested lists as a RaggedTensorValue, or as an array when nothing can be ragged.

    The parameters and errors are those of `tf.ragged.constant`; nothing is put into a graph.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).to_list()
    [[1, 2], [3]]
    """
    splits_type = as_dtype(row_splits_dtype)
    if splits_type not in (dtypes.int32, dtypes.int64):
        raise ValueError("dtype must be tf.int32 or tf.int64")
    # The values stay in NumPy: `float` is its float64, not TensorFlow's float32.
    numpy_type = dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype
    layout = ragged_layout(pylist, ragged_rank, inner_shape)
    if layout is None:
        array = np.array(pylist, numpy_type)
        return array if inner_shape is None else array.reshape(inner_shape)
    rank, inner = layout
    nested_splits, values = cut_rows(pylist, rank)
    flat = np.array(values, numpy_type).reshape((len(values), *inner))
    return value_of([flat, *[np.array(s, splits_type.as_numpy_dtype) for s in nested_splits]])


def placeholder(
    dtype: DTypeLike,
    ragged_rank: int,
    value_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:
    """Return a ragged tensor that is fed when the graph runs, with a RaggedTensorValue.

    `ragged_rank`: how many dimensions are ragged; 0 gives a plain placeholder.
    `value_shape`: the shape of each innermost value; by default not known.
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    scope = name or "RaggedPlaceholder"
    shape = None if value_shape is None else TensorShape([None]).concatenate(value_shape)
    result = dense_placeholder(dtype, shape, f"{scope}/flat_values")
    for level in reversed(range(ragged_rank)):
        splits = dense_placeholder(dtypes.int64, [None], f"{scope}/row_splits_{level}")
        result = RaggedTensor.from_row_splits(result, splits, validate=False)
    return result
