"""Windows that frames of a signal are multiplied with."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import constant, ones, ones_like
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.static import get_static_value
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import pow as power
from placewise.ops.math.arithmetic import square
from placewise.ops.math.bessel import bessel_i0e
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.exponential import exp, sqrt
from placewise.ops.math.scan import cumsum
from placewise.ops.math.trigonometric import cos, sin
from placewise.ops.nn.activations import relu


def _checked(window_length: Any, dtype: Any) -> tuple[Any, Any]:
    """Return the length as an int32 scalar and the dtype."""
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype!s}")
    length = convert_to_tensor(window_length, dtypes.int32)
    if length._shape_tuple not in ((), None):
        raise ValueError(f"Shape {length.shape} must have rank 0")
    return length, dtype


def _of_any_length(length: Any, make: Any, dtype: Any) -> Any:
    """Return the window that `make` gives; of length 1, just 1."""
    static = get_static_value(length)
    if static is not None:
        return ones([1], dtype) if int(static) == 1 else make()
    window = make()
    return where(equal(length, 1), ones_like(window), window)


def _raised_cosine(window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    length, dtype = _checked(window_length, dtype)

    def make() -> Any:
        repeats = cast(convert_to_tensor(periodic, dtypes.bool), dtypes.int32)
        period = cast(length + repeats * (1 - length % 2) - 1, dtype)
        angle = constant(2 * np.pi, dtype) * cast(range_of(length), dtype) / period
        return a - b * cos(angle)

    return _of_any_length(length, make, dtype)


def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Return a Hann window; `periodic` suits transforms, otherwise it is symmetric."""
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Return a Hamming window; `periodic` suits transforms, otherwise it is symmetric."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def vorbis_window(window_length: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Return the power-complementary window of Vorbis."""
    length, dtype = _checked(window_length, dtype)
    place = cast(range_of(length), dtype)
    inner = sin(np.pi / cast(length, dtype) * (place + 0.5))
    return sin(np.pi / 2.0 * power(inner, 2.0))


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Return a Kaiser window of shape `beta`."""
    length, dtype = _checked(window_length, dtype)

    def make() -> Any:
        half = (cast(length, dtypes.float32) - 1.0) / 2.0
        place = cast(range_of(-half, half + 0.1, dtype=dtypes.float32), dtype)
        height, one, half = (cast(value, dtype) for value in (beta, 1.0, half))
        argument = height * sqrt(relu(one - square(place / half)))
        return exp(argument - height) * (bessel_i0e(argument) / bessel_i0e(height))

    return _of_any_length(length, make, dtype)


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Any:
    """Return the power-complementary window derived from a Kaiser window."""
    length, dtype = _checked(window_length, dtype)
    total = cumsum(kaiser_window(length // 2 + 1, beta, dtype))
    half = sqrt(total[:-1] / total[-1])
    return concat([half, half[::-1]], 0)
