"""Uniform samples of floats and integers, drawn from seeded streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import FLOATS, INDEX, DType, as_dtype
from placewise.core.errors import hint
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor, host_number
from placewise.ops.declare import define, op
from placewise.ops.random import samples
from placewise.ops.random.float_kernel import float_kernel
from placewise.ops.random.shapes import bounds, sample_shape, size_of
from placewise.ops.random.streams import SEEDS, Stream, op_seeds
from placewise.ops.work import random_work

if TYPE_CHECKING:
    import numpy as np


_ACCEPTED = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
)


@op(
    "RandomUniform(shape: T; seed: int = 0, seed2: int = 0, dtype: type) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    T=INDEX,
    dtype=FLOATS,
    result="whole",
    work=random_work,
)
def uniform(
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
    `seed`: with it, or with `tf.random.set_seed`, a program draws the same numbers in every run, on
        every device: those TensorFlow draws.

    Raises ValueError for integers without `maxval`, InvalidArgumentError for an empty integer
    range.

    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([3], maxval=10, dtype=tf.int32, seed=2).numpy()
    array([...], dtype=int32)
    """
    dtype = as_dtype(dtype)
    if dtype not in _ACCEPTED:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are "
            f"({', '.join(map(repr, _ACCEPTED))})."
        )
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(
                hint(
                    f"Must specify maxval for integer dtype {dtype!r}",
                    "tf.random.uniform(shape, 0, 10, tf.int32) gives 0 to 9",
                )
            )
        maxval = 1
    if dtype.is_integer:
        low, high = host_number(minval, dtype), host_number(maxval, dtype)
        return uniform_int(shape, low, high, **op_seeds(seed), name=name)
    result = uniform.bind(shape, **op_seeds(seed), dtype=dtype, name=name)
    return stretched(result, minval, maxval, dtype)


def stretched(result: Tensor, minval: TensorLike, maxval: TensorLike, dtype: DType) -> Any:
    """Return samples of [0, 1) moved to [minval, maxval)."""
    starts_at_zero = type(minval) in (int, float) and minval == 0
    if starts_at_zero and type(maxval) in (int, float) and maxval == 1:
        return result
    high = convert_to_tensor(maxval, dtype)
    if starts_at_zero:
        return result * high
    low = convert_to_tensor(minval, dtype)
    return result * (high - low) + low


uniform.shape(sample_shape)
uniform.kernel(float_kernel("RandomUniform", samples.uniform))


uniform_int = define(
    "RandomUniformInt(shape: T, minval: Tout, maxval: Tout; seed: int = 0, seed2: int = 0)"
    " -> output: Tout",
    host=("shape", "minval", "maxval"),
    stateful=True,
    differentiable=False,
    T=INDEX,
    Tout=INDEX,
    doc="Return integers in [minval, maxval).",
    result="whole",
    work=random_work,
)
uniform_int.shape(sample_shape)


@uniform_int.kernel
def random_uniform_int_kernel(
    shape: np.ndarray[Any, Any],
    minval: np.ndarray[Any, Any],
    maxval: np.ndarray[Any, Any],
    *,
    seed: int,
    seed2: int,
    stream: Stream | None = None,
    torch_device: str = "cpu",
) -> Any:
    dims, count = size_of(shape)
    low, high = bounds(minval, maxval)
    if stream is None:
        stream = SEEDS.stream("RandomUniformInt", seed, seed2, minval.dtype, shape.dtype)
    place = stream.reserve_samples(count)
    return samples.integers(place, count, low, high, minval.dtype, torch_device).resize_(dims)
