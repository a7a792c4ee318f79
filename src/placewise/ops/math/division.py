"""Division in all its forms: true, floor, truncating, their remainders, and without NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, FLOATS_COMPLEX, INDEX, NUMBERS, REAL
from placewise.core.errors import InternalError, invalid
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Bind, Call, define
from placewise.ops.facts import FLOAT_NUMBERS, WHOLE_NUMBERS, Scalar
from placewise.ops.families import binary, same_shape, unary
from placewise.ops.host_array import host_array
from placewise.ops.math.arithmetic import conjugate, multiply, negative, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import not_equal
from placewise.ops.values import EagerTensor

_FEW = 16  # so many divisors are looked at one by one
_MANY = 1024  # from so many elements on NumPy divides them by one number
_INTEGERS = torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64


def _is_integer(x: torch.Tensor) -> bool:
    return not x.is_floating_point() and not x.is_complex()


def _checked_divisor(y: torch.Tensor, by_zero: Callable[..., Any]) -> Any:
    """Return the divisor and where it is -1, or None where that cannot overflow.

    The processor traps on the smallest integer divided by -1: such quotients are made by hand. On a
    device nobody looks for zeros: what is divided by them has any value.
    """
    if not y.is_cpu:
        minus_one = None if y.dtype is torch.uint8 else y == -1
        needs_care = y == 0 if minus_one is None else (y == 0) | minus_one
        return y.masked_fill(needs_care, 1), minus_one
    if y.numel() <= _FEW:  # one look instead of two comparisons
        numbers = y.reshape(-1).tolist()
        if 0 in numbers:
            raise by_zero()
        if -1 not in numbers:
            return y, None
    if bool((y == 0).any()):
        raise by_zero()
    if y.dtype is torch.uint8:
        return y, None
    minus_one = y == -1
    if not bool(minus_one.any()):
        return y, None
    return torch.where(minus_one, torch.ones((), dtype=y.dtype, device=y.device), y), minus_one


def _by_zero() -> Exception:
    return invalid("Integer division by zero")


def _truncated_by_zero() -> Exception:
    return InternalError(
        None,
        None,
        "Unexpected error in binary operator (only integer div and mod should have errors)",
    )


def _floor_by_one(x: torch.Tensor, y: torch.Tensor) -> Any:
    """Return an array of quotients of many numbers by one, and that one; None for any others.

    NumPy multiplies by the inverse of a divisor that all share; torch divides ten times as long.
    """
    if x.numel() < _MANY or y.numel() != 1 or y.dim() > x.dim() or x.dtype is not y.dtype:
        return None
    numbers, divisor = host_array(x, *_INTEGERS), host_array(y, *_INTEGERS)
    if numbers is None or divisor is None:
        return None
    number = divisor.reshape(-1)[0]
    return np.floor_divide(numbers, number), number


def _integer_quotient(
    x: torch.Tensor, y: torch.Tensor, mode: str, by_zero: Callable[..., Any] = _by_zero
) -> Any:
    if not x.numel():  # nothing is divided, by zero neither
        return x + torch.zeros_like(y)
    divisor, minus_one = _checked_divisor(y, by_zero)
    shared = _floor_by_one(x, divisor) if mode == "floor" and minus_one is None else None
    if shared is not None:
        return torch.from_numpy(shared[0])
    quotient = torch.div(x, divisor, rounding_mode=mode)
    return quotient if minus_one is None else torch.where(minus_one, -x, quotient)


def _integer_remainder(
    x: torch.Tensor,
    y: torch.Tensor,
    function: Callable[..., Any],
    by_zero: Callable[..., Any] = _by_zero,
) -> Any:
    if not x.numel():
        return x + torch.zeros_like(y)
    divisor, minus_one = _checked_divisor(y, by_zero)
    if function is torch.remainder and minus_one is None:
        shared = _floor_by_one(x, divisor)
        if shared is not None:
            quotient, number = shared
            quotient *= number
            return torch.from_numpy(np.subtract(x.numpy(), quotient, out=quotient))
    remainder = function(x, divisor)
    if minus_one is None:
        return remainder
    return torch.where(minus_one, torch.zeros((), dtype=x.dtype, device=x.device), remainder)


def _no_zero(function: Callable[..., Any]) -> Any:
    """Return a NumPy kernel for unsigned integers that refuses to divide by 0."""

    def checked(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> Any:
        if not np.all(y):
            raise invalid("Integer division by zero")
        return function(x, y)

    return checked


def real_divide_gradient(call: Any, dy: Tensor) -> Any:
    x, y = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    dx = real_divide(dy, y)
    return dx, negative(multiply(dx, real_divide(x, y)))


def real_divide_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    quotient = torch.true_divide(x, y)
    if not quotient.is_complex():
        return quotient
    nowhere = torch.full((), complex(math.nan, math.nan), dtype=y.dtype, device=y.device)
    return torch.where(y == 0, nowhere, quotient)


def reciprocal_kernel(x: torch.Tensor) -> Any:
    return real_divide_kernel(torch.ones_like(x), x) if x.is_complex() else torch.reciprocal(x)


real_divide = binary(
    "RealDiv",
    real_divide_kernel,
    FLOATS_COMPLEX,
    public="realdiv",
    gradient=real_divide_gradient,
    doc="Return x / y for numbers that have fractions.",
    in_place=(torch.Tensor.div_, lambda x, y: torch.true_divide(x, y, out=y)),
    scalar=Scalar("{} / {}", FLOAT_NUMBERS),
    node_name="truediv",
)


def classic_divide_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    return _integer_quotient(x, y, "trunc") if _is_integer(x) else real_divide_kernel(x, y)


classic_divide = binary(
    "Div",
    classic_divide_kernel,
    NUMBERS,
    public="div",
    numpy=_no_zero(np.floor_divide),
    gradient=real_divide_gradient,
    doc="Return x / y; of integers the whole part.",
)


def floor_divide_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    if x.is_floating_point():
        return torch.floor(x / y)
    return _integer_quotient(x, y, "floor")


floordiv = binary(
    "FloorDiv",
    floor_divide_kernel,
    REAL,
    public="floordiv",
    numpy=_no_zero(np.floor_divide),
    gradient=lambda call, dy: (None, None),
    doc="Return the largest whole number not above x / y.",
    scalar=Scalar("{} // {}", WHOLE_NUMBERS, needs_nonzero_divisor=True),
    static="shapes",
)


def floor_mod_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    if x.is_floating_point():
        return torch.remainder(x, y)
    return _integer_remainder(x, y, torch.remainder)


def floor_mod_gradient(call: Any, dy: Tensor) -> Any:
    x, y = call.inputs
    return dy, negative(multiply(dy, floordiv(x, y)))


floormod = binary(
    "FloorMod",
    floor_mod_kernel,
    REAL,
    public="floormod",
    numpy=_no_zero(np.remainder),
    gradient=floor_mod_gradient,
    doc="Return what floordiv leaves over; it has the sign of y.",
    scalar=Scalar("{} % {}", WHOLE_NUMBERS, needs_nonzero_divisor=True),
    static="shapes",
    node_name="floormod",
)
mod = floormod


def truncate_divide_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    if x.is_floating_point():
        return torch.div(x, y, rounding_mode="trunc")
    return _integer_quotient(x, y, "trunc", _truncated_by_zero)


truncatediv = binary(
    "TruncateDiv",
    truncate_divide_kernel,
    REAL,
    public="truncatediv",
    numpy=_no_zero(np.floor_divide),
    gradient=lambda call, dy: (None, None),
    doc="Return x / y without its fraction, rounded toward 0.",
)


def truncate_mod_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    if x.is_floating_point():
        return torch.fmod(x, y)
    return _integer_remainder(x, y, torch.fmod, _truncated_by_zero)


def classic_mod_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    return torch.fmod(x, y) if x.is_floating_point() else _integer_remainder(x, y, torch.fmod)


def truncate_mod_gradient(call: Any, dy: Tensor) -> Any:
    x, y = call.inputs
    return dy, negative(multiply(dy, truncatediv(x, y)))


truncatemod = binary(
    "TruncateMod",
    truncate_mod_kernel,
    FLOATS | INDEX,
    public="truncatemod",
    gradient=truncate_mod_gradient,
    doc="Return what truncatediv leaves over; it has the sign of x.",
)
classic_mod = binary(
    "Mod",
    classic_mod_kernel,
    FLOATS | INDEX,
    public="mod",
    gradient=truncate_mod_gradient,
    doc="Return the remainder of x / y; it has the sign of x.",
)


def _guarded(condition: torch.Tensor, value: torch.Tensor) -> Any:
    return torch.where(condition, torch.zeros((), dtype=value.dtype, device=value.device), value)


def divide_no_nan_gradient(call: Any, dy: Tensor) -> Any:
    x, y = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    dx = divide_no_nan_op(dy, y)
    return dx, multiply(dy, divide_no_nan_op(divide_no_nan_op(negative(x), y), y))


divide_no_nan_op = binary(
    "DivNoNan",
    lambda x, y: (x / y).masked_fill_(y == 0, 0),
    FLOATS_COMPLEX,
    public="div_no_nan",
    gradient=divide_no_nan_gradient,
    doc="Return x / y, and 0 wherever y is 0.",
)


def divide_no_nan(x: Any, y: TensorLike, name: str | None = None) -> Any:
    """Return x / y, and 0 wherever y is 0; integers become floats as in `truediv`."""
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype)
    target = _TRUE_DIVISION.get(x.dtype.base_dtype)
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if target is not None:
        x, y = cast(x, target), cast(y, target)
    return divide_no_nan_op(x, y, name)


div_no_nan = divide_no_nan


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Any:
    """Return 1 / x, and 0 wherever x is 0."""
    x = convert_to_tensor(x)
    return divide_no_nan_op(scalar(1, x.dtype), x, name)


def reciprocal_gradient_rule(call: Call, dy: Tensor) -> Any:
    return _reciprocal_gradient(call.output, dy)


reciprocal = unary(
    "Reciprocal",
    reciprocal_kernel,
    FLOATS_COMPLEX,
    public="reciprocal",
    gradient=reciprocal_gradient_rule,
    doc="Return 1 / x, element by element.",
    in_place=(torch.reciprocal_,),
)
inverse = unary(
    "Inv",
    reciprocal_kernel,
    FLOATS_COMPLEX,
    public="inv",
    gradient=reciprocal_gradient_rule,
    doc="Return 1 / x, element by element.",
)


def reciprocal_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> Any:
    y = y.conj() if y.is_complex() else y
    return -dy * y * y


def reciprocal_grad_gradient(call: Call, dy: Tensor) -> Any:
    y, upstream = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    doubled = multiply(multiply(scalar(-2, y.dtype), dy), upstream)
    return multiply(doubled, y), _reciprocal_gradient(y, dy)


def gradient_op(
    name: str, kernel: Callable[..., Any], gradient: Callable[..., Any], doc: str, **facts: Any
) -> Bind:
    """Declare the op that computes a gradient from a function's result `y` and `dy`."""
    facts = {"result": "whole", **facts}
    made = define(f"{name}(y: T, dy: T) -> z: T", doc=doc, T=FLOATS_COMPLEX, **facts)
    made.shape(same_shape)

    def checked(y: torch.Tensor, dy: torch.Tensor) -> Any:
        if y.numel() != dy.numel():
            raise invalid(
                "The two arguments to a cwise op must have same number of elements, got "
                f"{y.numel()} and {dy.numel()}"
            )
        # TensorFlow pairs elements in memory order and keeps the shape of `y`.
        return kernel(y, dy if dy.shape == y.shape else dy.reshape(y.shape))

    made.kernel(checked)
    made.gradient(gradient)
    return made


