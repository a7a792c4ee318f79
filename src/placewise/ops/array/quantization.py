"""Rounding to a number of bits and back in one step: quantize_and_dequantize."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.dtypes import FLOATS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed, same_shape

_ATTRS = (
    "signed_input: bool = True, num_bits: int = 8, range_given: bool = False, "
    "round_mode: 'HALF_TO_EVEN'|'HALF_UP' = 'HALF_TO_EVEN', narrow_range: bool = False,"
    " axis: int = -1"
)
_INPUTS = "input: T, input_min: T, input_max: T"


def quantize_and_dequantize_kernel(
    input: torch.Tensor,
    input_min: torch.Tensor,
    input_max: torch.Tensor,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Any:
    """Kernel of every version of the op."""
    _check(input, num_bits, signed_input, round_mode, axis)
    low, high = _range(input, input_min, input_max, range_given, axis)
    if range_given and axis == -1 and low.is_cpu and bool(low > high):
        raise invalid(f"Invalid range: input_min {float(low):g} > input_max {float(high):g}")
    low, high, scale, step, most = _steps(low, high, signed_input, num_bits, narrow_range)
    if range_given:
        input = torch.minimum(torch.maximum(input, low), high)
    scaled = input * scale
    rounded = torch.round(scaled) if round_mode == "HALF_TO_EVEN" else torch.floor(scaled + 0.5)
    return torch.clamp(rounded, max=most) * step


def _check(input: Any, num_bits: int, signed_input: bool, round_mode: str, axis: int) -> None:
    if not 1 <= num_bits <= (61 if signed_input else 62):
        raise invalid(
            f"num_bits is out of range: {num_bits} with signed_input_ {int(signed_input)}"
        )
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid(f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP', is '{round_mode}'")
    if axis < -1 or axis >= input.dim():
        raise invalid(f"Shape must be at least rank {axis + 1} but is rank {input.dim()}")


def _range(
    input: torch.Tensor, low: torch.Tensor, high: torch.Tensor, given: bool, axis: int
) -> tuple[Any, Any]:
    """Return the ends of the range, shaped to broadcast with the input."""
    if axis == -1:
        if not given:
            return input.min(), input.max()
        for name, end in (("input_min", low), ("input_max", high)):
            if end.dim():
                shape = bracketed(end.shape)
                raise invalid(f"{name} must be a scalar if axis is unspecified, got {shape}")
        return low, high
    spread = [1] * input.dim()
    spread[axis] = -1
    if given:
        if low.numel() != input.shape[axis] or high.numel() != input.shape[axis]:
            raise invalid(
                f"input_min and input_max must have {input.shape[axis]} elements, the size of "
                "the axis"
            )
        return low.reshape(spread), high.reshape(spread)
    others = [d for d in range(input.dim()) if d != axis]
    if not others:
        return input, input
    return input.amin(others, keepdim=True), input.amax(others, keepdim=True)


def _steps(
    low: Any, high: Any, signed_input: bool, num_bits: int, narrow_range: bool
) -> tuple[Any, Any, Any, Any, float]:
    """Return the range that the steps cover, steps per unit, size of a step, the last step."""
    least = (
        float(-(1 << (num_bits - 1)) + int(narrow_range)) if signed_input else float(narrow_range)
    )
    most = float((1 << (num_bits - 1)) - 1 if signed_input else (1 << num_bits) - 1)
    huge = torch.finfo(low.dtype).max
    from_low = torch.where(least * low > 0, least / low, huge)
    from_high = torch.where(most * high > 0, most / high, huge)
    use_low = from_low < from_high
    scale = torch.where(use_low, from_low, from_high)
    step = torch.where(use_low, low / (least or 1.0), high / most)
    return (
        torch.where(use_low, low, least * step),
        torch.where(use_low, most * step, high),
        scale,
        step,
        most,
    )


_v2 = define(
    f"QuantizeAndDequantizeV2({_INPUTS}; {_ATTRS}) -> output: T",
    T=FLOATS,
    doc="Return `input` rounded to `num_bits` and back; gradients pass.",
    later_attrs=("axis",),
)
_v4 = define(
    f"QuantizeAndDequantizeV4({_INPUTS}; {_ATTRS}) -> output: T",
    T=FLOATS,
    doc="Return `input` rounded to `num_bits`; gradients pass in range.",
)
for _bind in (_v2, _v4):
    _bind.shape(same_shape)
    _bind.kernel(quantize_and_dequantize_kernel)


@_v2.gradient
def quantize_and_dequantize_v2_gradient(call: Call, dy: Tensor) -> Any:
    return dy, None, None


_v4_grad = define(
    "QuantizeAndDequantizeV4Grad(gradients: T, input: T, input_min: T, input_max: T; "
    "axis: int = -1) -> input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    T=FLOATS,
    differentiable=False,
    doc="Return the gradients of the elements in range, and zeros for the ends of the range.",
)


@_v4_grad.shape
def quantize_and_dequantize_v4_grad_shape(
    gradients: Static, input: Static, input_min: Static, input_max: Static, *, axis: int
) -> list[Dims]:
    return [input.shape, input_min.shape, input_max.shape]


@_v4_grad.kernel
def quantize_and_dequantize_v4_grad_kernel(
    gradients: torch.Tensor,
    input: torch.Tensor,
    input_min: torch.Tensor,
    input_max: torch.Tensor,
    *,
    axis: int,
) -> Any:
    if gradients.shape != input.shape:
        raise invalid("gradient and input must be the same size")
    for name, end in (("min", input_min), ("max", input_max)):
        if end.dim() > 1:
            raise invalid(f"Input {name} tensor must have dimension 0 or 1. Received {end.dim()}.")
    low, high = _range(input, input_min, input_max, True, axis)
    inside = (input >= low) & (input <= high)
    zero = torch.zeros((), dtype=input.dtype, device=input.device)
    return (
        torch.where(inside, gradients, zero),
        torch.zeros_like(input_min),
        torch.zeros_like(input_max),
    )


@_v4.gradient
def quantize_and_dequantize_v4_gradient(call: Call, dy: Tensor) -> Any:
    return tuple(_v4_grad(dy, *call.inputs, axis=call.attrs["axis"]))


def _plain_axis(input: Tensor, axis: int | None) -> int:
    """Return the axis that has ranges of its own, counted from the front; -1 for none."""
    if axis is None:
        return -1
    if axis < 0:
        rank = convert_to_tensor(input).shape.rank
        if rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis += rank
    return axis


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Return `input` rounded to `num_bits` and back; the gradient passes unchanged."""
    return _v2(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_plain_axis(input, axis),
        name=name,
    )


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Return `input` rounded to `num_bits` and back; the gradient passes within the range."""
    return _v4(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_plain_axis(input, axis),
        name=name,
    )
