"""Cosine transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.ops.array.padding import pad
from placewise.ops.array.stacking import concat
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.complex_numbers import real, to_complex
from placewise.ops.signal.fourier import irfft, rfft

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check(x: Any, type: int, n: Any, axis: int, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if x.shape[-1] is not None and x.shape[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return the cosine transform of type 1 to 4 of the last dimension.

    `n` cuts or extends it with zeros first; `norm='ortho'` makes the transform orthonormal.
    """
    input = convert_to_tensor(input)
    _check(input, type, n, axis, norm)
    return _transformed(input, type, n, norm)


def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return the inverse of the cosine transform of a type, up to scale unless 'ortho'."""
    input = convert_to_tensor(input)
    _check(input, type, n, axis, norm)
    return _transformed(input, _INVERSE[type], n, norm)


def _transformed(x: Any, type: int, n: int | None, norm: str | None) -> Any:
    # Raises for integers, in the words of any constant that does not fit.
    zero = convert_to_tensor(0.0, x.dtype)
    kind = x.dtype.as_numpy_dtype
    size = x._shape_tuple[-1]
    if n is not None and n <= size:
        x = x[..., :n]
    elif n is not None:
        x = pad(x, [[0, 0]] * (len(x._shape_tuple) - 1) + [[0, n - size]])
    size = x._shape_tuple[-1]
    if type == 1:
        return real(rfft(concat([x, x[..., -2:0:-1]], -1)))
    if type == 2:
        turned = rfft(x, [2 * size])[..., :size] * _twiddle(size, -1, x.dtype)
        return real(turned) * _weights(size, 0.5 / math.sqrt(size), kind) if norm else real(turned)
    if type == 3:
        x = x * (_weights(size, math.sqrt(size), kind, 0.5) if norm else np.asarray(size, kind))
        turned = _twiddle(size, 1, x.dtype) * to_complex(x, zero)
        return irfft(turned, [2 * size])[..., :size]
    odd = _transformed(x, 2, 2 * size, None)[..., 1::2]
    return odd * np.asarray(math.sqrt(0.5) / math.sqrt(size), kind) if norm else odd


def _twiddle(size: int, sign: int, dtype: Any) -> Any:
    """Return 2·exp(±iπk / 2·size) as a constant of the complex dtype that goes with `dtype`."""
    angle = sign * np.arange(size) * (np.pi * 0.5 / max(size, 1))
    kind = np.complex64 if dtype.size == 4 else np.complex128
    return (2.0 * np.exp(1j * angle)).astype(kind)


def _weights(size: int, first: float, kind: Any, ratio: float = 2.0) -> Any:
    """Return the factors that make a transform orthonormal."""
    weights = np.full(size, first * math.sqrt(ratio))
    weights[:1] = first
    return weights.astype(kind)
