"""Normal samples, whole and truncated, drawn from seeded streams."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import FLOATS, INDEX, as_dtype
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.random import samples
from placewise.ops.random.shapes import require, sample_shape, size_of
from placewise.ops.random.streams import SEEDS, Stream, op_seeds
from placewise.ops.values import TORCH


@op(
    "RandomStandardNormal(shape: T; seed: int = 0, seed2: int = 0, dtype: type) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    T=INDEX,
    dtype=FLOATS,
    result="whole",
)
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return samples of the normal distribution with the given mean and deviation."""
    dtype = as_dtype(dtype)
    mean, stddev = parameters(mean, stddev, dtype)
    result = normal.bind(shape, **op_seeds(seed), dtype=dtype, name=name)
    return moved(result, mean, stddev)


def parameters(mean: Any, stddev: Any, dtype: Any) -> tuple[Any, Any]:
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


def moved(result: Any, mean: Any, stddev: Any) -> Any:
    """Return standard samples with another mean and deviation, from `parameters`."""
    if stddev is not None:
        result = result * stddev
    if mean is not None:
        result = result + mean
    return result


normal.shape(sample_shape)


@normal.kernel
def random_standard_normal_kernel(
    shape: Any,
    *,
    seed: int,
    seed2: int,
    dtype: Any,
    stream: Stream | None = None,
    torch_device: str = "cpu",
) -> Any:
    dims, count = size_of(shape)
    require(dtype, FLOATS)
    if stream is None:
        stream = SEEDS.stream("RandomStandardNormal", seed, seed2, dtype, shape.dtype)
    place = stream.reserve_samples(count)
    return samples.normal(place, count, TORCH[dtype], torch_device).resize_(dims)


@op(
    "TruncatedNormal(shape: T; seed: int = 0, seed2: int = 0, dtype: type) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    T=INDEX,
    dtype=FLOATS,
    result="whole",
)
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return normal samples; those beyond two deviations from the mean are drawn again."""
    dtype = as_dtype(dtype)
    mean, stddev = parameters(mean, stddev, dtype)
    result = truncated_normal.bind(shape, **op_seeds(seed), dtype=dtype, name=name)
    return moved(result, mean, stddev)


truncated_normal.shape(sample_shape)


@truncated_normal.kernel
def truncated_normal_kernel(
    shape: Any,
    *,
    seed: int,
    seed2: int,
    dtype: Any,
    stream: Stream | None = None,
    torch_device: str = "cpu",
) -> Any:
    dims, count = size_of(shape)
    require(dtype, FLOATS)
    if stream is None:
        stream = SEEDS.stream("TruncatedNormal", seed, seed2, dtype, shape.dtype)
    place = stream.reserve_samples(count)
    return samples.truncated_normal(place, count, TORCH[dtype], torch_device).resize_(dims)