_reciprocal_gradient = gradient_op(
    "ReciprocalGrad",
    reciprocal_grad_kernel,
    reciprocal_grad_gradient,
    "Return the gradient of 1 / x from its result.",
)
gradient_op(
    "InvGrad",
    reciprocal_grad_kernel,
    reciprocal_grad_gradient,
    "Return the gradient of 1 / x from its result.",
)

_TRUE_DIVISION = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.float16: None,
    dtypes.bfloat16: None,
    dtypes.float32: None,
    dtypes.float64: None,
    dtypes.complex64: None,
    dtypes.complex128: None,
}
_FRACTIONAL = frozenset(
    {torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128}
)


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Return x / y with its fraction: integers of 8 and 16 bits give float32, others float64."""
    if type(x) is EagerTensor and type(y) is EagerTensor:
        kind = x._value.dtype
        if kind is y._value.dtype and kind in _FRACTIONAL:
            return real_divide(x, y, name)
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype)
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    try:
        target = _TRUE_DIVISION[x.dtype.base_dtype]
    except KeyError:
        expected = ", ".join(repr(d) for d in _TRUE_DIVISION)
        raise TypeError(
            f"Invalid dtype {x.dtype!r} in __truediv__. Expected one of {{{expected}}}."
        ) from None
    if target is not None:
        x, y = cast(x, target), cast(y, target)
    return real_divide(x, y, name)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Return x / y with the rules of Python's operator."""
    if name is not None:
        return truediv(x, y, name)
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x, y.dtype.base_dtype if isinstance(y, Tensor) else None)
    return x / y


