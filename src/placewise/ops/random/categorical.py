"""Samples of the categories whose unnormalized log-probabilities are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, INDEX, REAL, DType, as_dtype
from placewise.core.errors import NotFoundError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.random.samples import uniform
from placewise.ops.random.stateless import place_of_seed
from placewise.ops.random.streams import SEEDS, Stream, op_seeds
from placewise.ops.values import TORCH, dtype_of
from placewise.ops.work import random_work


def _checked_dtype(dtype: DType | None) -> Any:
    dtype = dtypes.int64 if dtype is None else as_dtype(dtype)
    if dtype not in INDEX:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are (tf.int32, tf.int64)."
        )
    return dtype


@op(
    "Multinomial(logits: T, num_samples: int32; seed: int = 0, seed2: int = 0,"
    " output_dtype: type = int64) -> output: output_dtype",
    host=("num_samples",),
    stateful=True,
    differentiable=False,
    T=REAL,
    work=random_work,
    output_dtype=INDEX,
)
def categorical(
    logits: TensorLike,
    num_samples: Any,
    dtype: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return, for each row of `logits`, `num_samples` categories drawn by their probabilities."""
    dtype = _checked_dtype(dtype)
    return categorical.bind(logits, num_samples, **op_seeds(seed), output_dtype=dtype, name=name)


@categorical.shape
def multinomial_shape(logits: Static, num_samples: Static, *_: object, **__: object) -> Dims:
    rows = None if logits.shape is None else logits.shape[0]
    return (rows, None if num_samples.value is None else int(num_samples.value))


def _check(logits: Any, num_samples: Any) -> int:
    if dtype_of(logits) not in FLOATS:
        # The op is defined for integers too, but TensorFlow has no kernel for them either.
        raise NotFoundError(
            None,
            None,
            "Could not find device for node: {{node Multinomial}} = Multinomial"
            f"[T={dtype_of(logits).name}]",
        )
    if logits.dim() != 2:
        raise invalid(f"logits should be a matrix, got shape {bracketed(logits.shape)}")
    if num_samples.ndim:
        raise invalid(f"num_samples should be a scalar, got shape {bracketed(num_samples.shape)}")
    if num_samples < 0:
        raise invalid(f"num_samples should be non-negative, got {int(num_samples)}")
    if not logits.shape[1]:
        raise invalid("num_classes should be positive, got 0")
    return int(num_samples)


def _drawn(generator: Any, logits: Any, count: int, dtype: Any) -> Any:
    wide = logits.detach().to(torch.float64)
    rows, classes = wide.shape
    top = wide.amax(1, keepdim=True)
    # Logits that are no finite numbers are never drawn. On a device nobody looks for them first.
    largest = host_array(top, torch.float64)
    if largest is None or not np.isfinite(largest).all():
        top = torch.where(torch.isfinite(wide), wide, -torch.inf).amax(1, keepdim=True)
    weights = torch.exp_(wide - top)
    drawn = uniform(generator, rows * count, torch.float64, str(wide.device))
    array = host_array(weights, torch.float64) if native.code is not None else None
    if array is not None:
        chosen = np.empty((rows, count), np.int64)
        native.code.categorical(drawn.numpy(), array, chosen, classes)
        return torch.from_numpy(chosen).to(TORCH[dtype])
    # On the host torch adds up in plain order: the boundaries are TensorFlow's to the last bit.
    sums = torch.cumsum(torch.where(torch.isfinite(weights), weights, 0.0), 1)
    wanted = drawn.reshape(rows, count) * sums[:, -1:]
    return torch.searchsorted(sums, wanted, right=True).to(TORCH[dtype])


@categorical.kernel
def multinomial_kernel(
    logits: torch.Tensor,
    num_samples: np.ndarray[Any, Any],
    *,
    seed: int,
    seed2: int,
    output_dtype: DType,
    stream: Stream | None = None,
) -> Any:
    count = _check(logits, num_samples)
    if stream is None:
        stream = SEEDS.stream("Multinomial", seed, seed2, logits.dtype, output_dtype)
    place = stream.reserve_samples(logits.shape[0] * -(-count // 4) * 8)
    return _drawn(place, logits, count, output_dtype)


stateless_multinomial = define(
    "StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed; output_dtype: type = int64)"
    " -> output: output_dtype",
    host=("num_samples",),
    host_or_device=("seed",),
    differentiable=False,
    T=REAL,
    Tseed=INDEX,
    doc="Return categories drawn by their probabilities, fixed by a seed pair.",
    work=random_work,
    output_dtype=INDEX,
)
stateless_multinomial.shape(multinomial_shape)


@stateless_multinomial.kernel
def stateless_multinomial_kernel(
    logits: Any, num_samples: np.ndarray[Any, Any], seed: Any, *, output_dtype: Any
) -> Any:
    count = _check(logits, num_samples)
    return _drawn(place_of_seed(seed), logits, count, output_dtype)


def stateless_categorical(
    logits: TensorLike,
    num_samples: Any,
    seed: TensorLike,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Return categories drawn by their probabilities, fixed by `seed`."""
    dtype = _checked_dtype(dtype)
    return stateless_multinomial(logits, num_samples, seed, output_dtype=dtype, name=name)
