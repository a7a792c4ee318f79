"""Normal samples, whole and truncated, drawn from seeded streams."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike
from placewise.core.dtypes import FLOATS, INDEX, DType, as_dtype
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.random import samples
from placewise.ops.random.float_kernel import float_kernel
from placewise.ops.random.shapes import sample_shape
from placewise.ops.random.streams import op_seeds
from placewise.ops.work import random_work


@op(
    "RandomStandardNormal(shape: T; seed: int = 0, seed2: int = 0, dtype: type) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    T=INDEX,
    dtype=FLOATS,
    result="whole",
    work=random_work,
)
def normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return random numbers of the normal distribution.

    `shape`: the shape of the result.
    `mean`, `stddev`: numbers or tensors that broadcast to the result.
    `dtype`: float16, bfloat16, float32 or float64.
    `seed`: with it, or with `tf.random.set_seed`, a program draws the same numbers in every run, on
        every device: those TensorFlow draws.

    >>> tf.random.normal([2, 3], mean=5.0).shape
    TensorShape([2, 3])
    """
    return _draw(normal.bind, shape, mean, stddev, dtype, seed, name)


def _draw(
    bind: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any, name: str | None
) -> Any:
    """Return samples of an op for the standard distribution, moved and scaled."""
    dtype = as_dtype(dtype)
    mean, stddev = parameters(mean, stddev, dtype)
    return moved(bind(shape, **op_seeds(seed), dtype=dtype, name=name), mean, stddev)


def parameters(mean: Any, stddev: Any, dtype: DType) -> tuple[Any, Any]:
    """Return mean and deviation as tensors; the numbers 0 and 1, which change nothing, as None."""
    plain = dtype.is_floating
    if plain and type(mean) in (int, float) and mean == 0:
        mean = None
    else:
        mean = convert_to_tensor(mean, dtype)
    if plain and type(stddev) in (int, float) and stddev == 1:
        stddev = None
    else:
        stddev = convert_to_tensor(stddev, dtype)
    return mean, stddev


def moved(result: Tensor, mean: Tensor | None, stddev: Tensor | None) -> Any:
    """Return standard samples with another mean and deviation, from `parameters`."""
    if stddev is not None:
        result = result * stddev
    if mean is not None:
        result = result + mean
    return result


normal.shape(sample_shape)
normal.kernel(float_kernel("RandomStandardNormal", samples.normal))


@op(
    "TruncatedNormal(shape: T; seed: int = 0, seed2: int = 0, dtype: type) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    T=INDEX,
    dtype=FLOATS,
    result="whole",
    work=random_work,
)
def truncated_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return normal samples; those beyond two deviations from the mean are drawn again."""
    return _draw(truncated_normal.bind, shape, mean, stddev, dtype, seed, name)


truncated_normal.shape(sample_shape)
truncated_normal.kernel(float_kernel("TruncatedNormal", samples.truncated_normal))
