"""Addition, subtraction, multiplication, powers, and the larger and smaller of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import (
    COMPLEX,
    FLOATS,
    FLOATS_COMPLEX,
    INDEX,
    NUMBERS,
    REAL,
    SIGNED,
    DType,
)
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Bind, Call, define, op
from placewise.ops.facts import FLOAT_NUMBERS, SCALAR_NUMBERS, Scalar
from placewise.ops.families import (
    binary,
    broadcast_shape,
    incompatible_shapes,
    same_shape,
    summed_back,
    through_numpy,
    unary,
)
from placewise.ops.math.comparison import greater, greater_equal, less_equal, not_equal
from placewise.ops.values import DTYPE, Content, EagerTensor, c_name
from placewise.ops.work import transcendental_work


def conjugate(x: Tensor) -> Any:
    """Return the complex conjugate of `x` for a gradient; `x` itself if it is real."""
    if x.dtype.is_complex:
        return lazy.conj(x)
    return x


def add_gradient(call: Any, dy: Tensor) -> Any:
    return dy, dy


add_strings = define(
    "Add(x: T, y: T) -> z: T",
    doc="x + y; strings are joined.",
    T=(NUMBERS | {dtypes.string}) - {dtypes.uint16, dtypes.uint32, dtypes.uint64},
    result="whole",
    in_place=(torch.Tensor.add_, lambda x, y: y.add_(x)),
    scalar=Scalar("{} + {}", SCALAR_NUMBERS),
    elementwise=True,
    static="shapes",
)
add_strings.shape(broadcast_shape)
add_strings.error(incompatible_shapes)
add_strings.gradient(summed_back(add_gradient))


@add_strings.kernel
def add_strings_kernel(x: Content, y: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.asarray(x + y, dtype=object)
    return torch.add(x, y)


@op(
    "AddV2(x: T, y: T) -> z: T",
    T=NUMBERS,
    result="whole",
    in_place=(torch.Tensor.add_, lambda x, y: y.add_(x)),
    scalar=Scalar("{} + {}", SCALAR_NUMBERS),
    elementwise=True,
    static="shapes",
)
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return x + y, element by element; strings are joined.

    `x`, `y`: tensors of one dtype, numbers or strings, that broadcast to one shape; integers that
        do not fit wrap around.

    Raises InvalidArgumentError if the dtypes differ or the shapes do not broadcast.

    >>> tf.add([1, 2], 10).numpy()
    array([11, 12], dtype=int32)
    """
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x)
    # Unlike other ops, addition lets the second operand keep a dtype of its own, and says so; in a
    # graph it becomes a constant named after the argument.
    if not isinstance(y, Tensor) and current.interpreter is Scope.eager:
        y = convert_to_tensor(y, dtype_hint=x.dtype)
    return (add_strings if x.dtype is dtypes.string else add.bind)(x, y, name)


add.shape(broadcast_shape)
add.kernel(torch.add)
add.kernel(through_numpy(np.add), on="wide_unsigned")
add.error(incompatible_shapes)
add.gradient(summed_back(add_gradient))

subtract = binary(
    "Sub",
    torch.sub,
    NUMBERS,
    numpy=np.subtract,
    public="subtract",
    gradient=(lambda call, dy: dy, lambda call, dy: negative(dy)),
    doc="""Return x - y, element by element.

    `x`, `y`: numbers of one dtype that broadcast to one shape; integers that do not fit wrap
        around.

    >>> tf.subtract([5, 7], [1, 2]).numpy()
    array([4, 5], dtype=int32)
    """,
    in_place=(torch.Tensor.sub_, lambda x, y: torch.sub(x, y, out=y)),
    scalar=Scalar("{} - {}", SCALAR_NUMBERS),
    static="shapes",
)


def _by_left(call: Any, dy: Tensor) -> Any:
    return multiply(dy, conjugate(call.inputs[1]))


def _by_right(call: Any, dy: Tensor) -> Any:
    return multiply(dy, conjugate(call.inputs[0]))


multiply = binary(
    "Mul",
    torch.mul,
    NUMBERS,
    numpy=np.multiply,
    public="multiply",
    gradient=(_by_left, _by_right),
    doc="""Return x * y, element by element.

    `x`, `y`: numbers of one dtype that broadcast to one shape; integers that do not fit wrap
        around.
    `tf.matmul` is the product of matrices.

    >>> tf.multiply([1.0, 2.0], 3.0).numpy()
    array([3., 6.], dtype=float32)
    """,
    in_place=(torch.Tensor.mul_, lambda x, y: y.mul_(x)),
    scalar=Scalar("{} * {}", SCALAR_NUMBERS),
    static="shapes",
)

