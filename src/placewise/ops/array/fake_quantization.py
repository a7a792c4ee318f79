"""Rounding to what a few bits can hold, kept as floats: the fake_quant_with_min_max family."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed, same_shape

_BITS = "num_bits: int = 8, narrow_range: bool = False"
_RANGE = f"min: float = -6.0, max: float = 6.0, {_BITS}"

_FIELDS = ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
_VarsGradient = namedtuple("FakeQuantWithMinMaxVarsGradient", _FIELDS)  # type: ignore[misc]
_ChannelsGradient = namedtuple("FakeQuantWithMinMaxVarsPerChannelGradient", _FIELDS)  # type: ignore[misc]


def _first(narrow_range: bool) -> float:
    return 1.0 if narrow_range else 0.0


def _last(num_bits: int) -> float:
    return float((1 << num_bits) - 1)


def _nudged(
    low: torch.Tensor, high: torch.Tensor, num_bits: int, narrow_range: bool
) -> tuple[Any, Any, Any]:
    """Return range ends moved so that zero is one of the steps, and the size of a step."""
    if not 2 <= num_bits <= 16:
        raise invalid("num_bits must be between 2 and 16, inclusive")
    first, last = _first(narrow_range), _last(num_bits)
    step = (high - low) / (last - first)
    zero = torch.floor(first - low / step + 0.5).clamp(first, last)
    return (first - zero) * step, (last - zero) * step, step


def _quantized(
    inputs: torch.Tensor,
    low: torch.Tensor,
    high: torch.Tensor,
    num_bits: int,
    narrow_range: bool,
    *,
    divides: bool = True,
) -> Any:
    """Return `inputs` rounded to steps; a quotient and a product round some halves differently."""
    start, end, step = _nudged(low, high, num_bits, narrow_range)
    # By how many steps an input is above the range: TensorFlow's ops multiply by a quotient of the
    # two ranges, which is not always 1 / step, but the one that divides.
    # A tensor by a tensor: torch multiplies a number by the reciprocal, which rounds twice.
    per_unit = torch.full_like(high, _last(num_bits) - _first(narrow_range)) / (high - low)
    zero = torch.floor((-start / step if divides else -start * per_unit) + 0.5)
    shifted = torch.maximum(torch.minimum(inputs, end), start) - start
    steps = shifted / step if divides else shifted * per_unit
    made = torch.floor(steps - zero + 0.5) * step
    nothing = (low == 0) & (high == 0)
    return torch.where(nothing, torch.zeros((), device=inputs.device), made)


def _passed(
    gradients: Any, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool
) -> tuple[Any, Any, Any]:
    """Return the gradients of the elements inside, below and above the range; zeros elsewhere.

    They are products, as in TensorFlow: an infinite gradient outside is NaN, not lost.
    """
    start, end, _ = _nudged(low, high, num_bits, narrow_range)
    nothing = (low == 0) & (high == 0)
    inside = ((inputs >= start) & (inputs <= end)) | nothing
    return (
        torch.where(nothing, gradients, gradients * inside),
        torch.where(nothing, 0.0, gradients * (inputs < start)),
        torch.where(nothing, 0.0, gradients * (inputs > end)),
    )


def _same(gradients: torch.Tensor, inputs: torch.Tensor) -> None:
    if gradients.shape != inputs.shape:
        raise invalid("gradient and input must be the same size")


def _ends(inputs: torch.Tensor, low: float, high: float) -> tuple[Any, Any]:
    if not low < high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")
    return tuple(torch.full((), v, dtype=torch.float32, device=inputs.device) for v in (low, high))  # type: ignore[return-value]


@op(f"FakeQuantWithMinMaxArgs(inputs: float32; {_RANGE}) -> outputs: float32")
def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Return `inputs` rounded to `num_bits` steps between two numbers."""
    return fake_quant_with_min_max_args.bind(
        inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


fake_quant_with_min_max_args.shape(same_shape)


@fake_quant_with_min_max_args.kernel
def fake_quant_args_kernel(
    inputs: torch.Tensor, *, min: float, max: float, num_bits: int, narrow_range: bool
) -> Any:
    return _quantized(inputs, *_ends(inputs, min, max), num_bits, narrow_range, divides=False)


@fake_quant_with_min_max_args.gradient
def fake_quant_args_rule(call: Call, dy: Tensor) -> Any:
    return fake_quant_with_min_max_args_gradient.bind(dy, call.inputs[0], **call.attrs)


@op(
    f"FakeQuantWithMinMaxArgsGradient(gradients: float32, inputs: float32; {_RANGE})"
    " -> backprops: float32",
    differentiable=False,
)
def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Return the gradients of the elements that lie between the two numbers, zero elsewhere."""
    return fake_quant_with_min_max_args_gradient.bind(
        gradients,
        inputs,
        min=min,
        max=max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


fake_quant_with_min_max_args_gradient.shape(same_shape)


@fake_quant_with_min_max_args_gradient.kernel
def fake_quant_args_gradient_kernel(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    *,
    min: float,
    max: float,
    num_bits: int,
    narrow_range: bool,
) -> Any:
    _same(gradients, inputs)
    ends = _ends(inputs, min, max)
    return _passed(gradients, inputs, *ends, num_bits, narrow_range)[0]


def _scalar(low: torch.Tensor, high: torch.Tensor) -> tuple[Any, Any]:
    for name, value in (("min", low), ("max", high)):
        if value.shape != ():
            raise invalid(f"`{name}` must be rank 0 but is rank {value.dim()}")
    return low, high


@op(
    f"FakeQuantWithMinMaxVars(inputs: float32, min: float32, max: float32; {_BITS})"
    " -> outputs: float32"
)
def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Return `inputs` rounded to `num_bits` steps between two scalar tensors."""
    return fake_quant_with_min_max_vars.bind(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


fake_quant_with_min_max_vars.shape(same_shape)


@fake_quant_with_min_max_vars.kernel
def fake_quant_vars_kernel(
    inputs: torch.Tensor, min: torch.Tensor, max: torch.Tensor, *, num_bits: int, narrow_range: bool
) -> Any:
    return _quantized(inputs, *_scalar(min, max), num_bits, narrow_range)


@fake_quant_with_min_max_vars.gradient
def fake_quant_vars_rule(call: Call, dy: Tensor) -> Any:
    return tuple(fake_quant_with_min_max_vars_gradient.bind(dy, *call.inputs, **call.attrs))


_BACK = "backprops_wrt_input: float32, backprop_wrt_min: float32, backprop_wrt_max: float32"


@op(
    "FakeQuantWithMinMaxVarsGradient(gradients: float32, inputs: float32, min: float32, "
    f"max: float32; {_BITS}) -> {_BACK}",
    differentiable=False,
)
def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Return the gradients for the inputs, the lower and the upper end of the range."""
    return _VarsGradient(
        *fake_quant_with_min_max_vars_gradient.bind(
            gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
        )
    )


@fake_quant_with_min_max_vars_gradient.shape
def fake_quant_vars_gradient_shape(
    gradients: Static, inputs: Static, min: Static, max: Static, **_: object
) -> list[Dims]:
    return [inputs.shape, (), ()]


@fake_quant_with_min_max_vars_gradient.kernel
def fake_quant_vars_gradient_kernel(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    *,
    num_bits: int,
    narrow_range: bool,
) -> Any:
    _same(gradients, inputs)
    ends = _scalar(min, max)
    inside, below, above = _passed(gradients, inputs, *ends, num_bits, narrow_range)
    return inside, below.sum(), above.sum()


def _channels(inputs: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> tuple[Any, Any]:
    for name, value in (("min", low), ("max", high)):
        if not inputs.dim() or tuple(value.shape) != (inputs.shape[-1],):
            raise invalid(
                f"{name} has incorrect size, expected {inputs.shape[-1] if inputs.dim() else 0} "
                f"was {bracketed(value.shape)}"
            )
    return low, high


@op(
    f"FakeQuantWithMinMaxVarsPerChannel(inputs: float32, min: float32, max: float32; {_BITS})"
    " -> outputs: float32"
)
def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Return `inputs` rounded to `num_bits` steps within a range of its own per last index."""
    return fake_quant_with_min_max_vars_per_channel.bind(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


fake_quant_with_min_max_vars_per_channel.shape(same_shape)


@fake_quant_with_min_max_vars_per_channel.kernel
def fake_quant_channels_kernel(
    inputs: torch.Tensor, min: torch.Tensor, max: torch.Tensor, *, num_bits: int, narrow_range: bool
) -> Any:
    return _quantized(inputs, *_channels(inputs, min, max), num_bits, narrow_range, divides=False)


@fake_quant_with_min_max_vars_per_channel.gradient
def fake_quant_channels_rule(call: Call, dy: Tensor) -> Any:
    bind = fake_quant_with_min_max_vars_per_channel_gradient.bind
    return tuple(bind(dy, *call.inputs, **call.attrs))


@op(
    "FakeQuantWithMinMaxVarsPerChannelGradient(gradients: float32, inputs: float32, min: float32, "
    f"max: float32; {_BITS}) -> {_BACK}",
    differentiable=False,
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Return the gradients for the inputs and, per last index, the ends of its range."""
    return _ChannelsGradient(
        *fake_quant_with_min_max_vars_per_channel_gradient.bind(
            gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
        )
    )


@fake_quant_with_min_max_vars_per_channel_gradient.shape
def fake_quant_channels_gradient_shape(
    gradients: Static, inputs: Static, min: Static, max: Static, **_: object
) -> list[Dims]:
    return [inputs.shape, min.shape, max.shape]


@fake_quant_with_min_max_vars_per_channel_gradient.kernel
def fake_quant_channels_gradient_kernel(
    gradients: torch.Tensor,
    inputs: torch.Tensor,
    min: torch.Tensor,
    max: torch.Tensor,
    *,
    num_bits: int,
    narrow_range: bool,
) -> Any:
    _same(gradients, inputs)
    ends = _channels(inputs, min, max)
    inside, below, above = _passed(gradients, inputs, *ends, num_bits, narrow_range)
    outer = list(range(inputs.dim() - 1))
    if not outer:
        return inside, below, above
    return inside, below.sum(outer), above.sum(outer)
