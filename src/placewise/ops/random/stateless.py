"""Samples that only the arguments decide: a seed pair, or a key and a counter."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import FLOATS, INDEX, DType, as_dtype
from placewise.core.errors import invalid
from placewise.ops.array.concat import stack
from placewise.ops.convert import convert_to_tensor, host_number
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.random import philox_torch, samples
from placewise.ops.random.normal import moved, parameters
from placewise.ops.random.philox import Philox, scrambled
from placewise.ops.random.philox_torch import DevicePhilox, Place
from placewise.ops.random.shapes import bounds, sample_shape, size_of
from placewise.ops.random.uniform import stretched
from placewise.ops.residence import is_resident
from placewise.ops.values import TORCH
from placewise.ops.work import random_work, view_work

WHOLE = frozenset({dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})
_ACCEPTED = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)


class Algorithm(enum.Enum):
    """The generators there are; `AUTO_SELECT` leaves the choice to the device: Philox here."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


Algorithm.__module__ = "tensorflow.python.ops.random_ops_util"


def algorithm_number(alg: Any) -> int:
    """Return the number of an algorithm given by name, number or member."""
    if isinstance(alg, Algorithm):
        return int(alg.value)
    if isinstance(alg, str):
        known = {"philox": 1, "threefry": 2, "auto_select": 3}
        if alg not in known:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
                "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
                "auto-selection."
            )
        return known[alg]
    if hasattr(alg, "numpy"):
        alg = alg.numpy()
    number = int(alg)
    if number not in (1, 2, 3):
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are 1 for the Philox "
            "algorithm, 2 for the ThreeFry algorithm, and 3 for auto-selection."
        )
    return number


get_key_counter = define(
    "StatelessRandomGetKeyCounter(seed: Tseed) -> key: uint64, counter: uint64",
    host=("key", "counter"),
    host_or_device=("seed",),
    wide_unsigned=True,
    differentiable=False,
    Tseed=INDEX,
    doc="Return key and counter of a seed pair.",
    work=view_work,
)
get_key_counter.shape(lambda seed: [(1,), (2,)])


@get_key_counter.kernel
def stateless_random_get_key_counter_kernel(seed: np.ndarray[Any, Any]) -> Any:
    place = place_of_seed(seed)
    if isinstance(place, DevicePhilox):
        return place.key.view(torch.uint64), torch.cat((place.low, place.high)).view(torch.uint64)
    key = torch.from_numpy(np.array([place.key], np.uint64))
    return key, torch.from_numpy(_halves(place.counter))


def _halves(counter: int) -> Any:
    return np.array([counter & 0xFFFFFFFFFFFFFFFF, counter >> 64], np.uint64)


def place_of_seed(seed: Any) -> Place:
    """Return the stream of a seed input, which must hold two integers; on the seed's device."""
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {bracketed(seed.shape)}")
    if is_resident(seed):
        return philox_torch.scrambled(seed)
    first, second = seed.tolist()
    return scrambled(first, second)


def host_place(place: Place) -> Philox:
    """Return the place in a stream that a CPU's op gets: its seed always lies on the host."""
    return cast("Philox", place)


get_alg = define(
    "StatelessRandomGetAlg() -> alg: int32",
    host=("alg",),
    stateful=True,
    differentiable=False,
    doc="Return the number of the algorithm the device prefers.",
    work=view_work,
)
get_alg.shape(lambda: ())


@get_alg.kernel
def stateless_random_get_alg_kernel() -> Any:
    return torch.tensor(1, dtype=torch.int32)


def key_counter_alg(seed: TensorLike, alg: str) -> tuple[Any, Any, int]:
    """Return key, counter and algorithm number for a seed pair."""
    number = algorithm_number(alg)
    key, counter = get_key_counter(seed)
    if number == 2:
        counter = counter[:1]
    return key, counter, 1 if number == 3 else number


def generator_of(key: Any, counter: Any, alg: np.ndarray[Any, Any]) -> Place:
    """Return the place in a stream that three inputs of an op name; on the device of the key."""
    number = int(np.asarray(alg))
    if key.shape != (1,):
        raise invalid(
            f"key must have shape [1], not {bracketed(key.shape)}. (Note that batched keys are "
            "not supported yet.)"
        )
    least = 1 if number in (1, 3) else number
    if counter.ndim != 1 or counter.shape[0] < least:
        raise invalid(
            f"counter must be a vector with length at least {least}; got shape: "
            f"{bracketed(counter.shape)}. (Note that batched counters are not supported yet.)"
        )
    if number not in (1, 3):
        raise invalid(f"Unsupported algorithm id: {number}")
    if is_resident(key):
        halves = counter.view(torch.int64)
        high_half = halves[1:2] if len(halves) > 1 else torch.zeros_like(halves)
        return DevicePhilox(key.view(torch.int64), halves[:1], high_half)
    low, high = int(counter[0]), int(counter[1]) if counter.shape[0] > 1 else 0
    return Philox(int(key[0]), low | high << 64)


