"""Fourier transforms over the last one, two or three dimensions, or over given axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import COMPLEX, DType, complex64, complex128, float32, float64
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.creation import zeros, zeros_like
from placewise.ops.array.padding import pad
from placewise.ops.array.reverse import roll
from placewise.ops.array.shape import shape_of
from placewise.ops.array.shape import size as size_of
from placewise.ops.array.static import get_static_value
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import bracketed, named
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.complex_numbers import real
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.values import TORCH
from placewise.ops.work import fourier_work

_REAL = frozenset({float32, float64})
_COMPLEX_OF = {float32: complex64, float64: complex128}
_REAL_OF = {complex64: float32, complex128: float64}
_SUFFIX = {1: "", 2: "2D", 3: "3D"}


def _last(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _scaled(x: Any, axes: Any, power: int) -> Any:
    """Return `x` times its number of elements along `axes`, or divided by it."""
    shape = x._shape_tuple
    if shape is None or None in [shape[axis] for axis in axes]:
        whole = convert_to_tensor(shape_of(x))
        sizes = cast(stack([whole[axis] for axis in axes]), _REAL_OF.get(x.dtype, x.dtype))
        return x * cast(reduce_prod(sizes) ** power, x.dtype)
    count = float(np.prod([shape[axis] for axis in axes]))
    return x * cast(convert_to_tensor(count**power, _REAL_OF.get(x.dtype, x.dtype)), x.dtype)


def _check_rank(input: torch.Tensor, rank: int) -> None:
    if input.dim() < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {bracketed(input.shape)}")


def _complex_transform(rank: int, inverse: bool) -> Bind:
    """Declare a transform of complex numbers and return its public function."""
    way = "I" if inverse else ""
    declared = define(
        f"{way}FFT{_SUFFIX[rank]}(input: Tcomplex) -> output: Tcomplex",
        Tcomplex=COMPLEX,
        doc=f"The {'inverse ' * inverse}Fourier transform over the last dimensions: {rank}.",
        work=fourier_work,
    )
    function = torch.fft.ifftn if inverse else torch.fft.fftn

    def shape_rule(input: Static) -> Dims:
        if input.shape is not None and len(input.shape) < rank:
            raise ValueError(f"Shape must be at least rank {rank} but is rank {len(input.shape)}")
        return input.shape

    def kernel(input: Any) -> Any:
        _check_rank(input, rank)
        return function(input, dim=_last(rank)) if input.numel() else input

    declared.shape(shape_rule)
    declared.kernel(kernel)
    return declared


_forward = {rank: _complex_transform(rank, inverse=False) for rank in _SUFFIX}
_inverse = {rank: _complex_transform(rank, inverse=True) for rank in _SUFFIX}


def _add_complex_gradients(rank: int) -> None:
    def forward_rule(call: Call, dy: Tensor) -> Any:
        return _scaled(_inverse[rank](dy), _last(rank), 1)

    def inverse_rule(call: Call, dy: Tensor) -> Any:
        return _scaled(_forward[rank](dy), _last(rank), -1)

    _forward[rank].gradient(forward_rule)
    _inverse[rank].gradient(inverse_rule)


for _rank in _SUFFIX:
    _add_complex_gradients(_rank)


def _complex_function(transform: Callable[..., Any], public: str, doc: str) -> Callable[..., Any]:
    def function(input: TensorLike, name: str | None = None) -> Any:
        return transform(convert_to_tensor(input, dtype_hint=complex64), name)

    return named(function, public, doc)


fft = _complex_function(_forward[1], "fft", "Return the Fourier transform of the last dimension.")
fft2d = _complex_function(
    _forward[2], "fft2d", "Return the Fourier transform of the last two dimensions."
)
fft3d = _complex_function(
    _forward[3], "fft3d", "Return the Fourier transform of the last three dimensions."
)
ifft = _complex_function(
    _inverse[1], "ifft", "Return the inverse Fourier transform of the last dimension."
)
ifft2d = _complex_function(
    _inverse[2], "ifft2d", "Return the inverse Fourier transform of the last two dimensions."
)
ifft3d = _complex_function(
    _inverse[3], "ifft3d", "Return the inverse Fourier transform of the last three dimensions."
)


def _check_lengths(
    input: torch.Tensor, fft_length: np.ndarray[Any, Any], rank: int, halved: bool
) -> list[int]:
    """Return the lengths of the transform; raise where the input is shorter."""
    _check_rank(input, rank)
    if fft_length.shape != (rank,):
        raise invalid(f"fft_length must have shape [{rank}]")
    lengths: list[int] = fft_length.tolist()
    for index, length in enumerate(lengths):
        if length < 0:
            raise invalid(f"fft_length[{index}] must >= 0, but got: {length}")
        needed = length // 2 + 1 if halved and index == rank - 1 else length
        given = input.shape[index - rank]
        if length and 0 < given < needed:
            raise invalid(
                f"Input dimension {input.dim() - rank + index} must have length of at least "
                f"{needed} but got: {given}"
            )
    return lengths


def _half(length: int) -> int:
    return length // 2 + 1 if length else 0


def _real_shape(rank: int, inverse: bool) -> Any:
    def rule(input: Static, fft_length: Static, **_: object) -> Dims:
        if input.shape is not None and len(input.shape) < rank:
            raise ValueError(f"Shape must be at least rank {rank} but is rank {len(input.shape)}")
        if fft_length.shape is not None:
            if len(fft_length.shape) != 1:
                raise ValueError(f"Shape must be rank 1 but is rank {len(fft_length.shape)}")
            if fft_length.shape[0] not in (None, rank):
                raise ValueError(f"Dimension must be {rank} but is {fft_length.shape[0]}")
        if input.shape is None:
            return None
        batch = input.shape[: len(input.shape) - rank]
        if fft_length.value is None:
            return (*batch, *(None,) * rank)
        lengths = np.asarray(fft_length.value).reshape(-1).tolist()
        return (*batch, *lengths[:-1], lengths[-1] if inverse else _half(lengths[-1]))

    return rule


def _real_transform(rank: int) -> Bind:
    """Declare the transform of real numbers, which keeps the half of the result that counts."""
    declared = define(
        f"RFFT{_SUFFIX[rank]}(input: Treal, fft_length: int32; Tcomplex: type = complex64)"
        " -> output: Tcomplex",
        host=("fft_length",),
        Treal=_REAL,
        doc=f"The Fourier transform of real numbers over the last dimensions: {rank}.",
        work=fourier_work,
        Tcomplex=COMPLEX,
    )
    declared.shape(_real_shape(rank, inverse=False))

    @declared.kernel
    def rfft_kernel(
        input: torch.Tensor,
        fft_length: np.ndarray[Any, Any],
        *,
        Tcomplex: DType,  # noqa: N803
    ) -> Any:
        lengths = _check_lengths(input, fft_length, rank, halved=False)
        kind = TORCH[Tcomplex]
        if (input.dtype is torch.float32) != (kind is torch.complex64):
            kinds = {torch.float32: 1, torch.float64: 2, torch.complex64: 8, torch.complex128: 18}
            raise invalid(
                f"Wrong types for forward real FFT: in={kinds[input.dtype]} out={kinds[kind]}"
            )
        if not input.numel() or 0 in lengths:
            shape = (*input.shape[: input.dim() - rank], *lengths[:-1], _half(lengths[-1]))
            return torch.zeros(shape, dtype=kind, device=input.device)
        return torch.fft.rfftn(input, s=lengths, dim=_last(rank))

    @declared.gradient
    def rfft_gradient(call: Call, dy: Tensor) -> Any:
        # The half that was left out gets nothing: zeros in its place, then back.
        x, fft_length = call.inputs
        wide = _widened(dy, _known_or_tensor(fft_length))
        found = real(_scaled(_inverse[rank](wide), _last(rank), 1))
        return _fit_to(found, x, rank), None

    return declared


def _known_or_tensor(lengths: TensorLike) -> Any:
    """Return lengths as an array where they are known, else the tensor."""
    static = get_static_value(lengths)
    return lengths if static is None else np.asarray(static)


def _widened(x: Any, sizes: Any) -> Any:
    """Return `x` with zeros appended until its last dimensions have at least these sizes."""
    shape = x._shape_tuple
    count = sizes.shape[0] if isinstance(sizes, Tensor) else len(sizes)
    if shape is None:
        whole = convert_to_tensor(shape_of(x))
        missing = maximum(convert_to_tensor(sizes, np.int32) - whole[-count:], 0)
        none = zeros([size_of(whole) - count, 2], np.int32)
        return pad(x, concat([none, stack([zeros_like(missing), missing], 1)], 0))
    given = shape[-count:]
    if isinstance(sizes, Tensor) or None in given or None in sizes:
        whole = shape_of(x)
        missing = maximum(convert_to_tensor(sizes, np.int32) - whole[len(shape) - count :], 0)
        sides = [[0, 0]] * (len(shape) - count) + [[0, missing[i]] for i in range(count)]
        return pad(x, sides)
    sides = [[0, max(0, int(s) - d)] for s, d in zip(sizes, given, strict=True)]
    if not any(more for _, more in sides):
        return x
    return pad(x, [[0, 0]] * (len(shape) - count) + sides)


def _fit_to(gradient: Tensor, x: Tensor, rank: int) -> Any:
    """Return a gradient with the last dimensions of `x`: zeros for what the transform left out."""
    sizes = None if x._shape_tuple is None else x._shape_tuple[-rank:]
    if sizes is None or None in sizes:
        whole = convert_to_tensor(shape_of(x))
        return _widened(gradient, stack([whole[axis] for axis in _last(rank)]))
    gradient = _widened(gradient, sizes)
    if gradient._shape_tuple[-rank:] == sizes:
        return gradient
    # What the transform itself appended has no gradient.
    return gradient[(..., *[slice(size) for size in sizes])]


def _real_inverse(rank: int) -> Bind:
    """Declare the inverse of the transform of real numbers."""
    declared = define(
        f"IRFFT{_SUFFIX[rank]}(input: Tcomplex, fft_length: int32; Treal: type = float32)"
        " -> output: Treal",
        host=("fft_length",),
        Tcomplex=COMPLEX,
        doc=f"Real numbers from half of their Fourier transform; last dimensions: {rank}.",
        work=fourier_work,
        Treal=_REAL,
    )
    declared.shape(_real_shape(rank, inverse=True))

    @declared.kernel
    def irfft_kernel(input: torch.Tensor, fft_length: np.ndarray[Any, Any], *, Treal: DType) -> Any:  # noqa: N803
        lengths = _check_lengths(input, fft_length, rank, halved=True)
        kind = TORCH[Treal]
        if not input.numel() or 0 in lengths:
            shape = (*input.shape[: input.dim() - rank], *lengths)
            return torch.zeros(shape, dtype=kind, device=input.device)
        return torch.fft.irfftn(input, s=lengths, dim=_last(rank)).to(kind)

    @declared.gradient
    def irfft_gradient(call: Call, dy: Tensor) -> Any:
        x, fft_length = call.inputs
        spectrum = _real_op[rank](dy, fft_length, Tcomplex=x.dtype)
        found = spectrum * _mirrored(_known_or_tensor(fft_length), x.dtype)
        return _fit_to(found, x, rank), None

    return declared


def _mirrored(lengths: np.ndarray[Any, Any], dtype: DType) -> Any:
    """Return how much each half of a spectrum stands for, over the size of the transform.

    All but the first (and, if even, the last) stand for their mirror images too.
    """
    if isinstance(lengths, Tensor):
        last = lengths[-1]
        places = range_of(last // 2 + 1)
        single = (places == 0) | (places * 2 == last)
        kind = dtype.real_dtype
        weights = 2 - cast(single, kind)
        return cast(weights / cast(reduce_prod(lengths), kind), dtype)
    weights = np.full(_half(int(lengths[-1])), 2.0)
    weights[0] = 1.0
    if lengths[-1] % 2 == 0:
        weights[-1] = 1.0
    return (weights / float(np.prod(lengths))).astype(dtype.as_numpy_dtype)


_real_op = {rank: _real_transform(rank) for rank in _SUFFIX}
_real_inverse_op = {rank: _real_inverse(rank) for rank in _SUFFIX}


def _lengths(x: Tensor, fft_length: list[Any] | None, rank: int, inverse: bool) -> Any:
    """Return the lengths of a transform: as given, or those of the input."""
    if fft_length is not None:
        made = convert_to_tensor(fft_length, np.int32)
        if hasattr(made, "graph"):
            made.shape.with_rank(1)
        if not made._shape_tuple:
            raise TypeError("'numpy.int32' object is not iterable")
        return _known_or_tensor(made)
    sizes: list[Any] = [None] if x._shape_tuple is None else list(x._shape_tuple[-rank:])
    if None in sizes:
        whole = convert_to_tensor(shape_of(x))
        sizes = [whole[axis] for axis in _last(rank)]
        if inverse:
            sizes[-1] = 2 * (sizes[-1] - 1)
        return stack(sizes)
    if inverse:
        sizes[-1] = max(0, 2 * (sizes[-1] - 1))
    return np.asarray(sizes, np.int32)


def _fitted(x: Tensor, fft_length: np.ndarray[Any, Any], inverse: bool) -> Any:
    """Return `x` with zeros appended where the transform is longer."""
    shape = x._shape_tuple
    if shape is not None and 0 in shape:
        return x
    if not isinstance(fft_length, np.ndarray):
        if fft_length.shape.rank != 1 or fft_length.shape[0] is None:
            return x
        halved = fft_length[-1:] // 2 + 1 if inverse else fft_length[-1:]
        return _widened(x, concat([fft_length[:-1], halved], 0))
    wanted = fft_length.reshape(-1).tolist()
    if not wanted or (shape is not None and len(shape) < len(wanted)):
        return x  # the op says what is wrong
    if inverse:
        wanted[-1] = wanted[-1] // 2 + 1
    return _widened(x, wanted)


def _at_least(x: Tensor, rank: int) -> None:
    if x._shape_tuple is not None and len(x._shape_tuple) < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")


def _needs_real(x: Tensor) -> None:
    if x.dtype not in _REAL:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")


def _needs_complex(x: Tensor) -> None:
    if x.dtype not in COMPLEX:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")


def _real_function(rank: int, public: str, doc: str) -> Callable[..., Any]:
    def function(
        input_tensor: TensorLike, fft_length: list[Any] | None = None, name: str | None = None
    ) -> Any:
        x = convert_to_tensor(input_tensor, dtype_hint=float32)
        _needs_real(x)
        _at_least(x, rank)
        lengths = _lengths(x, fft_length, rank, inverse=False)
        x = _fitted(x, lengths, inverse=False)
        return _real_op[rank](x, lengths, Tcomplex=_COMPLEX_OF[x.dtype], name=name)

    return named(function, public, doc)


def _real_inverse_function(rank: int, public: str, doc: str) -> Callable[..., Any]:
    def function(
        input_tensor: Tensor, fft_length: list[Any] | None = None, name: str | None = None
    ) -> Any:
        x = convert_to_tensor(input_tensor, dtype_hint=complex64)
        _at_least(x, rank)
        _needs_complex(x)
        lengths = _lengths(x, fft_length, rank, inverse=True)
        x = _fitted(x, lengths, inverse=True)
        return _real_inverse_op[rank](x, lengths, Treal=_REAL_OF[x.dtype], name=name)

    return named(function, public, doc)


rfft = _real_function(1, "rfft", "Return the Fourier transform of a real last dimension, halved.")
rfft2d = _real_function(2, "rfft2d", "Return the Fourier transform of two real dimensions, halved.")
rfft3d = _real_function(
    3, "rfft3d", "Return the Fourier transform of three real dimensions, halved."
)
irfft = _real_inverse_function(1, "irfft", "Return real numbers from half of their transform.")
irfft2d = _real_inverse_function(
    2, "irfft2d", "Return real numbers in two dimensions from half of their transform."
)
irfft3d = _real_inverse_function(
    3, "irfft3d", "Return real numbers in three dimensions from half of their transform."
)


def _shifts(x: Tensor, axes: Any) -> tuple[Any, Any]:
    shape = x._shape_tuple
    if axes is None:
        axes = range(len(shape))
    elif not isinstance(axes, int):
        axes = np.asarray(axes).reshape(-1).tolist()
    axes = [axes] if isinstance(axes, int) else list(axes)
    for axis in axes:
        if not -len(shape) <= axis < len(shape):
            raise invalid(f"axis {axis} is out of bounds for a tensor of rank {len(shape)}")
    if None in [shape[axis] for axis in axes]:
        whole = shape_of(x)
        return stack([whole[axis] // 2 for axis in axes]), np.asarray(axes, np.int32)
    halves = [shape[axis] // 2 for axis in axes]
    return np.asarray(halves, np.int32), np.asarray(axes, np.int32)


def fftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Any:
    """Return `x` with the zero frequency moved to the middle."""
    x = convert_to_tensor(x)
    shift, axes = _shifts(x, axes)
    return roll(x, shift, axes, name)


def ifftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Any:
    """Return `x` with the zero frequency moved back from the middle to the front."""
    x = convert_to_tensor(x)
    shift, axes = _shifts(x, axes)
    return roll(x, -shift, axes, name)