def div(x: Any, y: TensorLike, name: str | None = None) -> Any:
    """Return x / y as Python 2 did: of integers the floor, else the true quotient."""
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype=x.dtype.base_dtype)
    if x.dtype.is_floating or x.dtype.is_complex:
        return real_divide(x, y, name)
    return floordiv(x, y, name)


def _cleared(x: torch.Tensor, y: torch.Tensor, value: torch.Tensor) -> Any:
    return _guarded(x == 0, value)


def xdivy_gradient(call: Any, dy: Tensor) -> Any:
    x, y = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    not_zero = _is_not_zero(x)
    return (multiply(dy, xdivy(not_zero, y)), multiply(dy, xdivy(negative(x), multiply(y, y))))


def _is_not_zero(x: Tensor) -> Any:
    return cast(not_equal(x, scalar(0, x.dtype)), x.dtype)


xdivy = binary(
    "Xdivy",
    lambda x, y: _cleared(x, y, real_divide_kernel(x, y)),
    FLOATS_COMPLEX,
    public="xdivy",
    gradient=xdivy_gradient,
    doc="Return x / y, and 0 wherever x is 0.",
)


def xlogy_gradient(call: Any, dy: Tensor) -> Any:
    x, y = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    return multiply(dy, xlogy(_is_not_zero(x), y)), multiply(dy, xdivy(x, y))


xlogy = binary(
    "Xlogy",
    lambda x, y: _cleared(x, y, x * torch.log(y)),
    FLOATS_COMPLEX,
    public="xlogy",
    gradient=xlogy_gradient,
    doc="Return x * log(y), and 0 wherever x is 0.",
)


def xlog1py_gradient(call: Any, dy: Tensor) -> Any:
    x, y = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    one_more = subtract(y, scalar(-1, y.dtype))
    return multiply(dy, xlog1py(_is_not_zero(x), y)), multiply(dy, xdivy(x, one_more))


xlog1py = binary(
    "Xlog1py",
    lambda x, y: _cleared(x, y, x * torch.log1p(y)),
    FLOATS_COMPLEX,
    public="xlog1py",
    gradient=xlog1py_gradient,
    doc="Return x * log(1 + y), and 0 wherever x is 0.",
)
