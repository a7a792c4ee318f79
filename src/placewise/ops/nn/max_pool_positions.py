"""Max pooling that also tells where the maxima were, with its gradients."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.dtypes import FLOATS, INDEX, REAL, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.nn.conv_geometry import from_torch
from placewise.ops.nn.max_pooling import max_plan, widened, with_indices, zeros_for
from placewise.ops.nn.pool_geometry import pool_shape
from placewise.ops.values import TORCH
from placewise.ops.work import pooling_work

_POSITIONS = "ksize: list(int) >= 4, strides: list(int) >= 4, "

max_pool_with_argmax_op = define(
    f"MaxPoolWithArgmax(input: T; {_POSITIONS}Targmax: type = int64, padding: 'SAME'|'VALID', "
    "include_batch_in_index: bool = False) -> output: T, argmax: Targmax",
    T=REAL,
    Targmax=INDEX,
    gpu_types=FLOATS | INDEX,
    doc="The largest element of each window of images, and where it was.",
    work=pooling_work,
)


@max_pool_with_argmax_op.shape
def max_pool_with_argmax_shape(
    input: Static, *, ksize: list[Any], strides: list[Any], padding: str, **_: object
) -> Any:
    return [pool_shape(input.shape, ksize, strides, padding, (), "NHWC", 4)] * 2


@max_pool_with_argmax_op.kernel
def max_pool_with_argmax_kernel(
    input: torch.Tensor,
    *,
    ksize: list[Any],
    strides: list[Any],
    Targmax: DType,  # noqa: N803  # the attribute's name
    padding: str,
    include_batch_in_index: bool,
) -> Any:
    if input.dim() != 4:
        raise invalid("tensor_in must be 4-dimensional (2)")
    if not input.numel():
        raise invalid("tensor_in must not be empty (2)")
    plan = max_plan(input.shape, {"ksize": ksize, "strides": strides, "padding": padding})
    kind = TORCH[Targmax]
    if plan.is_empty:
        return input.new_zeros(plan.output_shape), input.new_zeros(plan.output_shape, dtype=kind)
    batch, height, width, depth = input.shape
    y, at, seen = with_indices(widened(input), plan)
    if plan.added is not None:
        left, wide = plan.windows[1].before, seen.shape[3]
        at = (at // wide - plan.windows[0].before) * width + at % wide - left
    flat = at * depth + torch.arange(depth, device=at.device).view(1, -1, 1, 1)
    if include_batch_in_index:
        flat = flat + torch.arange(batch, device=at.device).view(-1, 1, 1, 1) * (
            height * width * depth
        )
    return from_torch(y, False).to(input.dtype), from_torch(flat, False).to(kind)


@max_pool_with_argmax_op.gradient
def max_pool_with_argmax_gradient(call: Call, dy: Tensor, _: Tensor) -> Any:
    attrs = {k: v for k, v in call.attrs.items() if k != "Targmax"}
    return max_pool_grad_with_argmax_op(call.inputs[0], dy, call.outputs[1], **attrs)


def _flat_positions(
    argmax: torch.Tensor, shape: tuple[int, ...], include_batch_in_index: bool
) -> Any:
    """Return positions in all of the input, one after the other."""
    flat = argmax.to(torch.int64).reshape(argmax.shape[0], -1)
    if not include_batch_in_index:
        size = 1
        for each in shape[1:]:
            size *= each
        flat = flat + torch.arange(flat.shape[0], device=flat.device).unsqueeze(1) * size
    return flat.reshape(-1)


def _checked_range(flat: torch.Tensor, count: int) -> tuple[Any, Any]:
    """Return positions that are in range, and None; on a device, where nobody looks, which are not.

    There TensorFlow leaves out what is out of range.
    """
    if flat.is_cpu:
        if flat.numel() and (int(flat.min()) < 0 or int(flat.max()) >= count):
            raise invalid("Invalid input argmax: out of the range of the input")
        return flat, None
    return flat.clamp(0, max(count - 1, 0)), (flat < 0) | (flat >= count)


max_pool_grad_with_argmax_op = define(
    "MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax;"
    f" {_POSITIONS}padding: 'SAME'|'VALID', "
    "include_batch_in_index: bool = False) -> output: T",
    T=REAL,
    Targmax=INDEX,
    gpu_types=FLOATS | INDEX,
    doc="The gradient of max pooling, put back at given positions.",
    work=pooling_work,
)


@max_pool_grad_with_argmax_op.shape
def max_pool_grad_with_argmax_shape(input: Static, *_: Static, **__: object) -> Dims:
    return input.shape


@max_pool_grad_with_argmax_op.kernel
def max_pool_grad_with_argmax_kernel(
    input: torch.Tensor,
    grad: torch.Tensor,
    argmax: torch.Tensor,
    *,
    include_batch_in_index: bool,
    **attrs: Any,
) -> Any:
    if input.dim() != 4:
        raise invalid(f"tensor_in_shape must have 2 spatial dimensions. {input.dim()} 0")
    expected = max_plan(input.shape, attrs).output_shape
    if tuple(grad.shape) != tuple(expected):
        raise invalid(
            f"Expected grad shape to be {bracketed(expected)}, but got {bracketed(grad.shape)}"
        )
    if grad.shape != argmax.shape:
        raise invalid(
            f"grad and argmax must have the same shape: {bracketed(grad.shape)} vs "
            f"{bracketed(argmax.shape)}"
        )
    flat = _flat_positions(argmax, input.shape, include_batch_in_index)
    flat, outside = _checked_range(flat, input.numel())
    values = grad.reshape(-1)
    if outside is not None:
        values = values.masked_fill(outside, 0)
    result = torch.zeros(input.numel(), dtype=grad.dtype, device=grad.device)
    return result.index_add(0, flat, values).view(input.shape)


@max_pool_grad_with_argmax_op.gradient
def max_pool_grad_with_argmax_gradient(call: Call, dy: Tensor) -> Any:
    x, _, argmax = call.inputs
    return zeros_for(x), max_pool_grad_grad_with_argmax_op(x, dy, argmax, **call.attrs), None


max_pool_grad_grad_with_argmax_op = define(
    "MaxPoolGradGradWithArgmax(input: T, grad: T, argmax: Targmax;"
    f" {_POSITIONS}padding: 'SAME'|'VALID', "
    "include_batch_in_index: bool = False) -> output: T",
    T=REAL,
    Targmax=INDEX,
    gpu_types=FLOATS | INDEX,
    doc="The elements of a gradient at given positions.",
    work=pooling_work,
)


@max_pool_grad_grad_with_argmax_op.shape
def max_pool_grad_grad_with_argmax_shape(
    input: Static, grad: Static, argmax: Static, **_: object
) -> Dims:
    return argmax.shape


@max_pool_grad_grad_with_argmax_op.kernel
def max_pool_grad_grad_with_argmax_kernel(
    input: torch.Tensor,
    grad: torch.Tensor,
    argmax: torch.Tensor,
    *,
    include_batch_in_index: bool,
    **_: object,
) -> Any:
    flat = _flat_positions(argmax, input.shape, include_batch_in_index)
    flat, outside = _checked_range(flat, grad.numel())
    values = grad.reshape(-1)[flat]
    if outside is not None:
        values = values.masked_fill(outside, 0)
    return values.view(argmax.shape)


@max_pool_grad_grad_with_argmax_op.gradient
def max_pool_grad_grad_with_argmax_gradient(call: Call, dy: Tensor) -> Any:
    x, _, argmax = call.inputs
    return zeros_for(x), max_pool_grad_with_argmax_op(x, dy, argmax, **call.attrs), None
