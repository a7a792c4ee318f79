"""Where an index goes in a random order of many, without making the order.

A small block cipher (Simon) permutes the numbers of an even number of bits; numbers that fall
outside are permuted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.ops.array.concat import concat
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.values import from_numpy, to_numpy

if TYPE_CHECKING:
    import torch


_TYPES = frozenset({dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64})
_LEAST_BITS = 16
_ROUND_CONSTANTS = 0x7369F885192C0EF5
# Stands before a seed of two numbers: the cipher's key has three.
_FIRST_KEY = 498247692
# Four are the usual number. Each costs time for each index, so a huge number would never end.
_MOST_ROUNDS = 1 << 16


def _rotated(x: int, by: int, width: int) -> int:
    by %= width
    return ((x << by) | (x >> (width - by))) & ((1 << width) - 1)


def _round_keys(key: list[int], rounds: int, width: int) -> list[int]:
    mask = (1 << width) - 1
    keys = [each & mask for each in key]
    for i in range(3, rounds):
        constant = (0xFFFFFFFC & mask) ^ (_ROUND_CONSTANTS >> (i - 3) & 1)
        last = keys[i - 1]
        turned = _rotated(last, width - 3, width) ^ _rotated(last, width - 4, width)
        keys.append(constant ^ keys[i - 3] ^ turned)
    return keys


def shuffled_index(index: int, key: list[int], max_index: int, rounds: int) -> int:
    """Return the place of `index` in a random order of 0..max_index."""
    bits = max((max(max_index, 1) - 1).bit_length(), _LEAST_BITS)
    width = (bits + 1) // 2
    mask = (1 << width) - 1
    keys = _round_keys(key, max(rounds + rounds % 2, 4), width)
    while True:
        left, right = index & mask, index >> width
        for each in keys:
            mixed = _rotated(left, 1, width) & _rotated(left, 8, width)
            left, right = right ^ mixed ^ _rotated(left, 2, width) ^ each, left
        index = right << width | left
        if index <= max_index:
            return index


shuffle_index_op = define(
    "RandomIndexShuffle(index: dtype, seed: Tseed, max_index: dtype; rounds: int = 4)"
    " -> output: dtype",
    host=("seed",),
    devices=("CPU",),
    differentiable=False,
    dtype=_TYPES,
    Tseed=_TYPES,
    doc="Return the places of indices in a random order.",
    default_types={"Tseed": None},
)


@shuffle_index_op.shape
def shuffle_index_op_shape(index: Static, seed: Static, max_index: Static, *, rounds: int) -> Dims:
    keys = None if seed.shape is None else seed.shape[:-1]
    return broadcast(index.shape, keys, max_index.shape)


@shuffle_index_op.kernel
def shuffle_index_op_kernel(
    index: torch.Tensor, seed: np.ndarray[Any, Any], max_index: torch.Tensor, *, rounds: int
) -> Any:
    places, tops = to_numpy(index), to_numpy(max_index)
    if places.ndim > 1:
        raise invalid("Index must be a scalar or vector.")
    count = max(places.size, tops.size, seed.shape[0] if seed.ndim == 2 else 1)
    if seed.shape not in ((3,), (count, 3)):
        raise invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got "
            f"{bracketed(seed.shape)}."
        )
    if rounds > _MOST_ROUNDS:
        raise invalid(f"rounds must be at most {_MOST_ROUNDS}, got {rounds}")
    keys = np.broadcast_to(seed, (count, 3)).tolist()
    flat = np.broadcast_to(places.reshape(-1), (count,)).tolist()
    limits = np.broadcast_to(tops.reshape(-1), (count,)).tolist()
    result = []
    for each, key, top in zip(flat, keys, limits, strict=True):
        if each < 0:
            raise invalid(f"index must be >= 0 but was {each}")
        if top < 0:
            raise invalid(f"max_index must be >= 0 but was {top}")
        if top < each:
            raise invalid(f"max_index must be >= index, but {top} < {each}")
        result.append(shuffled_index(each, key, top, rounds))
    vector = places.ndim or tops.ndim or seed.ndim == 2
    shape = (count,) if vector else ()
    return from_numpy(np.array(result, places.dtype).reshape(shape))


def index_shuffle(index: Sequence[Any], seed: Any, max_index: Any) -> Any:
    """Return the place of `index` in the order of 0..max_index that `seed` fixes."""
    seed = convert_to_tensor(seed)
    key = concat([convert_to_tensor([_FIRST_KEY], seed.dtype), seed], axis=0)
    return shuffle_index_op(index, key, max_index)


def random_index_shuffle(
    index: TensorLike,
    seed: TensorLike,
    max_index: TensorLike,
    rounds: int = 4,
    name: str | None = None,
) -> Any:
    """Return the place of `index` in the order of 0..max_index that a seed of three words fixes."""
    return shuffle_index_op(index, seed, max_index, rounds=rounds, name=name)
