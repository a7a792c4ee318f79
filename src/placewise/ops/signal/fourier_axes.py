"""Fourier transforms over any number of given axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import COMPLEX, complex64, complex128, float32, float64
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed, named
from placewise.ops.values import TORCH
from placewise.ops.work import fourier_work

_REAL = frozenset({float32, float64})
_COMPLEX_OF = {float32: complex64, float64: complex128}
_REAL_OF = {complex64: float32, complex128: float64}


def _shape_rule(last: Callable[..., Any]) -> Any:
    def rule(input: Static, fft_length: Static, axes: Static, **_: object) -> Dims:
        if input.shape is None:
            return None
        if fft_length.value is None or axes.value is None:
            return (None,) * len(input.shape)
        result = list(input.shape)
        places = np.asarray(axes.value).reshape(-1).tolist()
        lengths = np.asarray(fft_length.value).reshape(-1).tolist()
        for place, length in zip(places, lengths, strict=True):
            result[place] = length
        if places:
            result[places[-1]] = last(lengths[-1])
        return tuple(result)

    return rule


def _plan(
    input: torch.Tensor, fft_length: np.ndarray[Any, Any], axes: np.ndarray[Any, Any]
) -> tuple[list[int], list[int]]:
    lengths, places = fft_length.reshape(-1).tolist(), axes.reshape(-1).tolist()
    rank = input.dim()
    if len(lengths) != len(places):
        raise invalid(
            f"axes must have the same length as fft_length, got {len(places)} and {len(lengths)}"
        )
    for place in places:
        if not -rank <= place < rank:
            raise invalid(f"axes must be in [{-rank}, {rank}), but got: {bracketed(places)}")
    if len({place % rank for place in places}) != len(places):
        raise invalid(f"axes must not repeat, but got: {bracketed(places)}")
    for index, length in enumerate(lengths):
        if length < 1:
            raise invalid(f"fft_length[{index}] must >= 1, but got: {length}")
    return lengths, places


def _declare(
    name: str,
    real_input: bool,
    real_output: bool,
    function: Callable[..., Any],
    last: Callable[..., Any],
) -> Bind:
    kind_in = "Treal" if real_input else "Tcomplex"
    attr = "; Tcomplex: type = complex64" if real_input else ""
    attr = "; Treal: type = float32" if real_output else attr
    kind_out = "Treal" if real_output else "Tcomplex"
    types: dict[str, Any] = {kind_in: _REAL if real_input else COMPLEX}
    if real_input or real_output:
        types[kind_out] = COMPLEX if real_input else _REAL
    declared = define(
        f"{name}(input: {kind_in}, fft_length: int32, axes: int32{attr}) -> output: {kind_out}",
        host=("fft_length", "axes"),
        doc="The Fourier transform over given axes.",
        work=fourier_work,
        **types,
    )
    declared.shape(_shape_rule(last))

    @declared.kernel
    def fftnd_kernel(
        input: torch.Tensor,
        fft_length: np.ndarray[Any, Any],
        axes: np.ndarray[Any, Any],
        **kinds: Any,
    ) -> Any:
        lengths, places = _plan(input, fft_length, axes)
        if not places:
            return input
        result = function(input, s=lengths, dim=places)
        for kind in kinds.values():
            result = result.to(TORCH[kind])
        return result

    return declared


def _same(length: int) -> int:
    return length


fftnd_op = _declare("FFTND", False, False, torch.fft.fftn, _same)
ifftnd_op = _declare("IFFTND", False, False, torch.fft.ifftn, _same)
rfftnd_op = _declare("RFFTND", True, False, torch.fft.rfftn, lambda length: length // 2 + 1)
irfftnd_op = _declare("IRFFTND", False, True, torch.fft.irfftn, _same)


def _arguments(
    x: Tensor, fft_length: list[Any] | None, axes: list[Any], inverse: bool
) -> tuple[Any, Any]:
    rank = len(x._shape_tuple)
    places = list(range(rank)) if axes is None else np.asarray(axes).reshape(-1).tolist()
    if rank < len(places):
        raise ValueError(f"Shape {x.shape} must have rank at least {len(places)}")
    if fft_length is None:
        lengths = [x._shape_tuple[place] if -rank <= place < rank else 1 for place in places]
        if inverse and lengths:
            lengths[-1] = max(0, 2 * (lengths[-1] - 1))
    else:
        lengths = np.asarray(fft_length).reshape(-1).tolist()
        if any(abs(length) >= 2**31 for length in lengths):
            raise ValueError(f"fft_length {lengths} must be sizes of 32 bits")
    return np.asarray(lengths, np.int32), np.asarray(places, np.int32)


def _weighted(x: Tensor, lengths: np.ndarray[Any, Any], norm: str | None, inverse: bool) -> Any:
    if norm is None or norm == "backward":
        return x
    count = float(np.prod(lengths.astype(np.float64)))
    weight = count if norm == "forward" else count**0.5 if norm == "ortho" else 1.0
    return x * weight if inverse else x / weight


def _function(
    transform: Callable[..., Any], public: str, doc: str, check: str | None = None
) -> Callable[..., Any]:
    inverse = public.startswith("i")

    def function(
        input_tensor: TensorLike,
        fft_length: list[Any] | None = None,
        axes: Any = None,
        norm: str | None = None,
        name: str | None = None,
    ) -> Any:
        hint = float32 if check == "real" else complex64
        x = convert_to_tensor(input_tensor, dtype_hint=hint)
        kinds = {}
        if check == "real":
            if x.dtype not in _REAL:
                raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
            kinds = {"Tcomplex": _COMPLEX_OF[x.dtype]}
        elif check == "complex":
            if x.dtype not in COMPLEX:
                raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
            kinds = {"Treal": _REAL_OF[x.dtype]}
        lengths, places = _arguments(x, fft_length, axes, check == "complex")
        x = _weighted(x, lengths, norm, inverse)
        return transform(x, lengths, places, **kinds, name=name)

    return named(function, public, doc)


fftnd = _function(fftnd_op, "fftnd", "Return the Fourier transform over `axes`, or all.")
ifftnd = _function(ifftnd_op, "ifftnd", "Return the inverse transform over `axes`, or all.")
rfftnd = _function(
    rfftnd_op, "rfftnd", "Return the Fourier transform of real numbers over `axes`, halved.", "real"
)
irfftnd = _function(
    irfftnd_op,
    "irfftnd",
    "Return real numbers from half of their transform over `axes`.",
    "complex",
)


def rfftnd_by_position(
    input: TensorLike,
    fft_length: Any,
    axes: AxisLike,
    Tcomplex: Any = complex64,  # noqa: N803 - the attribute's name
    name: str | None = None,
) -> Any:
    """Return the Fourier transform of real numbers over axes, as the op gives it."""
    return rfftnd_op(input, fft_length, axes, Tcomplex=Tcomplex, name=name)


def irfftnd_by_position(
    input: TensorLike,
    fft_length: Any,
    axes: AxisLike,
    Treal: Any = float32,  # noqa: N803 - the attribute's name
    name: str | None = None,
) -> Any:
    """Return real numbers from half of their transform over axes, as the op gives them."""
    return irfftnd_op(input, fft_length, axes, Treal=Treal, name=name)