negative: Bind = unary(
    "Neg",
    torch.neg,
    SIGNED | FLOATS_COMPLEX,
    public="negative",
    gradient=lambda call, dy: negative(dy),
    doc="Return -x, element by element.",
    in_place=(torch.neg_,),
    scalar=Scalar("-{}", SCALAR_NUMBERS),
    static="shapes",
    sparse_values=True,
)


def multiply_no_nan_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    return torch.where(y == 0, torch.zeros((), dtype=x.dtype, device=x.device), x * y)


def multiply_no_nan_gradient(call: Any, dy: Tensor) -> Any:
    x, y = call.inputs
    return multiply_no_nan(dy, conjugate(y)), multiply_no_nan(conjugate(x), dy)


multiply_no_nan = binary(
    "MulNoNan",
    multiply_no_nan_kernel,
    FLOATS_COMPLEX,
    public="multiply_no_nan",
    gradient=multiply_no_nan_gradient,
    doc="Return x * y, and 0 wherever y is 0, even if x is not finite.",
)

_absolute = unary(
    "Abs",
    torch.abs,
    SIGNED | FLOATS,
    public="abs",
    gradient=lambda call, dy: multiply(dy, sign(call.inputs[0])),
    doc="Return |x|, element by element.",
    in_place=(torch.abs_,),
    scalar=Scalar("abs({})", SCALAR_NUMBERS),
    static="shapes",
    sparse_values=True,
)

_complex_abs = define(
    "ComplexAbs(x: T; Tout: type = float32) -> y: Tout",
    T=COMPLEX,
    doc="Return the length of complex numbers.",
    elementwise=True,
    sparse_values=True,
    default_types={"T": dtypes.complex64},
    Tout=FLOAT_NUMBERS,
)
_complex_abs.shape(same_shape)


@_complex_abs.kernel
def complex_abs_kernel(x: torch.Tensor, *, Tout: DType) -> Any:  # noqa: N803 - the attribute's name
    if Tout.size * 2 != x.element_size():
        raise invalid(
            f"Signature mismatch, have: {DTYPE[x.dtype].name}->{c_name(Tout)} expected: "
            f"{DTYPE[x.dtype].name}->{c_name(DTYPE[x.dtype].real_dtype)}"
        )
    return torch.abs(x)


@_complex_abs.gradient
def complex_abs_gradient(call: Call, dy: Tensor) -> Any:
    return multiply(lazy.to_complex(dy, dy * 0), sign(call.inputs[0]))


def abs(x: Any, name: str | None = None) -> Any:
    """Return the absolute value of x, element by element.

    `x`: numbers. Of a complex number it is the length, a real number of half the size. The smallest
        integer of a signed dtype has no positive counterpart and stays as it is.

    >>> tf.abs([-1.5, 2.0]).numpy()
    array([1.5, 2. ], dtype=float32)
    """
    if type(x) is not EagerTensor:
        x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return _complex_abs(x, Tout=x.dtype.real_dtype, name=name)
    return _absolute(x, name)


def sign_kernel(x: torch.Tensor) -> Any:
    if x.is_floating_point():
        return torch.where(x != x, x, torch.sign(x))  # torch says 0 for NaN
    return torch.sgn(x)


def sign_gradient(call: Call, dy: Tensor) -> Any:
    x = call.inputs[0]
    if not x.dtype.is_complex:
        return multiply(dy, zero_like(x))
    # A complex sign turns with the number: what flows across its direction counts, over |x|.
    direction = sign(x)
    across = subtract(dy, multiply(multiply(direction, direction), conjugate(dy)))
    size = _complex_abs(x, Tout=x.dtype.real_dtype)
    factor = where(greater(size, zero_like(size)), 0.5 / size, zero_like(size))
    return multiply(across, lazy.to_complex(factor, factor * 0))


def zero_like(x: Tensor) -> Any:
    """Return a scalar 0 of the dtype of `x`."""
    return scalar(0, x.dtype)


sign: Bind = unary(
    "Sign",
    sign_kernel,
    SIGNED | FLOATS_COMPLEX,
    public="sign",
    gradient=sign_gradient,
    doc="Return -1, 0 or 1 as x is negative, zero or positive; x/|x| if complex.",
    sparse_values=True,
)


def square_gradient(call: Call, dy: Tensor) -> Any:
    x = conjugate(call.inputs[0])
    return multiply(dy, multiply(scalar(2, x.dtype), x))


square = unary(
    "Square",
    torch.square,
    NUMBERS,
    numpy=np.square,
    public="square",
    gradient=square_gradient,
    doc="""Return x * x, element by element.

    `x`: numbers of any dtype; integers that do not fit wrap around.

    >>> tf.square([-3.0, 2.0]).numpy()
    array([9., 4.], dtype=float32)
    """,
    in_place=(torch.square_,),
    scalar=Scalar("{0} * {0}", SCALAR_NUMBERS),
    sparse_values=True,
)


