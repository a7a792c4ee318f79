"""Functions element by element, each named after NumPy's and computed by an op of TensorFlow's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import placewise as tf
from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.numpy_api.promotion import DEFAULT_FLOAT, array, asarray, inexact, together


def _named(function: Callable[..., Any], name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return NumPy's `{name}`, element by element."
    return function


def _unary(name: str, compute: Callable[[Any], Any], floats: bool = False) -> Any:
    convert = inexact if floats else asarray
    return _named(lambda x: compute(convert(x)), name)


def _binary(name: str, compute: Callable[[Any, Any], Any], floats: bool = False) -> Any:
    return _named(lambda x1, x2: compute(*together(x1, x2, floats=floats)), name)


def _logical(name: str, compute: Callable[..., Any]) -> Any:
    return _named(lambda x1, x2: compute(asarray(x1, bool), asarray(x2, bool)), name)


def _part(x: Tensor, imaginary: bool) -> Any:
    if x.dtype.is_complex:
        return tf.math.imag(x) if imaginary else tf.math.real(x)
    return tf.zeros_like(x) if imaginary else x


def _only_floats(compute: Callable[[Any], Any], otherwise: bool) -> Callable[[Any], Any]:
    def test(x: Any) -> Any:
        if x.dtype.is_floating:
            return compute(x)
        if x.dtype.is_complex:
            real, imag = compute(tf.math.real(x)), compute(tf.math.imag(x))
            return tf.logical_and(real, imag) if otherwise else tf.logical_or(real, imag)
        return tf.fill(tf.shape(x), otherwise)

    return test


def _magnitude(x: Tensor) -> Any:
    return tf.identity(x) if x.dtype.is_bool else tf.abs(x)


def _cbrt(x: Tensor) -> Any:
    third = tf.constant(1 / 3, x.dtype)
    return tf.sign(x) * tf.pow(tf.abs(x), third)


def _either(booleans: Callable[..., Any], numbers: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: (booleans if x.dtype.is_bool else numbers)(x, y)


def _gcd(x: Tensor, y: Tensor) -> Any:
    if not (x.dtype.is_integer and y.dtype.is_integer):
        raise ValueError("Arguments to gcd must be integers.")
    x, y = tf.broadcast_to(x, s := tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))), y
    start = (tf.abs(x), tf.abs(tf.broadcast_to(y, s)))

    def step(big: Tensor, small: Tensor) -> tuple[Any, Any]:
        divisor = tf.where(small != 0, small, tf.ones_like(small))
        rest = tf.math.floormod(big, divisor)
        return tf.where(small != 0, small, big), tf.where(small != 0, rest, small)

    return tf.while_loop(lambda _, small: tf.reduce_any(small != 0), step, start)[0]


def _lcm(x: Tensor, y: Tensor) -> Any:
    divisor = _gcd(x, y)
    safe = tf.where(divisor != 0, divisor, tf.ones_like(divisor))
    return tf.where(divisor != 0, tf.abs(x) // safe * tf.abs(y), tf.zeros_like(divisor))


def _heaviside(x: Tensor, y: Tensor) -> Any:
    zero = tf.zeros_like(x)
    return tf.where(x < 0, zero, tf.where(x > 0, tf.ones_like(x), y))


def _logaddexp(x: Tensor, y: Tensor, base: float = math.e) -> Any:
    scale = tf.constant(math.log(base), x.dtype)
    more, less = tf.maximum(x, y), tf.minimum(x, y)
    found = more + tf.math.log1p(tf.exp((less - more) * scale)) / scale
    return tf.where(tf.equal(x, y), more + tf.math.log(tf.constant(2, x.dtype)) / scale, found)


def _reciprocal_of(value: float) -> Callable[[Any], Any]:
    return lambda x: tf.math.log(x) / tf.cast(math.log(value), x.dtype)


def _sinc(x: Tensor) -> Any:
    scaled = x * tf.constant(math.pi, x.dtype)
    return tf.where(
        tf.equal(scaled, 0),
        tf.ones_like(x),
        tf.sin(scaled) / tf.where(tf.equal(scaled, 0), tf.ones_like(x), scaled),
    )


def _signbit(x: Tensor) -> Any:
    if x.dtype is tf.bool:
        return tf.fill(tf.shape(x), False)
    if not x.dtype.is_floating:
        return x < 0
    bits = {2: tf.int16, 4: tf.int32, 8: tf.int64}[x.dtype.size]
    return tf.bitcast(x, bits) < 0


abs = absolute = _unary("absolute", _magnitude)
fabs = _unary("fabs", tf.abs)
negative = _unary("negative", tf.negative)
positive = _unary("positive", tf.identity)
square = _unary("square", tf.square)
reciprocal = _unary("reciprocal", lambda x: 1 // x if x.dtype.is_integer else 1 / x)
conj = conjugate = _unary("conjugate", tf.math.conj)
signbit = _unary("signbit", _signbit)
bitwise_not = _unary(
    "bitwise_not", lambda x: tf.logical_not(x) if x.dtype.is_bool else tf.bitwise.invert(x)
)
ceil = _unary("ceil", tf.math.ceil, floats=True)
floor = _unary("floor", tf.floor, floats=True)
fix = _unary("fix", lambda x: tf.where(x < 0, tf.math.ceil(x), tf.floor(x)))
isnan = _unary("isnan", _only_floats(tf.math.is_nan, False), floats=True)
isinf = _unary("isinf", _only_floats(tf.math.is_inf, False), floats=True)
isfinite = _unary("isfinite", _only_floats(tf.math.is_finite, True), floats=True)
isneginf = _unary("isneginf", lambda x: tf.equal(x, tf.constant(-math.inf, x.dtype)), floats=True)
isposinf = _unary("isposinf", lambda x: tf.equal(x, tf.constant(math.inf, x.dtype)), floats=True)
iscomplex = _unary("iscomplex", lambda x: tf.not_equal(_part(x, True), 0))
isreal = _unary("isreal", lambda x: tf.equal(_part(x, True), 0))
sqrt = _unary("sqrt", tf.sqrt, floats=True)
cbrt = _unary("cbrt", _cbrt, floats=True)
exp = _unary("exp", tf.exp, floats=True)
exp2 = _unary("exp2", lambda x: tf.pow(tf.constant(2, x.dtype), x), floats=True)
expm1 = _unary("expm1", tf.math.expm1, floats=True)
log = _unary("log", tf.math.log, floats=True)
log2 = _unary("log2", _reciprocal_of(2), floats=True)
log10 = _unary("log10", _reciprocal_of(10), floats=True)
log1p = _unary("log1p", tf.math.log1p, floats=True)
sin = _unary("sin", tf.sin, floats=True)
cos = _unary("cos", tf.cos, floats=True)
tan = _unary("tan", tf.tan, floats=True)
sinh = _unary("sinh", tf.sinh, floats=True)
cosh = _unary("cosh", tf.cosh, floats=True)
tanh = _unary("tanh", tf.tanh, floats=True)
arcsin = _unary("arcsin", tf.asin, floats=True)
arccos = _unary("arccos", tf.acos, floats=True)
arctan = _unary("arctan", tf.atan, floats=True)
arcsinh = _unary("arcsinh", tf.asinh, floats=True)
arccosh = _unary("arccosh", tf.acosh, floats=True)
arctanh = _unary("arctanh", tf.atanh, floats=True)
deg2rad = _unary("deg2rad", lambda x: x * tf.constant(math.pi / 180, x.dtype), floats=True)
rad2deg = _unary("rad2deg", lambda x: x * tf.constant(180 / math.pi, x.dtype), floats=True)
sinc = _unary("sinc", _sinc, floats=True)
logical_not = _named(lambda x: tf.logical_not(asarray(x, bool)), "logical_not")

add = _binary("add", _either(tf.logical_or, tf.add))
subtract = _binary("subtract", tf.subtract)
multiply = _binary("multiply", _either(tf.logical_and, tf.multiply))
true_divide = divide = _binary("true_divide", tf.truediv, floats=True)
floor_divide = _binary("floor_divide", tf.math.floordiv)
mod = remainder = _binary("mod", tf.math.floormod)
divmod = _binary("divmod", lambda x, y: (tf.math.floordiv(x, y), tf.math.floormod(x, y)))
power = _binary("power", tf.pow)
float_power = _binary("float_power", tf.pow)
arctan2 = _binary("arctan2", tf.atan2, floats=True)
hypot = _binary("hypot", lambda x, y: tf.sqrt(tf.square(x) + tf.square(y)), floats=True)
nextafter = _binary("nextafter", tf.math.nextafter, floats=True)
heaviside = _binary("heaviside", _heaviside, floats=True)
logaddexp = _binary("logaddexp", _logaddexp, floats=True)
logaddexp2 = _binary("logaddexp2", lambda x, y: _logaddexp(x, y, 2), floats=True)
maximum = _binary("maximum", _either(tf.logical_or, tf.maximum))
minimum = _binary("minimum", _either(tf.logical_and, tf.minimum))
gcd = _binary("gcd", _gcd)
lcm = _binary("lcm", _lcm)
equal = _binary("equal", tf.equal)
not_equal = _binary("not_equal", tf.not_equal)
greater = _binary("greater", _either(lambda x, y: tf.logical_and(x, tf.logical_not(y)), tf.greater))
greater_equal = _binary(
    "greater_equal", _either(lambda x, y: tf.logical_or(x, tf.logical_not(y)), tf.greater_equal)
)
less = _binary("less", _either(lambda x, y: tf.logical_and(tf.logical_not(x), y), tf.less))
less_equal = _binary(
    "less_equal", _either(lambda x, y: tf.logical_or(tf.logical_not(x), y), tf.less_equal)
)
bitwise_and = _binary("bitwise_and", _either(tf.logical_and, tf.bitwise.bitwise_and))
bitwise_or = _binary("bitwise_or", _either(tf.logical_or, tf.bitwise.bitwise_or))
bitwise_xor = _binary("bitwise_xor", _either(tf.math.logical_xor, tf.bitwise.bitwise_xor))
logical_and = _logical("logical_and", tf.logical_and)
logical_or = _logical("logical_or", tf.logical_or)
logical_xor = _logical("logical_xor", tf.math.logical_xor)


def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Return -1, 0 or 1 by the sign of each element."""
    if out is not None or where is not None or kwargs:
        raise ValueError("tf.numpy doesn't support setting out, where or further arguments.")
    made = asarray(x)
    return tf.sign(tf.math.real(made)) if made.dtype.is_complex else tf.sign(made)


