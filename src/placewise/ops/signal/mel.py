"""The mel scale: weights from linear frequencies, and cepstral coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import constant, linspace
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import expand_dims, last_size
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import log, rsqrt
from placewise.ops.signal.cosine import dct

_BREAK_HERTZ = 700.0
_HIGH_FREQUENCY_Q = 1127.0


def _to_mel(hertz: Tensor) -> Any:
    return _HIGH_FREQUENCY_Q * log(1.0 + hertz / _BREAK_HERTZ)


def _check(bins: int, sample_rate: Any, lower: float, upper: float, dtype: Any) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if sample_rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if upper > sample_rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {sample_rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!s}")


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Any:
    """Return the matrix that turns spectrograms with linear frequencies into mel spectrograms.

    Each column is a triangle on the mel scale between two edges; the zero frequency counts
    nowhere.
    """
    dtype = as_dtype(dtype)
    rate = np.asarray(sample_rate)[()] if hasattr(sample_rate, "dtype") else sample_rate
    _check(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, dtype)
    zero = constant(0.0, dtype)
    nyquist = cast(rate, dtype) / 2.0
    hertz = linspace(zero, nyquist, num_spectrogram_bins)[1:]
    mel = expand_dims(_to_mel(hertz), 1)
    lowest, highest = (constant(edge, dtype) for edge in (lower_edge_hertz, upper_edge_hertz))
    edges = linspace(_to_mel(lowest), _to_mel(highest), num_mel_bins + 2)
    lower, centre, upper = (expand_dims(edges[i : i + num_mel_bins], 0) for i in range(3))
    rising = (mel - lower) / (centre - lower)
    falling = (upper - mel) / (upper - centre)
    return pad(maximum(zero, minimum(rising, falling)), [[1, 0], [0, 0]], name=name)


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Any:
    """Return the cepstral coefficients of logarithmic mel spectrograms."""
    spectrograms = convert_to_tensor(log_mel_spectrograms)
    if spectrograms._shape_tuple == ():
        raise ValueError(f"log_mel_spectrograms must have a dimension. Got: {spectrograms}")
    bins = last_size(spectrograms)
    if isinstance(bins, int) and not bins:
        raise ValueError(f"num_mel_bins must be positive. Got: {spectrograms}")
    coefficients = dct(spectrograms, type=2)
    return coefficients * rsqrt(cast(bins, coefficients.dtype) * 2.0)
