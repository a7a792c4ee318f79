"""How the words of a generator become numbers: uniform, integer, normal, truncated normal.

Each function returns a flat tensor of `count` samples. A block of four words makes four samples
(two of 64-bit types), and samples follow the order of blocks. In host memory they are made by
the native module, or by NumPy where that is not built: to the bit the same. For another torch
device `device_samples` makes them in its memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.dtypes import as_dtype
from placewise.ops.random import device_samples
from placewise.ops.random.floats import log32, sincos32
from placewise.ops.random.philox import CHUNK, Array, Philox
from placewise.ops.values import TORCH

# Counters that ops with rejection set aside for each sample.
RESERVED = 256

_TWO_PI = 2 * np.pi
_SMALLEST = 1.0e-7  # stands in for 0 under a logarithm
_HALF_WORD = np.uint64(32)


def uniform32(words: Array) -> Array:
    """Return words as float32 in [0, 1), in the memory of the words."""
    words &= np.uint32(0x007FFFFF)
    words |= np.uint32(0x3F800000)
    result = words.view(np.float32)
    result -= np.float32(1)
    return result


def uniform64(words: Array) -> Array:
    """Return pairs of words (shape [n, 2k]) as float64 in [0, 1), shape [n, k]."""
    pairs = words.view(np.uint64)
    # The first word of a pair holds the upper bits.
    bits = (pairs & np.uint64(0xFFFFF)) << _HALF_WORD
    bits |= pairs >> _HALF_WORD
    bits |= np.uint64(0x3FF0000000000000)
    result = bits.view(np.float64)
    result -= 1.0
    return result


def normal32(words: Array) -> Array:
    """Return words (shape [n, 4]) as normal float32 samples of the same shape: Box and Muller."""
    flat = uniform32(words).reshape(-1, 2)
    radius = log32(np.maximum(flat[:, 0], np.float32(_SMALLEST)))
    radius *= np.float32(-2)
    np.sqrt(radius, out=radius)
    sine, cosine = sincos32((flat[:, 1].astype(np.float64) * _TWO_PI).astype(np.float32))
    np.multiply(sine, radius, out=flat[:, 0])
    np.multiply(cosine, radius, out=flat[:, 1])
    return flat.reshape(words.shape)


def normal64(words: Array) -> Array:
    """Return words (shape [n, 4]) as normal float64 samples of shape [n, 2]."""
    flat = uniform64(words)
    radius = np.sqrt(-2.0 * np.log(np.maximum(flat[:, 0], _SMALLEST)))
    angle = flat[:, 1] * _TWO_PI
    flat[:, 0] = np.sin(angle) * radius
    flat[:, 1] = np.cos(angle) * radius
    return flat


def _filled(
    generator: Philox, count: int, per_block: int, numpy_type: Any, make: Callable[[Array], Array]
) -> Array:
    """Return `count` samples, made a cacheful of blocks at a time."""
    blocks = -(-count // per_block)
    if blocks <= CHUNK:
        return make(generator.words(blocks)).reshape(-1)[:count]
    out = np.empty(blocks * per_block, numpy_type)
    for begin in range(0, blocks, CHUNK):
        size = min(CHUNK, blocks - begin)
        part = make(generator.words(size, begin))
        out[begin * per_block : (begin + size) * per_block] = part.reshape(-1)
    return out[:count]


def _native(fill: str, generator: Philox, count: int, numpy_type: Any) -> Array | None:
    """Return `count` samples made by a function of the native module, or None without it."""
    if native.code is None:
        return None
    out = np.empty(count, numpy_type)
    getattr(native.code, fill)(*generator.parts(), out)
    return out


def _uniform32(generator: Philox, count: int) -> Array:
    out = _native("philox_uniform", generator, count, np.float32)
    return _filled(generator, count, 4, np.float32, uniform32) if out is None else out


def _uniform64(generator: Philox, count: int) -> Array:
    out = _native("philox_uniform64", generator, count, np.float64)
    return _filled(generator, count, 2, np.float64, uniform64) if out is None else out


def _normal32(generator: Philox, count: int) -> Array:
    out = _native("philox_normal", generator, count, np.float32)
    return _filled(generator, count, 4, np.float32, normal32) if out is None else out


def _half(words: Array) -> Array:
    bits = (words & np.uint32(0x3FF)).astype(np.uint16)
    bits |= np.uint16(15 << 10)
    return bits.view(np.float16) - np.float16(1)


def _tensor(array: Array, dtype: torch.dtype) -> torch.Tensor:
    """Return an array of ours as a tensor, in the same memory where the dtype allows."""
    made = torch.from_numpy(array)
    return made if made.dtype is dtype else made.to(dtype)


def uniform(
    generator: Philox, count: int, dtype: torch.dtype, torch_device: str = "cpu"
) -> torch.Tensor:
    """Return samples in [0, 1)."""
    if torch_device != "cpu":
        return device_samples.uniform(generator, count, dtype, torch_device)
    if dtype is torch.float32:
        return torch.from_numpy(_uniform32(generator, count))
    if dtype is torch.float64:
        return torch.from_numpy(_uniform64(generator, count))
    if dtype is torch.float16:
        return torch.from_numpy(_filled(generator, count, 4, np.float16, _half))
    # bfloat16 has the exponent of float32 and seven bits of fraction.
    return _tensor(
        _filled(generator, count, 4, np.float32, lambda words: uniform32((words & 0x7F) << 16)),
        dtype,
    )


def whole(generator: Philox, count: int, wide: bool) -> Array:
    """Return uint32 or uint64 that take every value alike."""
    if wide:
        return _filled(generator, count, 2, np.uint64, lambda words: words.view(np.uint64))
    return _filled(generator, count, 4, np.uint32, lambda words: words)


def full_integers(
    generator: Philox, count: int, dtype: torch.dtype, torch_device: str = "cpu"
) -> torch.Tensor:
    """Return integers of a type that take every value alike."""
    if torch_device != "cpu":
        return device_samples.full_integers(generator, count, dtype, torch_device)
    words = whole(generator, count, dtype in (torch.int64, torch.uint64))
    return torch.from_numpy(words).view(dtype)


def integers(
    generator: Any, count: int, low: int, high: int, numpy_type: Any, torch_device: str = "cpu"
) -> torch.Tensor:
    """Return integers in [low, high), taken modulo the range as TensorFlow does."""
    if torch_device != "cpu":
        dtype = TORCH[as_dtype(numpy_type)]
        return device_samples.integers(generator, count, low, high, dtype, torch_device)
    wide = np.dtype(numpy_type).itemsize == 8
    words = whole(generator, count, wide)
    words %= words.dtype.type(high - low)
    words += words.dtype.type(low & (0xFFFFFFFFFFFFFFFF if wide else 0xFFFFFFFF))
    return torch.from_numpy(words.view(numpy_type))


def normal(
    generator: Philox, count: int, dtype: torch.dtype, torch_device: str = "cpu"
) -> torch.Tensor:
    """Return samples of the standard normal distribution."""
    if torch_device != "cpu":
        return device_samples.normal(generator, count, dtype, torch_device)
    if dtype is torch.float64:
        return torch.from_numpy(_filled(generator, count, 2, np.float64, normal64))
    return _tensor(_normal32(generator, count), dtype)


def truncated_normal(
    generator: Philox, count: int, dtype: torch.dtype, torch_device: str = "cpu"
) -> torch.Tensor:
    """Return samples of the standard normal distribution within two deviations.

    Each group of four (two of float64) has a stretch of counters of its own and takes the first
    samples there that lie inside.
    """
    if torch_device != "cpu":
        return device_samples.truncated_normal(generator, count, dtype, torch_device, RESERVED)
    wide = dtype is torch.float64
    if not wide:
        drawn = _native("philox_truncated", generator, count, np.float32)
        if drawn is not None:
            return _tensor(drawn, dtype)
    size, make = (2, normal64) if wide else (4, normal32)
    groups = -(-count // size)
    stride = np.uint64(size * RESERVED // 4)
    out = np.empty((groups, size), np.float64 if wide else np.float32)
    for begin in range(0, groups, CHUNK):
        starts = np.arange(begin, min(begin + CHUNK, groups), dtype=np.uint64) * stride
        first = make(generator.words_at(starts))
        short = np.nonzero((np.abs(first) >= 2).any(axis=1))[0]
        if len(short):
            first[short] = _inside(generator, starts[short], size, make)
        out[begin : begin + CHUNK] = first
    return _tensor(out.reshape(-1)[:count], dtype)


def _inside(
    generator: Philox, starts: Array, size: int, make: Callable[[Array], Array], blocks: int = 4
) -> Array:
    """Return, for each start, the first `size` samples inside the bounds."""
    places = starts[:, None] + np.arange(blocks, dtype=np.uint64)
    drawn = make(generator.words_at(places.reshape(-1))).reshape(len(starts), -1)
    outside = np.abs(drawn) >= 2
    order = np.argsort(outside, axis=1, kind="stable")[:, :size]
    result = np.take_along_axis(drawn, order, axis=1)
    short = np.nonzero(outside.shape[1] - outside.sum(axis=1) < size)[0]
    if len(short):
        result[short] = _inside(generator, starts[short], size, make, blocks * 2)
    return result
