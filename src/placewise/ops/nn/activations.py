"""Activations: the families of relu, elu and selu, which are ops, and those made of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, REAL, DType, float32
from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.shape import identity
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Bind, Call, define, op
from placewise.ops.facts import BY_KERNEL
from placewise.ops.families import bracketed, equal_shapes, named, same_shape, through_numpy
from placewise.ops.flow.identity import identity_n
from placewise.ops.math.arithmetic import add, multiply, negative
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import less
from placewise.ops.math.exponential import sigmoid
from placewise.ops.math.special import erfc
from placewise.ops.math.trigonometric import tanh
from placewise.ops.name_scopes import is_tf1_graph

_aten = torch.ops.aten
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123
# As float32 holds them, in every dtype: so does TensorFlow.
_CUBIC, _ROOT_HALF = float(np.float32(0.044715)), float(np.float32(0.5**0.5))


def _grad_op(
    name: str,
    second: str,
    types: frozenset[DType],
    kernel: Callable[..., Any],
    doc: str,
    attrs: str = "",
    **facts: Any,
) -> Bind:
    """Declare the op that carries the gradient of an activation."""
    signature = f"{name}(gradients: T, {second}: T{attrs}) -> backprops: T"
    made = define(signature, T=types, doc=doc, result="whole", **facts)
    made.shape(equal_shapes)

    # torch's kernels broadcast.
    @made.kernel
    def alike_kernel(gradients: torch.Tensor, other: torch.Tensor, **attrs: Any) -> Any:
        if gradients.shape != other.shape:
            raise _unequal(name, gradients, other)
        return kernel(gradients, other, **attrs)

    return made


def _unequal(name: str, gradients: Any, other: Any) -> Exception:
    return invalid(
        f"Inputs to operation {name} of type {name} must have the same size and shape.  "
        f"Input 0: {bracketed(gradients.shape)} != input 1: {bracketed(other.shape)}"
    )


def _activation(
    name: str,
    kernel: Callable[..., Any],
    types: frozenset[DType],
    gradient: Callable[..., Any],
    doc: str,
    numpy: Callable[..., Any] | None = None,
    **facts: Any,
) -> Bind:
    """Declare an activation, element by element; `numpy` is its kernel for wide unsigned types."""
    facts = {"result": "whole", "elementwise": True, "keeps_shape": True, **facts}
    made = define(f"{name}(features: T) -> activations: T", T=types, doc=doc, **facts)
    made.shape(same_shape)
    made.kernel(kernel)
    made.gradient(gradient)
    if numpy is not None:
        made.kernel(through_numpy(numpy), on="wide_unsigned")
    return named(made, name.lower(), doc)


def relu_gradient(call: Call, dy: Tensor) -> Any:
    return relu_grad(dy, call.output)


relu = _activation(
    "Relu",
    torch.relu,
    REAL,
    relu_gradient,
    """Return each element, or 0 where it is negative.

    `features`: real numbers. nan stays nan; the gradient at 0 is 0.

    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """,
    numpy=lambda x: x,
    in_place=(torch.relu_,),
    scalar=BY_KERNEL,
)


def _relu_grad_over(gradients: Any, features: Any) -> Any:
    return _aten.threshold_backward.grad_input(gradients, features, 0, grad_input=gradients)


def relu_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> Any:
    return _aten.threshold_backward(gradients, features, 0)


relu_grad = _grad_op(
    "ReluGrad",
    "features",
    REAL,
    relu_grad_kernel,
    "The gradient of relu.",
    in_place=(_relu_grad_over,),
)


def _relu_grad_of_unsigned(gradients: np.ndarray[Any, Any], features: np.ndarray[Any, Any]) -> Any:
    if gradients.shape != features.shape:
        raise _unequal("ReluGrad", gradients, features)
    return np.where(features > 0, gradients, 0).astype(gradients.dtype)


relu_grad.kernel(through_numpy(_relu_grad_of_unsigned), on="wide_unsigned")


@relu_grad.gradient
def relu_grad_gradient(call: Call, dy: Tensor) -> Any:
    x = call.inputs[1]
    return relu_grad(dy, x), zeros_like(x)


def relu6_gradient(call: Call, dy: Tensor) -> Any:
    return relu6_grad(dy, call.output)


relu6 = _activation(
    "Relu6",
    lambda features: torch.clamp(features, 0, 6),
    REAL,
    relu6_gradient,
    "Return each element, held between 0 and 6.",
    numpy=lambda x: np.minimum(x, 6).astype(x.dtype),
    in_place=(lambda features: torch.clamp_(features, 0, 6),),
)


def relu6_grad_kernel(gradients: torch.Tensor, features: torch.Tensor) -> Any:
    if gradients.is_floating_point():
        return _aten.hardtanh_backward(gradients, features, 0, 6)
    return torch.where((features > 0) & (features < 6), gradients, 0)


relu6_grad = _grad_op("Relu6Grad", "features", REAL, relu6_grad_kernel, "The gradient of relu6.")
relu6_grad.kernel(
    through_numpy(lambda g, x: np.where((x > 0) & (x < 6), g, 0).astype(g.dtype)),
    on="wide_unsigned",
)


@relu6_grad.gradient
def relu6_grad_gradient(call: Call, dy: Tensor) -> Any:
    x = call.inputs[1]
    return relu6_grad(dy, x), zeros_like(x)


@op(
    "LeakyRelu(features: T; alpha: float = 0.2) -> activations: T",
    T=FLOATS,
    result="whole",
    elementwise=True,
    default_types={"T": dtypes.float32},
)
def leaky_relu(features: TensorLike, alpha: Any = 0.2, name: str | None = None) -> Any:
    """Return each element, or `alpha` times it where it is negative."""
    features = convert_to_tensor(features)
    if features.dtype.is_integer:
        features = cast(features, float32)
    if isinstance(alpha, (str, bytes, Tensor)):
        raise TypeError(f"Expected float for argument 'alpha' not {alpha!r}.")
    return leaky_relu.bind(features, alpha=float(alpha), name=name)


leaky_relu.shape(same_shape)


def _attr_float(x: torch.Tensor, value: float) -> float:
    """Return an attribute as an op sees it: attributes have 32 bits, which float64 shows."""
    return float(np.float32(value)) if x.dtype is torch.float64 else value


@leaky_relu.kernel
def leaky_relu_kernel(features: torch.Tensor, *, alpha: float) -> Any:
    return functional.leaky_relu(features, _attr_float(features, alpha))


@leaky_relu.gradient
def leaky_relu_gradient(call: Call, dy: Tensor) -> Any:
    return leaky_relu_grad(dy, call.inputs[0], **call.attrs)


def leaky_relu_grad_kernel(gradients: torch.Tensor, features: torch.Tensor, *, alpha: float) -> Any:
    return _aten.leaky_relu_backward(gradients, features, _attr_float(features, alpha), False)


leaky_relu_grad = _grad_op(
    "LeakyReluGrad",
    "features",
    FLOATS,
    leaky_relu_grad_kernel,
    "The gradient of leaky_relu.",
    "; alpha: float = 0.2",
    default_types={"T": dtypes.float32},
)


@leaky_relu_grad.gradient
def leaky_relu_grad_gradient(call: Call, dy: Tensor) -> Any:
    x = call.inputs[1]
    return leaky_relu_grad(dy, x, **call.attrs), zeros_like(x)


def _below_zero(call: Any, dy: Tensor) -> Any:
    """Return the part of a second derivative that exists only where the function bends."""
    gradients, outputs = call.inputs
    return where(
        less(outputs, scalar(0, outputs.dtype)), multiply(dy, gradients), zeros_like(outputs)
    )


elu = _activation(
    "Elu",
    functional.elu,
    FLOATS,
    lambda call, dy: elu_grad(dy, call.output),
    "Return each element, or exp(x) - 1 where it is negative.",
)


def elu_grad_kernel(gradients: torch.Tensor, outputs: torch.Tensor) -> Any:
    return _aten.elu_backward(gradients, 1.0, 1.0, 1.0, True, outputs)


elu_grad: Bind = _grad_op("EluGrad", "outputs", FLOATS, elu_grad_kernel, "The gradient of elu.")


@elu_grad.gradient
def elu_grad_gradient(call: Call, dy: Tensor) -> Any:
    return elu_grad(dy, call.inputs[1]), _below_zero(call, dy)


selu = _activation(
    "Selu",
    functional.selu,
    FLOATS,
    lambda call, dy: selu_grad(dy, call.output),
    "Return elu with the scale that keeps mean 0 and variance 1 through layers.",
)


def selu_grad_kernel(gradients: torch.Tensor, outputs: torch.Tensor) -> Any:
    return torch.where(outputs < 0, outputs + _SELU_SCALE_ALPHA, _SELU_SCALE) * gradients


selu_grad: Bind = _grad_op("SeluGrad", "outputs", FLOATS, selu_grad_kernel, "The gradient of selu.")


@selu_grad.gradient
def selu_grad_gradient(call: Call, dy: Tensor) -> Any:
    return selu_grad(dy, call.inputs[1]), _below_zero(call, dy)


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Any:
    """Return relu of x and of -x, side by side along `axis`."""
    x = convert_to_tensor(features)
    return relu(concat([x, negative(x)], axis), name)


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Any:
    """Return x times the chance that a normal number is below x; `approximate`: through tanh."""
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor.Received:features.dtype={x.dtype!r}"
        )
    kind = x.dtype
    half = multiply(scalar(0.5, kind), x)
    if approximate:
        cubic = multiply(scalar(_CUBIC, kind), multiply(x, multiply(x, x)))
        inner = tanh(multiply(scalar(0.7978845608028654, kind), add(x, cubic)))
        return multiply(half, add(scalar(1.0, kind), inner))
    # erfc(-z), not 1 + erf(z): near -1 a sum of 16 bits would keep few digits of erf.
    return multiply(half, erfc(multiply(negative(x), scalar(_ROOT_HALF, kind))))


def silu(features: TensorLike, beta: TensorLike = 1.0) -> Any:
    """Return x * sigmoid(beta * x)."""
    x = convert_to_tensor(features, name="features")
    is_one = isinstance(beta, (int, float)) and beta == 1
    if is_one and is_tf1_graph():
        # TensorFlow 1 has its own gradient for it, and passes the result on with what it is of.
        made = x * sigmoid(x)
        return identity_n([made, identity(x)])[0]
    if is_one:
        return multiply(x, sigmoid(x))
    scaled = multiply(x, scalar(beta, x.dtype) if isinstance(beta, (int, float)) else beta)
    return multiply(x, sigmoid(scaled))


swish = silu
