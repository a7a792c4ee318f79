"""Transforms of signals frame by frame: short-time Fourier and modified cosine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, float32, int32
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.padding import pad
from placewise.ops.array.reverse import reverse
from placewise.ops.array.shape import reshape, sizes_of
from placewise.ops.array.split import split
from placewise.ops.array.tile import tile
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import square
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.exponential import log
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.math.rounding import ceil
from placewise.ops.signal.cosine import dct
from placewise.ops.signal.fourier import irfft, rfft
from placewise.ops.signal.frames import (
    at_least_zero,
    frame,
    overlap_and_add,
    whole_number,
)
from placewise.ops.signal.windows import hann_window, vorbis_window


def _needs_rank(x: Tensor, rank: int) -> None:
    if len(x._shape_tuple) < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")


def _enclosing_power_of_two(value: int) -> Any:
    if isinstance(value, Tensor):
        power = ceil(log(cast(value, float32)) / np.float32(np.log(2.0)))
        return cast(2.0**power, int32)
    return int(2 ** np.ceil(np.log(value) / np.log(2.0)))


def _transform_size(fft_length: Any, length: int) -> Any:
    """Return the length of a transform: as given, or the power of two that holds a frame."""
    return _enclosing_power_of_two(length) if fft_length is None else whole_number(fft_length)


def stft(
    signals: TensorLike,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Return the Fourier transforms of the overlapping frames of real signals.

    `fft_length` defaults to the power of two that holds a frame; `window_fn` None: no window.
    """
    signals = convert_to_tensor(signals)
    _needs_rank(signals, 1)
    length = whole_number(frame_length)
    size = _transform_size(fft_length, length)
    frames = frame(signals, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [size], name=name)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Any:
    """Return the window function with which `inverse_stft` undoes `stft` exactly."""

    def inverse_window(frame_length: int, dtype: DType) -> Any:
        step, length = whole_number(frame_step), whole_number(frame_length)
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        weight = pad(square(window), [[0, overlaps * step - length]])
        weight = reduce_sum(reshape(weight, [overlaps, step]), 0, keepdims=True)
        weight = reshape(tile(weight, [overlaps, 1]), [overlaps * step])[:length]
        return where(equal(weight, 0.0), zeros_like(window), window / weight)

    return inverse_window


def inverse_stft(
    stfts: TensorLike,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] = hann_window,
    name: str | None = None,
) -> Any:
    """Return the signals whose short-time Fourier transforms are given."""
    stfts = convert_to_tensor(stfts)
    _needs_rank(stfts, 2)
    length = whole_number(frame_length)
    size = _transform_size(fft_length, length)
    frames = irfft(stfts, [size])
    known = isinstance(size, int) and isinstance(length, int)
    if not known or size > length:
        frames = frames[..., :length]
    if not known or size < length:
        missing = at_least_zero(length - size)
        frames = pad(frames, [[0, 0]] * (len(frames._shape_tuple) - 1) + [[0, missing]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=stfts.dtype.real_dtype)
    return overlap_and_add(frames, frame_step, name=name)


def mdct(
    signals: TensorLike,
    frame_length: Any,
    window_fn: Callable[..., Any] = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the modified cosine transforms of frames that overlap by half."""
    signals = convert_to_tensor(signals)
    _needs_rank(signals, 1)
    length = whole_number(frame_length)
    if isinstance(length, int) and length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(signals, length, length // 2, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    else:
        frames = frames * (1.0 / math.sqrt(2))
    a, b, c, d = split(frames, 4, axis=-1)
    folded = concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Callable[..., Any] = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the signals whose modified cosine transforms are given."""
    mdcts = convert_to_tensor(mdcts)
    _needs_rank(mdcts, 2)
    half = sizes_of(mdcts)[-1]
    if norm is None:
        # Without coefficients there is nothing to scale.
        scale = 0.5 / (cast(half, mdcts.dtype) if isinstance(half, Tensor) else half or 1)
        halves = scale * dct(mdcts, type=4)
    elif norm == "ortho":
        halves = dct(mdcts, type=4, norm="ortho")
    else:
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    first, second = split(halves, 2, axis=-1)
    frames = concat([second, -reverse(second, [-1]), -reverse(first, [-1]), -first], -1)
    if window_fn is not None:
        frames = frames * window_fn(2 * half, dtype=mdcts.dtype)
    else:
        frames = frames * (1.0 / math.sqrt(2))
    return overlap_and_add(frames, half, name=name)