def _declare(
    name: str, draw: Callable[..., Any], allowed: frozenset[DType], default: str, doc: str
) -> Bind:
    """Declare a stateless op of a shape, key, counter and algorithm."""
    bind = define(
        f"{name}(shape: Tshape, key: uint64, counter: uint64, alg: int32; dtype: type = {default})"
        " -> output: dtype",
        host=("shape", "alg"),
        host_or_device=("key", "counter"),
        wide_unsigned=True,
        differentiable=False,
        Tshape=INDEX,
        dtype=allowed,
        doc=doc,
        result="whole",
        work=random_work,
    )

    def kernel(
        shape: Any, key: Any, counter: Any, alg: Any, *, dtype: Any, torch_device: str = "cpu"
    ) -> Any:
        dims, count = size_of(shape)
        place = generator_of(key, counter, alg)
        return draw(place, count, TORCH[dtype], torch_device).resize_(dims)

    bind.shape(sample_shape)
    bind.kernel(kernel)
    return bind


random_uniform = _declare(
    "StatelessRandomUniformV2", samples.uniform, FLOATS, "float32", "Return samples in [0, 1)."
)
random_normal = _declare(
    "StatelessRandomNormalV2", samples.normal, FLOATS, "float32", "Return standard normal samples."
)
random_truncated = _declare(
    "StatelessTruncatedNormalV2",
    samples.truncated_normal,
    FLOATS,
    "float32",
    "Return normal samples within two deviations.",
)
random_full_int = _declare(
    "StatelessRandomUniformFullIntV2",
    samples.full_integers,
    WHOLE,
    "uint64",
    "Return integers of the whole range of their type.",
)

random_int = define(
    "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32,"
    " minval: dtype, maxval: dtype) -> output: dtype",
    host=("shape", "alg", "minval", "maxval"),
    host_or_device=("key", "counter"),
    wide_unsigned=True,
    differentiable=False,
    Tshape=INDEX,
    dtype=WHOLE,
    doc="Return integers in [minval, maxval).",
    result="whole",
    work=random_work,
)
random_int.shape(sample_shape)


@random_int.kernel
def stateless_random_uniform_int_kernel(
    shape: np.ndarray[Any, Any],
    key: np.ndarray[Any, Any],
    counter: np.ndarray[Any, Any],
    alg: np.ndarray[Any, Any],
    minval: np.ndarray[Any, Any],
    maxval: np.ndarray[Any, Any],
    *,
    torch_device: str = "cpu",
) -> Any:
    dims, count = size_of(shape)
    low, high = bounds(minval, maxval)
    place = generator_of(key, counter, alg)
    return samples.integers(place, count, low, high, minval.dtype, torch_device).resize_(dims)


def stateless_uniform(
    shape: Any,
    seed: TensorLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Any:
    """Return samples in [minval, maxval) fixed by `seed`; None for both: any integer."""
    dtype = as_dtype(dtype)
    if dtype not in _ACCEPTED:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are "
            f"({', '.join(map(repr, _ACCEPTED))})."
        )
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be "
                f"both None or not None. Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype.is_unsigned:
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. "
                "Please don't use unsigned integers in this case."
            )
    return uniform_from(*key_counter_alg(seed, alg), shape, minval, maxval, dtype, name)


def uniform_from(
    key: TensorLike,
    counter: TensorLike,
    alg: int,
    shape: TensorLike,
    minval: Any,
    maxval: Any,
    dtype: DType,
    name: Any,
) -> Any:
    """Return uniform samples of key and counter: floats, bounded integers, or any integers."""
    if not dtype.is_integer:
        result = random_uniform(shape, key, counter, alg, dtype=dtype, name=name)
        return stretched(result, minval, 1 if maxval is None else maxval, dtype)
    if minval is None:
        return random_full_int(shape, key, counter, alg, dtype=dtype, name=name)
    low, high = host_number(minval, dtype), host_number(maxval, dtype)
    return random_int(shape, key, counter, alg, low, high, name=name)


def stateless_normal(
    shape: ShapeLike,
    seed: Sequence[Any],
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Any:
    """Return normal samples fixed by `seed`."""
    dtype = as_dtype(dtype)
    mean, stddev = parameters(mean, stddev, dtype)
    key, counter, number = key_counter_alg(seed, alg)
    result = random_normal(shape, key, counter, number, dtype=dtype, name=name)
    return moved(result, mean, stddev)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: Sequence[Any],
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Any:
    """Return normal samples within two deviations of the mean, fixed by `seed`."""
    dtype = as_dtype(dtype)
    mean, stddev = parameters(mean, stddev, dtype)
    key, counter, number = key_counter_alg(seed, alg)
    result = random_truncated(shape, key, counter, number, dtype=dtype, name=name)
    return moved(result, mean, stddev)


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Any:
    """Return `num` new seeds, of shape [num, 2], that are independent of each other."""
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


def fold_in(seed: Sequence[Any], data: TensorLike, alg: str = "auto_select") -> Any:
    """Return a new seed made of `seed` and an integer."""
    data = convert_to_tensor(data)
    first = stateless_uniform([1], seed, None, None, data.dtype, alg=alg)[0]
    return stack([first, data])


stateless_split, stateless_fold_in = split, fold_in  # their names in tf.random.experimental
