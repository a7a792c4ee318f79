"""Samples that count: Poisson and binomial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define, op
from placewise.ops.random.philox import Philox
from placewise.ops.random.rejection import binomial as binomial_samples
from placewise.ops.random.rejection import poisson as poisson_samples
from placewise.ops.random.shapes import ending_in, sample_shape, size_of
from placewise.ops.random.stateless import host_place, place_of_seed
from placewise.ops.random.streams import SEEDS, Stream, op_seeds
from placewise.ops.values import TORCH, to_numpy
from placewise.ops.work import random_work

TYPES = frozenset({dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})


@op(
    "RandomPoissonV2(shape: S, rate: R; seed: int = 0, seed2: int = 0, dtype: type = int64)"
    " -> output: dtype",
    host=("shape",),
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    S=INDEX,
    R=TYPES,
    dtype=TYPES,
    work=random_work,
)
def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return samples of shape `shape + lam.shape` of the Poisson distribution of mean `lam`."""
    dtype = as_dtype(dtype)
    return poisson.bind(shape, lam, **op_seeds(seed), dtype=dtype, name=name)


@poisson.shape
def random_poisson_shape(shape: Static, rate: Static, **_: object) -> Dims:
    dims = from_value(shape)
    return None if dims is None or rate.shape is None else dims + rate.shape


def _flat(value: torch.Tensor) -> Any:
    return to_numpy(value.detach().reshape(-1).to(torch.float64))


def _arranged(drawn: np.ndarray[Any, Any], per: int, dims: list[int], dtype: DType) -> Any:
    """Return samples drawn parameter by parameter in the order of the output."""
    ordered = np.ascontiguousarray(drawn.reshape(-1, per).T) if per else drawn
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(ordered).to(TORCH[dtype]).reshape(dims)


def _poisson(place: Philox, rate: torch.Tensor, per: int, dims: list[int], dtype: DType) -> Any:
    drawn = poisson_samples(place, np.repeat(_flat(rate), per), float(dtype.max))
    return _arranged(drawn, per, dims, dtype)


@poisson.kernel
def random_poisson_kernel(
    shape: np.ndarray[Any, Any],
    rate: torch.Tensor,
    *,
    seed: int,
    seed2: int,
    dtype: DType,
    stream: Stream | None = None,
) -> Any:
    dims, per = size_of(shape)
    if stream is None:
        stream = SEEDS.stream("RandomPoissonV2", seed, seed2, rate.dtype, dtype, shape.dtype)
    place = stream.reserve_samples(per * rate.numel())
    return _poisson(place, rate, per, dims + list(rate.shape), dtype)


stateless_random_poisson = define(
    "StatelessRandomPoisson(shape: T, seed: Tseed, lam: Rtype; dtype: type) -> output: dtype",
    host=("shape", "seed"),
    devices=("CPU",),
    differentiable=False,
    T=INDEX,
    Tseed=INDEX,
    Rtype=TYPES,
    dtype=TYPES,
    doc="Return Poisson samples fixed by a seed pair.",
    work=random_work,
)
stateless_random_poisson.shape(sample_shape)


@stateless_random_poisson.kernel
def stateless_random_poisson_kernel(
    shape: np.ndarray[Any, Any], seed: np.ndarray[Any, Any], lam: torch.Tensor, *, dtype: DType
) -> Any:
    dims, count = ending_in(shape, lam.shape)
    per = count // lam.numel() if lam.numel() else 0
    return _poisson(host_place(place_of_seed(seed)), lam, per, dims, dtype)


def stateless_poisson(
    shape: ShapeLike,
    seed: Sequence[Any],
    lam: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return Poisson samples of `shape`, which ends in that of `lam`, fixed by `seed`."""
    return stateless_random_poisson(shape, seed, lam, dtype=as_dtype(dtype), name=name)


stateless_random_binomial = define(
    "StatelessRandomBinomial(shape: S, seed: Tseed, counts: T, probs: T; dtype: type = int64)"
    " -> output: dtype",
    host=("shape", "seed"),
    devices=("CPU",),
    differentiable=False,
    S=INDEX,
    Tseed=INDEX,
    T=TYPES,
    dtype=TYPES,
    doc="Return binomial samples fixed by a seed pair.",
    work=random_work,
    default_types={"T": dtypes.float64},
)
stateless_random_binomial.shape(sample_shape)


@stateless_random_binomial.kernel
def stateless_random_binomial_kernel(
    shape: np.ndarray[Any, Any],
    seed: np.ndarray[Any, Any],
    counts: torch.Tensor,
    probs: torch.Tensor,
    *,
    dtype: DType,
) -> Any:
    return drawn_binomial(shape, host_place(place_of_seed(seed)), counts, probs, dtype)


def drawn_binomial(
    shape: np.ndarray[Any, Any],
    place: Philox,
    counts: torch.Tensor,
    probs: torch.Tensor,
    dtype: DType,
) -> Any:
    """Return binomial samples: `shape` ends in the shape that both parameters broadcast to."""
    try:
        wide_counts, wide_probs = torch.broadcast_tensors(counts, probs)
    except RuntimeError:
        raise invalid("counts and probs must have compatible batch dimensions") from None
    dims, count = ending_in(shape, wide_counts.shape)
    per = count // wide_counts.numel() if wide_counts.numel() else 0
    flat = (to_numpy(each.detach().reshape(-1)) for each in (wide_counts, wide_probs))
    drawn = binomial_samples(place, *(np.repeat(each, per) for each in flat))
    return _arranged(drawn, per, dims, dtype)


def stateless_binomial(
    shape: ShapeLike,
    seed: Sequence[Any],
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return how many of `counts` trials of probability `probs` succeed, fixed by `seed`."""
    probs = convert_to_tensor(probs)
    if getattr(counts, "dtype", None) is None:
        counts = convert_to_tensor(counts, probs.dtype)
    return stateless_random_binomial(
        shape, seed, counts, probs, dtype=as_dtype(output_dtype), name=name
    )
