"""Normal samples truncated to bounds given per batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike
from placewise.core.dtypes import FLOATS, INDEX
from placewise.core.errors import invalid
from placewise.memory.transfer import move, to_host
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.random.bounded import BATCH, bounded_normal
from placewise.ops.random.philox import Philox
from placewise.ops.random.shapes import ending_in, sample_shape, size_of
from placewise.ops.random.stateless import host_place, place_of_seed
from placewise.ops.random.streams import SEEDS, Stream
from placewise.ops.work import random_work

# Draws that TensorFlow allows for one sample; decides how far a stream moves on.
_ITERATIONS = 1000

parameterized_truncated_normal = define(
    "ParameterizedTruncatedNormal(shape: T, means: dtype, stdevs: dtype, minvals: dtype,"
    " maxvals: dtype; seed: int = 0, seed2: int = 0) -> output: dtype",
    host=("shape",),
    stateful=True,
    differentiable=False,
    T=INDEX,
    dtype=FLOATS,
    doc="Return normal samples within bounds; parameters are scalars or one per row.",
    work=random_work,
)
parameterized_truncated_normal.shape(sample_shape)


def _float_array(value: torch.Tensor) -> Any:
    """Return a parameter as float32 or float64: half precision is computed in single.

    Rejection takes as many draws as it takes: the host computes it for every device.
    """
    wide = to_host(value.detach())
    return (wide if wide.dtype is torch.float64 else wide.float()).reshape(-1).numpy()


@parameterized_truncated_normal.kernel
def parameterized_truncated_normal_kernel(
    shape: np.ndarray[Any, Any],
    means: torch.Tensor,
    stdevs: torch.Tensor,
    minvals: torch.Tensor,
    maxvals: torch.Tensor,
    *,
    seed: int,
    seed2: int,
    stream: Stream | None = None,
) -> Any:
    dims, count = size_of(shape)
    if not dims:
        raise invalid("Shape tensor must not be empty, got []")
    named = {"means": means, "stdevs": stdevs, "minvals": minvals, "maxvals": maxvals}
    for name, value in named.items():
        if value.dim() > 1 or (value.dim() == 1 and value.shape[0] not in (1, dims[0])):
            raise invalid(
                f"Input {name} should have length 1 or shape[0], got shape: "
                f"{bracketed(value.shape)}"
            )
    arrays = [_float_array(value) for value in named.values()]
    if all(value.dim() == 0 or value.shape[0] == 1 for value in named.values()):
        batches, per = -(-count // BATCH), BATCH
    else:
        batches, per = dims[0], count // dims[0] if dims[0] else 0
    if stream is None:
        stream = SEEDS.stream("ParameterizedTruncatedNormal", seed, seed2, means.dtype, shape.dtype)
    place = stream.reserve(batches * 2 * _ITERATIONS * (per + 3) // 4)
    drawn = _in_batches(place, arrays, batches, per, count)
    return move(torch.from_numpy(drawn).to(means.dtype).reshape(dims), means.device)


def _in_batches(place: Philox, arrays: list[Any], batches: int, per: int, count: int) -> Any:
    """Return the samples of one batch after another, each going on where the last stopped."""
    result = np.empty(count, arrays[0].dtype)  # first: there may be no room for it
    for batch in range(batches):
        size = min(per, count - batch * per)
        chosen = [array[batch if array.size > 1 else 0] for array in arrays]
        drawn, used = bounded_normal(place, size, *chosen)
        place = place.skip(used)
        result[batch * per : batch * per + size] = drawn
    return result


stateless_parameterized = define(
    "StatelessParameterizedTruncatedNormal(shape: S, seed: Tseed, means: dtype, stddevs: dtype,"
    " minvals: dtype, maxvals: dtype) -> output: dtype",
    host=("shape", "seed"),
    devices=("CPU",),
    differentiable=False,
    S=INDEX,
    Tseed=INDEX,
    dtype=frozenset({dtypes.float16, dtypes.float32, dtypes.float64}),
    doc="Return normal samples within bounds, fixed by a seed pair.",
    work=random_work,
)
stateless_parameterized.shape(sample_shape)


@stateless_parameterized.kernel
def stateless_parameterized_truncated_normal_kernel(
    shape: np.ndarray[Any, Any],
    seed: np.ndarray[Any, Any],
    means: torch.Tensor,
    stddevs: torch.Tensor,
    minvals: torch.Tensor,
    maxvals: torch.Tensor,
) -> Any:
    try:
        wide = torch.broadcast_tensors(means, stddevs, minvals, maxvals)
    except RuntimeError:
        raise invalid("Shape passed in must end with broadcasted shape.") from None
    dims, count = ending_in(shape, wide[0].shape)
    batches = wide[0].numel()
    per = count // batches if batches else 0
    drawn = _in_batches(
        host_place(place_of_seed(seed)), [_float_array(w) for w in wide], batches, per, count
    )
    ordered = np.ascontiguousarray(drawn.reshape(batches, per).T) if per else drawn
    return torch.from_numpy(ordered).to(means.dtype).reshape(dims)


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: Sequence[Any],
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    """Return normal samples between `minvals` and `maxvals`, fixed by `seed`.

    `shape` ends in the shape that the parameters broadcast to.
    """
    given = [means, stddevs, minvals, maxvals]
    dtype = next((each.dtype for each in given if hasattr(each, "dtype")), dtypes.float32)
    tensors = [convert_to_tensor(each, dtype_hint=dtype) for each in given]
    return stateless_parameterized(shape, seed, *tensors, name=name)