def real(val: TensorLike) -> Any:
    """Return the real part."""
    return _part(asarray(val), False)


def imag(val: TensorLike) -> Any:
    """Return the imaginary part: zeros for real numbers."""
    return _part(asarray(val), True)


def angle(z: TensorLike, deg: bool = False) -> Any:
    """Return the angle of complex numbers, in radians or degrees."""
    found = tf.math.angle(inexact(z))
    return found * (180 / math.pi) if deg else found


def clip(a: TensorLike, a_min: Any, a_max: Any) -> Any:
    """Return `a` with what is outside two bounds set to the bound."""
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    values, low, high = together(a, a_min, a_max)
    return tf.minimum(tf.maximum(values, low), high)


def around(a: TensorLike, decimals: int = 0) -> Any:
    """Return `a` rounded to so many decimals, halves to the even neighbour."""
    made = asarray(a)
    if made.dtype.is_integer and decimals >= 0:
        return made
    scale = tf.constant(10.0**decimals, DEFAULT_FLOAT)
    rounded = tf.round(tf.cast(made, DEFAULT_FLOAT) * scale) / scale
    return tf.cast(rounded, made.dtype)


round = around


def isclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Return whether elements are equal but for a tolerance."""
    x, y = together(a, b)
    if not x.dtype.is_floating and not x.dtype.is_complex:
        return tf.equal(x, y)
    room = tf.cast(atol, x.dtype.real_dtype) + tf.cast(rtol, x.dtype.real_dtype) * tf.abs(y)
    close = tf.equal(x, y) | (isfinite(y) & (tf.abs(x - y) <= room))
    return close | (isnan(x) & isnan(y)) if equal_nan else close


def allclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Return whether all elements are equal but for a tolerance."""
    return tf.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: TensorLike, a2: Sequence[Any]) -> Any:
    """Return whether two arrays have the same shape and elements."""
    x, y = together(a1, a2)
    if x.shape.is_fully_defined() and y.shape.is_fully_defined() and x.shape != y.shape:
        return tf.constant(False)
    return tf.reduce_all(tf.equal(x, y))


def iscomplexobj(x: TensorLike) -> bool:
    """Return whether the dtype is a complex one."""
    return bool(array(x, copy=False).dtype.is_complex)


def isrealobj(x: TensorLike) -> bool:
    """Return whether the dtype is no complex one."""
    return not iscomplexobj(x)


def isscalar(num: TensorLike) -> bool:
    """Return whether it is a single number or string."""
    return bool(asarray(num).shape.rank == 0) if isinstance(num, tf.Tensor) else np.isscalar(num)
