"""Rows in random order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.families import same_shape
from placewise.ops.random.philox import Philox
from placewise.ops.random.stateless import generator_of, host_place, key_counter_alg
from placewise.ops.random.streams import SEEDS, Stream, op_seeds
from placewise.ops.values import Content


def permutation(generator: Philox, size: int) -> Any:
    """Return a random order of `size` things as an array: Fisher and Yates, from the front."""
    if native.code is not None and size < 2**31:
        drawn = np.empty(size, np.int32)
        native.code.philox_order(*generator.parts(), drawn)
        return drawn
    order = list(range(size))
    if size < 2:
        return np.asarray(order, np.int64)
    words = generator.words(-(-(size - 1) // 4)).reshape(-1)[: size - 1]
    targets = words.astype(np.int64) % np.arange(size, 1, -1)
    targets += np.arange(size - 1)
    for i, j in enumerate(targets.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.asarray(order, np.int64)


def _shuffled(value: Content, generator: Philox) -> Any:
    order = permutation(generator, value.shape[0])
    if isinstance(value, np.ndarray):
        return value[order]
    indices = torch.from_numpy(order).to(value.device)
    if value.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return value[indices]
    return torch.index_select(value, 0, indices)


@op(
    "RandomShuffle(value: T; seed: int = 0, seed2: int = 0) -> output: T",
    devices=("CPU",),
    stateful=True,
)
def shuffle(value: TensorLike, seed: Any = None, name: str | None = None) -> Any:
    """Return the rows of `value` in random order."""
    return shuffle.bind(value, **op_seeds(seed), name=name)


shuffle.shape(same_shape)


@shuffle.kernel
def random_shuffle_kernel(
    value: Content, *, seed: int, seed2: int, stream: Stream | None = None
) -> Any:
    if not value.ndim or value.shape[0] < 2:
        return value
    if stream is None:
        stream = SEEDS.stream("RandomShuffle", seed, seed2, value.dtype)
    return _shuffled(value, stream.reserve(-(-(value.shape[0] - 1) // 4)))


@shuffle.gradient
def random_shuffle_gradient(call: Call, dy: Tensor) -> Any:
    raise LookupError("gradient registry has no entry for: RandomShuffle")


stateless_shuffle_op = define(
    "StatelessShuffle(value: T, key: uint64, counter: uint64, alg: int32) -> output: T",
    host=("key", "counter", "alg"),
    devices=("CPU",),
    differentiable=False,
    doc="Return the rows of `value` in the order that key and counter fix.",
)
stateless_shuffle_op.shape(same_shape)


@stateless_shuffle_op.kernel
def stateless_shuffle_kernel(
    value: Content,
    key: np.ndarray[Any, Any],
    counter: np.ndarray[Any, Any],
    alg: np.ndarray[Any, Any],
) -> Any:
    place = host_place(generator_of(key, counter, alg))
    return _shuffled(value, place) if value.ndim else value


def stateless_shuffle(
    value: TensorLike, seed: Sequence[Any], alg: str = "auto_select", name: str | None = None
) -> Any:
    """Return the rows of `value` in an order that `seed` fixes."""
    key, counter, number = key_counter_alg(seed, alg)
    return stateless_shuffle_op(value, key, counter, number, name=name)
