"""Exponentials, logarithms, square roots, and the smooth steps made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, FLOATS_COMPLEX
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Bind, Call, define
from placewise.ops.facts import BY_KERNEL, FLOAT_NUMBERS, Scalar
from placewise.ops.families import bracketed, equal_shapes, named, same_shape, unary
from placewise.ops.math.arithmetic import add, conjugate, multiply, negative, subtract
from placewise.ops.math.division import gradient_op, reciprocal
from placewise.ops.math.elementary import by_size
from placewise.ops.work import transcendental_work

exp = unary(
    "Exp",
    by_size(torch.exp),
    FLOATS_COMPLEX,
    public="exp",
    gradient=lambda call, dy: dy * conjugate(call.output),
    doc="""Return e to the power of x, element by element.

    `x`: floating-point or complex numbers. What is too large becomes inf.

    >>> tf.exp([0.0, 1.0]).numpy().round(3)
    array([1.   , 2.718], dtype=float32)
    """,
    in_place=(by_size(torch.exp_, in_place=True),),
    scalar=BY_KERNEL,
    work=transcendental_work,
)


def expm1_kernel(x: torch.Tensor) -> Any:
    if not x.is_complex():
        return torch.expm1(x)
    a, b = x.real, x.imag
    return torch.complex(
        torch.expm1(a) * torch.cos(b) - 2 * torch.sin(b / 2) ** 2, torch.exp(a) * torch.sin(b)
    )


expm1 = unary(
    "Expm1",
    expm1_kernel,
    FLOATS_COMPLEX,
    public="expm1",
    gradient=lambda call, dy: multiply(dy, exp(conjugate(call.inputs[0]))),
    doc="Return exp(x) - 1, exact also for small x.",
    in_place=(torch.expm1_,),
    work=transcendental_work,
)

log = unary(
    "Log",
    by_size(torch.log),
    FLOATS_COMPLEX,
    public="log",
    gradient=lambda call, dy: dy * reciprocal(conjugate(call.inputs[0])),
    doc="""Return the natural logarithm of x, element by element.

    `x`: floating-point or complex numbers. That of 0 is -inf, of a negative real number nan.

    >>> tf.math.log([1.0, 10.0]).numpy().round(3)
    array([0.   , 2.303], dtype=float32)
    """,
    in_place=(by_size(torch.log_, in_place=True),),
    scalar=BY_KERNEL,
    work=transcendental_work,
)


def log1p_gradient(call: Call, dy: Tensor) -> Any:
    x = conjugate(call.inputs[0])
    return multiply(dy, reciprocal(add(scalar(1, x.dtype), x)))


log1p = unary(
    "Log1p",
    torch.log1p,
    FLOATS_COMPLEX,
    public="log1p",
    gradient=log1p_gradient,
    doc="Return log(1 + x), exact also for small x.",
    in_place=(torch.log1p_,),
    work=transcendental_work,
)


def sqrt_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> Any:
    return dy * 0.5 / (y.conj() if y.is_complex() else y)


def sqrt_grad_gradient(call: Call, ddy: Tensor) -> Any:
    y = call.inputs[0]
    ga = ddy / conjugate(y)
    return negative(multiply(conjugate(ga), call.output)), multiply(scalar(0.5, y.dtype), ga)


_sqrt_grad = gradient_op(
    "SqrtGrad", sqrt_grad_kernel, sqrt_grad_gradient, "Return the gradient of sqrt from its result."
)
sqrt = unary(
    "Sqrt",
    by_size(torch.sqrt),
    FLOATS_COMPLEX,
    public="sqrt",
    gradient=lambda call, dy: _sqrt_grad(call.output, dy),
    doc="""Return the square root of x, element by element.

    `x`: floating-point or complex numbers. That of a negative real number is nan.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """,
    in_place=(by_size(torch.sqrt_, in_place=True),),
    scalar=Scalar("sqrt({})", FLOAT_NUMBERS),
    sparse_values=True,
    work=transcendental_work,
)


def rsqrt_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> Any:
    y = y.conj() if y.is_complex() else y
    return dy * -0.5 * y * y * y


def rsqrt_grad_gradient(call: Call, ddy: Tensor) -> Any:
    y, dy = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    twice = multiply(multiply(scalar(-1.5, y.dtype), ddy), multiply(dy, multiply(y, y)))
    return twice, _rsqrt_grad(y, ddy)


_rsqrt_grad = gradient_op(
    "RsqrtGrad",
    rsqrt_grad_kernel,
    rsqrt_grad_gradient,
    "Return the gradient of rsqrt from its result.",
)
rsqrt = unary(
    "Rsqrt",
    by_size(torch.rsqrt),
    FLOATS_COMPLEX,
    public="rsqrt",
    gradient=lambda call, dy: _rsqrt_grad(call.output, dy),
    doc="Return 1 / sqrt(x).",
    in_place=(by_size(torch.rsqrt_, in_place=True),),
    work=transcendental_work,
)


def sigmoid_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> Any:
    return dy * y * (1 - y) if y.is_complex() else torch.ops.aten.sigmoid_backward(dy, y)


def sigmoid_grad_gradient(call: Call, ddy: Tensor) -> Any:
    y, dy = conjugate(call.inputs[0]), conjugate(call.inputs[1])
    one, two = scalar(1, y.dtype), scalar(2, y.dtype)
    slope = subtract(one, multiply(two, y))
    return multiply(multiply(ddy, dy), slope), _sigmoid_grad(y, ddy)


_sigmoid_grad = gradient_op(
    "SigmoidGrad",
    sigmoid_grad_kernel,
    sigmoid_grad_gradient,
    "Return the gradient of sigmoid from its result.",
    scalar=BY_KERNEL,
)


def sigmoid_gradient(call: Call, dy: Tensor) -> Any:
    return _sigmoid_grad(conjugate(call.output), dy)


sigmoid = unary(
    "Sigmoid",
    torch.sigmoid,
    FLOATS_COMPLEX,
    public="sigmoid",
    gradient=sigmoid_gradient,
    doc="""Return 1 / (1 + exp(-x)), element by element: numbers between 0 and 1.

    `x`: floating-point or complex numbers. Large ones give exactly 0 or 1: for a loss take
    `tf.nn.sigmoid_cross_entropy_with_logits`, which does not lose digits there.

    >>> tf.nn.sigmoid([0.0, 2.0]).numpy().round(3)
    array([0.5  , 0.881], dtype=float32)
    """,
    in_place=(torch.sigmoid_,),
    scalar=BY_KERNEL,
    work=transcendental_work,
)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Any:
    """Return log(sigmoid(x)), without overflow."""
    x = convert_to_tensor(x)
    return negative(softplus(negative(x)), name)


def softplus_kernel(features: torch.Tensor) -> Any:
    # torch's default threshold of 20 loses digits in float64.
    return torch.nn.functional.softplus(features, 1.0, 40.0)


def softplus_grad_gradient(call: Call, ddy: Tensor) -> Any:
    dy, x = call.inputs
    one = exp(negative(x))
    middle = ddy / (one + scalar(2, x.dtype) + exp(x))
    return _softplus_grad(ddy, x), multiply(middle, dy)


def _slope_op(name: str, slope: Callable[..., Any], doc: str) -> Bind:
    """Declare the op that multiplies a gradient with the slope at `features`."""
    signature = f"{name}(gradients: T, features: T) -> backprops: T"
    made = define(signature, T=FLOATS, doc=doc, result="whole")
    made.shape(equal_shapes)

    def kernel(gradients: Any, features: Any) -> Any:
        if gradients.shape != features.shape:
            raise invalid(
                f"Inputs to operation {name} of type {name} must have the same size and shape.  "
                f"Input 0: {bracketed(gradients.shape)} != input 1: {bracketed(features.shape)}"
            )
        return gradients * slope(features)

    made.kernel(kernel)
    return made


_softplus_grad = _slope_op("SoftplusGrad", torch.sigmoid, "Return the gradient of softplus.")
_softplus_grad.gradient(softplus_grad_gradient)

softplus = named(
    define(
        "Softplus(features: T) -> activations: T",
        T=FLOATS,
        result="whole",
        elementwise=True,
        work=transcendental_work,
    ),
    "softplus",
    "Return log(1 + exp(x)), without overflow.",
)
softplus.shape(same_shape)
softplus.kernel(softplus_kernel)
softplus.gradient(lambda call, dy: _softplus_grad(dy, call.inputs[0]))

_softsign_grad = _slope_op(
    "SoftsignGrad",
    lambda x: (x.abs() + 1).square().reciprocal(),
    "Return the gradient of softsign.",
)
softsign = named(
    define("Softsign(features: T) -> activations: T", T=FLOATS, result="whole", elementwise=True),
    "softsign",
    "Return x / (1 + |x|).",
)
softsign.shape(same_shape)
softsign.kernel(lambda features: features / (features.abs() + 1))
softsign.gradient(lambda call, dy: _softsign_grad(dy, call.inputs[0]))
