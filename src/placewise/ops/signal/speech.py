"""Spectrograms of sound, and the mel-frequency cepstral coefficients that tell words apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
from placewise.core.shapes import Static
from placewise.ops.declare import op
from placewise.ops.values import Content, from_numpy, to_numpy

# Before the logarithm: silence is not minus infinity.
_LEAST = 1e-12


@op(
    "AudioSpectrogram(input: float; window_size: int, stride: int,"
    " magnitude_squared: bool = False) -> spectrogram: float",
    devices=("CPU",),
    differentiable=False,
)
def audio_spectrogram(
    input: Any,
    window_size: int,
    stride: int,
    magnitude_squared: bool = False,
    name: str | None = None,
) -> Any:
    """Return how strong each frequency is in each part of a sound: [channel, part, frequency].

    `input`: sound of shape [samples, channels].
    `window_size`: how many samples a part has; the next power of 2 is transformed.
    `stride`: by how many samples parts are apart.
    `magnitude_squared`: return squares of magnitudes.
    """
    return audio_spectrogram.bind(
        input,
        window_size=window_size,
        stride=stride,
        magnitude_squared=magnitude_squared,
        name=name,
    )


def _part_count(samples: int, window: int, stride: int) -> int:
    return 1 + (samples - window) // stride if samples >= window else 0


def _transform_size(window: int) -> int:
    return 1 << (window - 1).bit_length()


@audio_spectrogram.shape
def audio_spectrogram_shape(
    input: Static, *, window_size: int, stride: int, magnitude_squared: bool
) -> Any:
    samples, channels = input.shape if input.shape is not None else (None, None)
    known = samples is not None and window_size > 1 and stride > 0
    parts = _part_count(samples, window_size, stride) if known else None  # type: ignore[arg-type]
    return (channels, parts, 1 + _transform_size(window_size) // 2 if window_size > 1 else None)


@audio_spectrogram.kernel
def audio_spectrogram_kernel(
    input: torch.Tensor, *, window_size: int, stride: int, magnitude_squared: bool
) -> torch.Tensor:
    if input.ndim != 2:
        raise invalid(f"input must be 2-dimensional: {list(input.shape)}")
    if window_size < 2 or stride < 1:
        raise invalid(
            f"Spectrogram initialization failed for window size {window_size} and stride {stride}"
        )
    samples, channels = input.shape
    size = _transform_size(window_size)
    if not _part_count(samples, window_size, stride):
        return input.new_zeros((channels, 0, size // 2 + 1))
    window = torch.hann_window(window_size, periodic=True, dtype=torch.float64)
    parts = input.T.double().unfold(1, window_size, stride) * window.to(input.device)
    spectrum = torch.fft.rfft(parts, n=size)
    squares = spectrum.real.square() + spectrum.imag.square()
    return squares.float() if magnitude_squared else squares.sqrt().float()


@op(
    "Mfcc(spectrogram: float, sample_rate: int32; upper_frequency_limit: float = 4000.0,"
    " lower_frequency_limit: float = 20.0, filterbank_channel_count: int = 40,"
    " dct_coefficient_count: int = 13) -> output: float",
    devices=("CPU",),
    host=("sample_rate",),
    differentiable=False,
)
def mfcc(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: str | None = None,
) -> Any:
    """Return the mel-frequency cepstral coefficients of each part of a spectrogram.

    `spectrogram`: squares of magnitudes, as `audio_spectrogram` gives them.
    `sample_rate`: how many samples a second the sound has.
    `upper_frequency_limit`, `lower_frequency_limit`: the frequencies that count.
    `filterbank_channel_count`: into how many bands they are gathered.
    `dct_coefficient_count`: how many coefficients are returned.
    """
    return mfcc.bind(
        spectrogram,
        sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )


@mfcc.shape
def mfcc_shape(
    spectrogram: Static, sample_rate: Static, *, dct_coefficient_count: int, **limits: Any
) -> Any:
    leading = (None, None) if spectrogram.shape is None else spectrogram.shape[:2]
    return (*leading, dct_coefficient_count)


@mfcc.kernel
def mfcc_kernel(
    spectrogram: Content,
    sample_rate: np.ndarray[Any, Any],
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> torch.Tensor:
    squares = to_numpy(spectrogram)
    if squares.ndim != 3:
        raise invalid(f"spectrogram must be 3-dimensional: {list(squares.shape)}")
    if sample_rate.size != 1:
        raise invalid(f"Input sample_rate should be a scalar tensor, got {sample_rate.shape}")
    limits, rate = (lower_frequency_limit, upper_frequency_limit), int(sample_rate.item())
    counts, bins = (filterbank_channel_count, dct_coefficient_count), squares.shape[2]
    if min(counts) < 1 or bins < 2 or rate <= 0 or not 0 < limits[0] < limits[1]:
        raise invalid(f"Mfcc initialization failed for channel count {bins} and sample rate {rate}")
    if int(limits[1] / (0.5 * rate / (bins - 1))) >= bins:
        # TensorFlow logs that there are too few frequencies, and returns zeros.
        return torch.zeros((*squares.shape[:2], counts[1]))
    bands = _mel_bands(bins, rate, limits, counts[0])
    gathered = np.log(np.maximum(np.sqrt(squares.astype(np.float64)) @ bands, _LEAST))
    angles = np.pi / counts[0] * np.outer(np.arange(counts[0]) + 0.5, np.arange(counts[1]))
    coefficients = gathered @ (np.sqrt(2.0 / counts[0]) * np.cos(angles))
    result: torch.Tensor = from_numpy(coefficients.astype(np.float32))
    return result


def _mel(frequency: Any) -> Any:
    return 1127.0 * np.log1p(frequency / 700.0)


def _mel_bands(
    bins: int, sample_rate: int, limits: tuple[float, float], count: int
) -> np.ndarray[Any, Any]:
    """Return the weight of each frequency in each band: triangles that overlap by a half."""
    low, high = _mel(limits[0]), _mel(limits[1])
    centers = low + (high - low) / (count + 1) * np.arange(1, count + 2)
    width = 0.5 * sample_rate / (bins - 1)
    # The constant part is left out, as in HTK.
    first, last = int(1.5 + limits[0] / width), int(limits[1] / width)
    weights = np.zeros((bins, count))
    for place in range(first, last + 1):
        mel = _mel(place * width)
        band = int(np.searchsorted(centers[:count], mel)) - 1
        start = centers[band] if band >= 0 else low
        share = (centers[band + 1] - mel) / (centers[band + 1] - start)
        if band >= 0:
            weights[place, band] += share
        if band + 1 < count:
            weights[place, band + 1] += 1 - share
    return weights
