"""Arithmetic and reductions in the spelling of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.ops.array.shape import size
from placewise.ops.convert import convert_to_tensor
from placewise.ops.linalg import matmul as products_of_matrices
from placewise.ops.linalg import products
from placewise.ops.math import (
    clip,
    division,
    extremes,
    histogram,
    reduction,
    statistics,
)
from placewise.ops.math.arithmetic import minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import rsqrt
from placewise.ops.tf1_spelling import add_tf1
from placewise.tf1.names import in_scope
from placewise.tf1.spelling import spelled

_REDUCED = (
    "input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None"
)


def _reduction(function: Callable[..., Any], scope: str | None = None) -> Any:
    return spelled(function, _REDUCED, scope, reduction_indices="axis", keep_dims="keepdims")


reduce_sum = _reduction(reduction.reduce_sum)
reduce_mean = _reduction(reduction.reduce_mean)
reduce_max = _reduction(reduction.reduce_max)
reduce_min = _reduction(reduction.reduce_min)
reduce_prod = _reduction(reduction.reduce_prod)
reduce_all = _reduction(reduction.reduce_all)
reduce_any = _reduction(reduction.reduce_any)
reduce_logsumexp = _reduction(statistics.reduce_logsumexp, "ReduceLogSumExp")


def _found(
    function: Callable[..., Any],
    axis: int | None,
    name: Any,
    dimension: int | None,
    output_type: DType,
    x: TensorLike,
) -> Any:
    if dimension is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dimension'")
        axis = dimension
    return function(x, 0 if axis is None else axis, output_type, name)


def argmax(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Any:
    """Return the position of the largest element along an axis; of several the first.

    `input`: real numbers.
    `axis`: the axis to look along, 0 by default.
    `dimension`: the former name of `axis`.
    `output_type`: the dtype of the positions, int64 by default.

    Raises ValueError if both `axis` and `dimension` are there, InvalidArgumentError for an axis
    that is empty or beyond the rank.

    >>> tf.compat.v1.argmax([[1, 9], [7, 5]], 1).numpy()
    array([1, 0])
    """
    return _found(extremes.argmax, axis, name, dimension, output_type, input)


def argmin(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Any:
    """Return the position of the smallest element along an axis, the first by default."""
    return _found(extremes.argmin, axis, name, dimension, output_type, input)


arg_max = spelled(
    extremes.argmax, "input, dimension, output_type=int64, name=None", dimension="axis"
)
arg_min = spelled(
    extremes.argmin, "input, dimension, output_type=int64, name=None", dimension="axis"
)
in_top_k = spelled(extremes.in_top_k, "predictions, targets, k, name=None", "in_top_k")
top_k = spelled(extremes.top_k, "input, k=1, sorted=True, index_type=int32, name=None")
count_nonzero = spelled(
    statistics.count_nonzero,
    "input_tensor=None, axis=None, keepdims=None, dtype=int64, name=None, reduction_indices=None,"
    " keep_dims=None, input=None",
    "count_nonzero",
    input_tensor="input",
    reduction_indices="axis",
    keep_dims="keepdims",
)
confusion_matrix = spelled(
    histogram.confusion_matrix,
    "labels, predictions, num_classes=None, dtype=int32, name=None, weights=None",
    "confusion_matrix",
)
norm = spelled(
    products.norm,
    "tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None",
    "norm",
    keep_dims="keepdims",
)
clip_by_value = spelled(
    clip.clip_by_value, "t, clip_value_min, clip_value_max, name=None", "clip_by_value", True
)
clip_by_norm = spelled(
    clip.clip_by_norm, "t, clip_norm, axes=None, name=None", "clip_by_norm", True
)
global_norm = clip.global_norm
clip_by_global_norm = clip.clip_by_global_norm
matmul = spelled(
    products_of_matrices.matmul,
    "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,"
    " a_is_sparse=False, b_is_sparse=False, name=None",
)
bincount = spelled(
    histogram.bincount, "arr, weights=None, minlength=None, maxlength=None, dtype=int32"
)


def _to(dtype: DType, name: str) -> Any:
    def convert(x: TensorLike, name: str | None = name) -> Any:
        return cast(x, dtype, name)

    convert.__name__ = convert.__qualname__ = f"to_{dtype.name}"
    example = f"tf.cast([1, 2], tf.{dtype.name}).dtype"
    convert.__doc__ = (
        f"Return `x` as {dtype.name}; the former way to write `tf.cast(x, tf.{dtype.name})`.\n\n"
        f">>> {example}\ntf.{dtype.name}"
    )
    return convert


to_float = _to(dtypes.float32, "ToFloat")
to_double = _to(dtypes.float64, "ToDouble")
to_int32 = _to(dtypes.int32, "ToInt32")
to_int64 = _to(dtypes.int64, "ToInt64")
to_bfloat16 = _to(dtypes.bfloat16, "ToBFloat16")
to_complex64 = _to(dtypes.complex64, "ToComplex64")
to_complex128 = _to(dtypes.complex128, "ToComplex128")


def clip_by_average_norm(t: Any, clip_norm: TensorLike, name: str | None = None) -> Any:
    """Return `t`, scaled down if its norm divided by its size exceeds `clip_norm`."""
    with in_scope(name, "clip_by_average_norm"):
        t = convert_to_tensor(t)
        count = cast(size(t), dtypes.float32)
        inverse = rsqrt(reduction.reduce_sum(t * t, keepdims=True))
        limit = convert_to_tensor(clip_norm, t.dtype.base_dtype)
        return t * limit * minimum(inverse * count, 1.0 / limit)


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Return x + y, element by element; strings are joined.

    `x`, `y`: tensors of one dtype, numbers or strings, that broadcast to one shape.

    In graphs of TensorFlow 1 it is the op `Add`.

    >>> tf.compat.v1.add([1, 2], 10).numpy()
    array([11, 12], dtype=int32)
    """
    return add_tf1(x, y, name or "Add")


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Return x / y as Python 2 did: of integers the floor, else the true quotient."""
    with in_scope(name, "div") as scope:
        left = convert_to_tensor(x, name="x")
        right = convert_to_tensor(y, left.dtype.base_dtype, name="y")
        return division.div(left, right, scope)


sparse_matmul = spelled(
    products_of_matrices.sparse_matrix_product,
    "a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None",
)
sparse_matmul.__name__ = sparse_matmul.__qualname__ = "sparse_matmul"
sparse_matmul.__doc__ = "Return the product of two matrices with many zeros."
