"""Cosine transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.padding import pad
from placewise.ops.array.shape import as_matrix, sizes_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast
from placewise.ops.math.complex_numbers import real, to_complex
from placewise.ops.math.exponential import exp
from placewise.ops.signal.fourier import irfft, rfft
from placewise.ops.signal.frames import at_least_zero

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check(x: Any, type: int, n: Any, axis: int, norm: Any) -> None:
    if x._shape_tuple == ():
        raise ValueError("input must have at least one dimension")
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    is_first = type == 1
    problems = {
        "n should be a positive integer or None": n is not None and n < 1,
        "Types I, II, III and IV (I)DCT are supported.": type not in _INVERSE,
        "Normalization is not supported for the Type-I DCT.": is_first and norm == "ortho",
        "Type-I DCT requires the dimension to be greater than one.": is_first
        and x.shape[-1] in (0, 1),
        f"Unknown normalization. Expected None or 'ortho', got: {norm}": norm
        not in (None, "ortho"),
    }
    for problem, is_there in problems.items():
        if is_there:
            raise ValueError(problem)


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the cosine transform of type 1 to 4 of the last dimension.

    `n` cuts or extends it with zeros first; `norm='ortho'` makes the transform orthonormal.
    """
    input = convert_to_tensor(input)
    _check(input, type, n, axis, norm)
    return _transformed(input, type, n, norm)


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Any:
    """Return the inverse of the cosine transform of a type, up to scale unless 'ortho'."""
    input = convert_to_tensor(input)
    _check(input, type, n, axis, norm)
    return _transformed(input, _INVERSE[type], n, norm)


def _transformed(x: Tensor, type: int, n: int | None, norm: str | None) -> Any:
    # Raises for integers, in the words of any constant that does not fit.
    zero = convert_to_tensor(0.0, x.dtype)
    if x._shape_tuple is None:
        matrix, restored = as_matrix(x)
        return restored(_transformed(matrix, type, n, norm))
    kind = x.dtype.as_numpy_dtype
    size = sizes_of(x)[-1]
    if n is not None:
        if isinstance(size, Tensor) or n <= size:
            x = x[..., :n]
        if isinstance(size, Tensor) or n > size:
            missing = at_least_zero(n - size)
            x = pad(x, [[0, 0]] * (len(x._shape_tuple) - 1) + [[0, missing]])
        size = n
    if type == 1:
        return real(rfft(concat([x, x[..., -2:0:-1]], -1)))
    if type == 2:
        turned = rfft(x, [2 * size])[..., :size] * _twiddle(size, -1, x.dtype)
        return real(turned) * _weights(size, 0.5, -0.5, x.dtype) if norm else real(turned)
    if type == 3:
        x = x * (_weights(size, 1.0, 0.5, x.dtype, 0.5) if norm else _number(size, x.dtype))
        turned = _twiddle(size, 1, x.dtype) * to_complex(x, zero)
        return irfft(turned, [2 * size])[..., :size]
    odd = _transformed(x, 2, 2 * size, None)[..., 1::2]
    if not norm:
        return odd
    if isinstance(size, Tensor):
        return odd * (math.sqrt(0.5) * _number(size, x.dtype) ** -0.5)
    return odd * np.asarray(math.sqrt(0.5) / math.sqrt(size), kind)


def _number(size: Any, dtype: Any) -> Any:
    return cast(size, dtype) if isinstance(size, Tensor) else np.asarray(size, dtype.as_numpy_dtype)


def _twiddle(size: int, sign: int, dtype: DType) -> Any:
    """Return 2·exp(±iπk / 2·size) as a constant of the complex dtype that goes with `dtype`."""
    if isinstance(size, Tensor):
        place = cast(range_of(size), dtype) * (sign * np.pi * 0.5)
        turn = to_complex(convert_to_tensor(0.0, dtype), place / _number(size, dtype))
        return 2.0 * exp(turn)
    angle = sign * np.arange(size) * (np.pi * 0.5 / max(size, 1))
    kind = np.complex64 if dtype.size == 4 else np.complex128
    return (2.0 * np.exp(1j * angle)).astype(kind)


def _weights(size: int, scale: float, power: float, dtype: DType, ratio: float = 2.0) -> Any:
    """Return the factors that make a transform orthonormal: `scale` times a power of its size."""
    if isinstance(size, Tensor):
        first = cast(range_of(size) == 0, dtype)
        weights = math.sqrt(ratio) + first * (1.0 - math.sqrt(ratio))
        return weights * (scale * _number(size, dtype) ** power)
    weights = np.full(size, scale * size**power * math.sqrt(ratio))
    weights[:1] = scale * size**power
    return weights.astype(dtype.as_numpy_dtype)
