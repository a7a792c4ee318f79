"""Complex numbers: made from parts, taken apart, conjugated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import COMPLEX, DType
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Bind, Call, define, op
from placewise.ops.facts import FLOAT_NUMBERS
from placewise.ops.families import broadcast_shape, incompatible_shapes, same_shape, summed_back
from placewise.ops.math.arithmetic import multiply, negative
from placewise.ops.math.division import reciprocal
from placewise.ops.values import DTYPE, EagerTensor

_PARTS = frozenset({dtypes.float32, dtypes.float64})


_COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


@op(
    "Complex(real: T, imag: T; Tout: type = complex64) -> out: Tout",
    T=_PARTS,
    elementwise=True,
    default_types={"T": dtypes.float32},
    Tout=COMPLEX,
)
def to_complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Any:
    """Return the complex numbers with these real and imaginary parts."""
    real = convert_to_tensor(real)
    imag = convert_to_tensor(imag)
    result = _COMPLEX_OF.get(real.dtype) if real.dtype == imag.dtype else None
    if result is None:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} "
            f"{imag.dtype.name}. They must be consistent, and one of "
            f"{[dtypes.float32, dtypes.float64]}"
        )
    return to_complex.bind(real, imag, Tout=result, name=name)


to_complex.__name__ = to_complex.__qualname__ = "complex"
to_complex.shape(broadcast_shape)
to_complex.error(incompatible_shapes)


@to_complex.kernel
def complex_kernel(real: torch.Tensor, imag: torch.Tensor, *, Tout: DType) -> Any:  # noqa: N803 - its name
    if Tout.size != 2 * real.element_size():
        raise invalid(f"Complex of {DTYPE[real.dtype].name} is not {Tout.name}")
    if real.shape != imag.shape:
        real, imag = torch.broadcast_tensors(real, imag)
    return torch.complex(real, imag)


to_complex.gradient(summed_back(lambda call, dy: (real(dy), imag(dy))))


def _part(name: str, function: Callable[..., Any], doc: str) -> Bind:
    signature = f"{name}(input: T; Tout: type = float32) -> output: Tout"
    made = define(
        signature,
        T=COMPLEX,
        Tout=FLOAT_NUMBERS,
        doc=doc,
        elementwise=True,
        keeps_shape=True,
        default_types={"T": dtypes.complex64},
    )
    made.shape(same_shape)

    def kernel(input: Any, *, Tout: Any) -> Any:  # noqa: N803 - the attribute's name
        if Tout.size * 2 != input.element_size():
            raise invalid(f"{name} of {DTYPE[input.dtype].name} is not {Tout.name}")
        # The clone gives the part memory of its own: a view would keep the whole alive.
        return function(input).clone()

    kernel.__name__ = f"{name.lower()}_kernel"
    made.kernel(kernel)
    return made


_real = _part("Real", torch.real, "Return the real part of complex numbers.")
_imag = _part("Imag", torch.imag, "Return the imaginary part of complex numbers.")
_angle = _part("Angle", torch.angle, "Return the angle of complex numbers, from -pi to pi.")


@_real.gradient
def real_gradient(call: Call, dy: Tensor) -> Any:
    return to_complex(dy, scalar(0, dy.dtype))


@_imag.gradient
def imag_gradient(call: Call, dy: Tensor) -> Any:
    return to_complex(scalar(0, dy.dtype), dy)


@_angle.gradient
def angle_gradient(call: Call, dy: Tensor) -> Any:
    x = call.inputs[0]
    turned = reciprocal(to_complex(imag(x), real(x)))
    return negative(multiply(to_complex(dy, scalar(0, dy.dtype)), turned))


def real(input: TensorLike, name: str | None = None) -> Any:
    """Return the real part; of real numbers the numbers themselves."""
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return _real(x, Tout=x.dtype.real_dtype, name=name)
    if x.dtype.is_numeric:
        return x
    raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x.dtype!r}")


def imag(input: TensorLike, name: str | None = None) -> Any:
    """Return the imaginary part; of real numbers zeros."""
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return _imag(x, Tout=x.dtype.real_dtype, name=name)

    return zeros_like(x)


def angle(input: TensorLike, name: str | None = None) -> Any:
    """Return the angle, from -pi to pi; of real numbers 0 or pi."""
    x = convert_to_tensor(input)
    if x.dtype.is_complex:
        return _angle(x, Tout=x.dtype.real_dtype, name=name)

    return where(x < 0, ones_like(x) * 3.141592653589793, zeros_like(x))


@op(
    "Conj(input: T) -> output: T",
    T=COMPLEX | {dtypes.variant},
    elementwise=True,
    default_types={"T": dtypes.complex64},
)
def conj(x: TensorLike, name: str | None = None) -> Any:
    """Return the complex conjugate; of real numbers the numbers themselves."""
    if type(x) is not EagerTensor:
        x = convert_to_tensor(x)
    if x.dtype.is_complex or x.dtype is dtypes.variant:
        return conj.bind(x, name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


conj.shape(same_shape)


@conj.kernel
def conj_kernel(input: torch.Tensor) -> Any:
    return torch.conj_physical(input)


@conj.gradient
def conj_gradient(call: Call, dy: Tensor) -> Any:
    return conj(dy)
