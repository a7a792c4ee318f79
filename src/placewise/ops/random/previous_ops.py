"""Older forms of the stateless random ops, which take the seed pair itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from placewise.core import dtypes
from placewise.core.dtypes import FLOATS, INDEX, DType
from placewise.ops.declare import Bind, define
from placewise.ops.random import samples
from placewise.ops.random.shapes import bounds, sample_shape, size_of
from placewise.ops.random.stateless import (
    place_of_seed,
    stateless_random_get_key_counter_kernel,
)
from placewise.ops.values import TORCH
from placewise.ops.work import random_work, view_work

if TYPE_CHECKING:
    import numpy as np


_WHOLE = INDEX | {dtypes.uint32, dtypes.uint64}


def _from_seed(
    name: str, draw: Callable[..., Any], allowed: frozenset[DType], default: str, doc: str
) -> Bind:
    older = define(
        f"{name}(shape: T, seed: Tseed; dtype: type = {default}) -> output: dtype",
        host=("shape",),
        host_or_device=("seed",),
        wide_unsigned=True,
        differentiable=False,
        T=INDEX,
        Tseed=_WHOLE,
        dtype=allowed,
        doc=doc,
        work=random_work,
        result="whole",
        default_types={"T": dtypes.int32},
    )

    def kernel(shape: Any, seed: Any, *, dtype: Any, torch_device: str = "cpu") -> Any:
        place = place_of_seed(seed)
        dims, count = size_of(shape)
        return draw(place, count, TORCH[dtype], torch_device).resize_(dims)

    older.shape(sample_shape)
    older.kernel(kernel)
    return older


uniform_from_seed = _from_seed(
    "StatelessRandomUniform", samples.uniform, FLOATS, "float32", "Return samples in [0, 1)."
)
normal_from_seed = _from_seed(
    "StatelessRandomNormal", samples.normal, FLOATS, "float32", "Return standard normal samples."
)
truncated_from_seed = _from_seed(
    "StatelessTruncatedNormal",
    samples.truncated_normal,
    FLOATS,
    "float32",
    "Return normal samples within two deviations.",
)
full_int_from_seed = _from_seed(
    "StatelessRandomUniformFullInt",
    samples.full_integers,
    _WHOLE,
    "uint64",
    "Return integers of the whole range of their type.",
)

int_from_seed = define(
    "StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype)"
    " -> output: dtype",
    host=("shape", "minval", "maxval"),
    host_or_device=("seed",),
    differentiable=False,
    T=INDEX,
    Tseed=INDEX,
    dtype=INDEX,
    doc="Return integers in [minval, maxval).",
    result="whole",
    work=random_work,
)
int_from_seed.shape(sample_shape)


@int_from_seed.kernel
def stateless_random_uniform_int_v1_kernel(
    shape: np.ndarray[Any, Any],
    seed: np.ndarray[Any, Any],
    minval: Any,
    maxval: np.ndarray[Any, Any],
    *,
    torch_device: str = "cpu",
) -> Any:
    place = place_of_seed(seed)
    dims, count = size_of(shape)
    low, high = bounds(minval, maxval)
    return samples.integers(place, count, low, high, minval.dtype, torch_device).resize_(dims)


get_key_counter_alg = define(
    "StatelessRandomGetKeyCounterAlg(seed: Tseed) -> key: uint64, counter: uint64, alg: int32",
    host=("key", "counter", "alg"),
    host_or_device=("seed",),
    wide_unsigned=True,
    differentiable=False,
    Tseed=INDEX,
    doc="Return key, counter and algorithm of a seed pair.",
    work=view_work,
)
get_key_counter_alg.shape(lambda seed: [(1,), (2,), ()])


@get_key_counter_alg.kernel
def stateless_random_get_key_counter_alg_kernel(seed: np.ndarray[Any, Any]) -> Any:
    return *stateless_random_get_key_counter_kernel(seed), torch.tensor(1, dtype=torch.int32)
