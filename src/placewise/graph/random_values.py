"""Random values as TensorFlow 1 writes them down: a name scope with shape and parameters inside.

An op without a seed of its own gets one by its place in the graph, so the number of nodes before
it matters: shape and parameters are constants that come first.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.graph.defaults import get_default_graph
from placewise.ops.convert import convert_to_tensor
from placewise.ops.random import normal as normals
from placewise.ops.random import uniform as uniforms
from placewise.ops.random.streams import op_seeds
from placewise.ops.tf1_spelling import add_tf1


def shape_tensor(shape: Any) -> Any:
    """Return a shape as an integer vector named `shape`."""
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (list, tuple)):
        plain = [getattr(item, "value", item) if _is_dimension(item) else item for item in shape]
        shape = tuple(plain)
        if not shape:
            return convert_to_tensor(shape, dtypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape")


def _is_dimension(value: int) -> bool:
    return type(value).__name__ == "Dimension"


def _moved(
    function: Any,
    default: str,
    shape: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    seed: Any,
    name: str | None,
) -> Any:
    dtype = as_dtype(dtype)
    with get_default_graph().name_scope(name or default) as scope:
        size = shape_tensor(shape)
        centre = convert_to_tensor(mean, dtype, name="mean")
        width = convert_to_tensor(stddev, dtype, name="stddev")
        drawn = function.bind(size, **op_seeds(seed), dtype=dtype)
        return add_tf1(drawn * width, centre, name=scope)


def random_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return random numbers of the normal distribution.

    `shape`: the shape of the result.
    `mean`, `stddev`: numbers or tensors that broadcast to the result.
    `dtype`: float16, bfloat16, float32 or float64.
    `seed`: with it, or with `tf.compat.v1.set_random_seed`, a program draws the same numbers in
        every run, on every device: those TensorFlow draws.

    In a graph each run draws new numbers.

    >>> tf.compat.v1.random_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    if current.interpreter is Scope.eager:
        return normals.normal(shape, mean, stddev, dtype, seed, name)
    return _moved(normals.normal, "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return random numbers of the normal distribution within two deviations of its mean.

    `shape`: the shape of the result.
    `mean`, `stddev`: numbers or tensors that broadcast to the result.
    `dtype`: float16, bfloat16, float32 or float64.
    `seed`: with it, or with `tf.compat.v1.set_random_seed`, a program draws the same numbers in
        every run, on every device: those TensorFlow draws.

    Numbers further away are drawn again.

    >>> x = tf.compat.v1.truncated_normal([100])
    >>> bool(tf.reduce_max(tf.abs(x)) <= 2.0)
    True
    """
    if current.interpreter is Scope.eager:
        return normals.truncated_normal(shape, mean, stddev, dtype, seed, name)
    return _moved(
        normals.truncated_normal, "truncated_normal", shape, mean, stddev, dtype, seed, name
    )


def random_uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return random numbers that are equally likely in [`minval`, `maxval`).

    `shape`: the shape of the result.
    `minval`, `maxval`: the bounds; floats end at 1 by default, integers need a `maxval`.
    `dtype`: float16, bfloat16, float32, float64, int32 or int64.
    `seed`: with it, or with `tf.compat.v1.set_random_seed`, a program draws the same numbers in
        every run, on every device: those TensorFlow draws.

    Raises ValueError for integers without `maxval`.

    >>> x = tf.compat.v1.random_uniform([100], 5, 8, tf.int32)
    >>> int(tf.reduce_min(x)) >= 5 and int(tf.reduce_max(x)) < 8
    True
    """
    if current.interpreter is Scope.eager:
        return uniforms.uniform(shape, minval, maxval, dtype, seed, name)
    dtype = as_dtype(dtype)
    if dtype not in uniforms._ACCEPTED:
        raise ValueError(f"Invalid dtype {dtype!r}")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with get_default_graph().name_scope(name or "random_uniform") as scope:
        size = shape_tensor(shape)
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(maxval, dtype, name="max")
        seeds = op_seeds(seed)
        if dtype.is_integer:
            return uniforms.uniform_int(size, low, high, **seeds, name=scope)
        drawn = uniforms.uniform.bind(size, **seeds, dtype=dtype)
        return add_tf1(drawn * (high - low), low, name=scope)