def squared_difference_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    difference = x - y
    if difference.is_complex():
        return difference * difference.conj()
    return difference * difference


def squared_difference_gradient(call: Any, dy: Tensor) -> Any:
    x, y = call.inputs
    dx = multiply(multiply(scalar(2, x.dtype), dy), subtract(x, y))
    return dx, negative(dx)


squared_difference = binary(
    "SquaredDifference",
    squared_difference_kernel,
    FLOATS_COMPLEX | INDEX,
    public="squared_difference",
    gradient=squared_difference_gradient,
    doc="Return (x - y)^2; complex: (x - y) times its conjugate.",
)


def pow_kernel(x: torch.Tensor, y: torch.Tensor) -> Any:
    is_integer = not x.is_floating_point() and not x.is_complex()
    if is_integer and y.is_cpu and bool((y < 0).any()):
        raise invalid("Integers to negative integer powers are not allowed")
    return torch.pow(x, y)


def pow_gradient(call: Any, dy: Tensor) -> Any:
    x, y = call.inputs
    one = scalar(1, x.dtype)
    zero = zero_like(x)
    dx = multiply(dy, conjugate(multiply(y, pow(x, subtract(y, one)))))
    # log(x) only where it is defined, so that no NaN of elsewhere leaks in.
    positive = not_equal(x, zero) if x.dtype.is_complex else greater(x, zero)
    log_x = where(positive, lazy.log(where(positive, x, one)), zero)
    dz = multiply(dy, conjugate(multiply(call.output, log_x)))
    return dx, dz


pow = binary(
    "Pow",
    pow_kernel,
    SIGNED | FLOATS_COMPLEX,
    public="pow",
    gradient=pow_gradient,
    doc="""Return x to the power of y, element by element.

    `x`, `y`: numbers of one dtype that broadcast to one shape. Integers to a negative power raise
        InvalidArgumentError. A negative float to a power with a fraction is nan.

    >>> tf.pow([2, 3], 3).numpy()
    array([ 8, 27], dtype=int32)
    """,
    work=transcendental_work,
)


def _extremum_gradient(comes_from_x: Callable[..., Any]) -> Any:
    def gradient(call: Any, dy: Any) -> Any:
        x, y = call.inputs
        from_x = comes_from_x(x, y)
        zero = zero_like(dy)
        return where(from_x, dy, zero), where(from_x, zero, dy)

    return gradient


def _greater_equal(x: Tensor, y: Tensor) -> Any:
    return greater_equal(x, y)


def _less_equal(x: Tensor, y: Tensor) -> Any:
    return less_equal(x, y)


maximum = binary(
    "Maximum",
    torch.maximum,
    REAL,
    numpy=np.maximum,
    public="maximum",
    gradient=_extremum_gradient(_greater_equal),
    doc="""Return the larger of x and y, element by element.

    `x`, `y`: real numbers of one dtype that broadcast to one shape. nan wins over any number. The
        gradient goes to the larger one, to `x` where both are equal.

    >>> tf.maximum([1.0, 5.0], 3.0).numpy()
    array([3., 5.], dtype=float32)
    """,
    in_place=(lambda x, y: torch.maximum(x, y, out=x), lambda x, y: torch.maximum(x, y, out=y)),
    scalar=Scalar("maximum({}, {})", SCALAR_NUMBERS),
    static="shapes",
    numerics="none",
)

minimum = binary(
    "Minimum",
    torch.minimum,
    REAL,
    numpy=np.minimum,
    public="minimum",
    gradient=_extremum_gradient(_less_equal),
    doc="""Return the smaller of x and y, element by element.

    `x`, `y`: real numbers of one dtype that broadcast to one shape. nan wins over any number. The
        gradient goes to the smaller one, to `x` where both are equal.

    >>> tf.minimum([1.0, 5.0], 3.0).numpy()
    array([1., 3.], dtype=float32)
    """,
    in_place=(lambda x, y: torch.minimum(x, y, out=x), lambda x, y: torch.minimum(x, y, out=y)),
    scalar=Scalar("minimum({}, {})", SCALAR_NUMBERS),
    static="shapes",
    numerics="none",
)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Return `x` times a scalar, a Python number or a tensor without dimensions."""
    x_dtype = getattr(x, "dtype", None)
    factor = convert_to_tensor(scalar, dtype=x_dtype if isinstance(x_dtype, dtypes.DType) else None)
    shape = factor._shape_tuple
    if shape is not None and len(shape):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {factor.shape}.")
    if hasattr(x, "indices") and hasattr(x, "values"):
        return type(x)(multiply(factor, x.values, name), x.indices, x.dense_shape)
    return multiply(factor, x, name)
