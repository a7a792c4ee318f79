"""Max pooling as ops: of images and volumes, with their gradients, and with positions.

Like TensorFlow's, a maximum ignores NaN, and the first of equal pixels gets the gradient.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.dtypes import FLOATS, REAL, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import zeros_like
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.nn.conv_geometry import from_torch, to_torch
from placewise.ops.nn.pool_geometry import (
    Pooling,
    lowest,
    narrowed,
    pool_shape,
    pooled_in_c,
    pooling,
    scattered_in_c,
)
from placewise.ops.work import pooling_work

_ATEN = {
    4: (
        torch.ops.aten.max_pool2d_with_indices.default,
        torch.ops.aten.max_pool2d_with_indices_backward.default,
    ),
    5: (
        torch.ops.aten.max_pool3d_with_indices.default,
        torch.ops.aten.max_pool3d_with_indices_backward.default,
    ),
}
_ONES = {4: [1, 1], 5: [1, 1, 1]}
_WINDOWS = "ksize: list(int) >= 4, strides: list(int) >= 4, "
_EXPLICIT = _WINDOWS + "padding: 'SAME'|'VALID'|'EXPLICIT', explicit_paddings: list(int) = [], "
_IMAGES = _EXPLICIT + "data_format: 'NHWC'|'NCHW'|'NCHW_VECT_C' = NHWC"
_IMAGES_BACK = _EXPLICIT + "data_format: 'NHWC'|'NCHW' = NHWC"
_PLAIN_IMAGES = _WINDOWS + "padding: 'SAME'|'VALID', data_format: 'NHWC'|'NCHW' = NHWC"
_VOLUMES = (
    "ksize: list(int) >= 5, strides: list(int) >= 5, padding: 'SAME'|'VALID', "
    "data_format: 'NDHWC'|'NCDHW' = NDHWC"
)
POOLED = FLOATS | frozenset(
    {
        dtypes.int32,
        dtypes.int64,
        dtypes.uint8,
        dtypes.int16,
        dtypes.int8,
        dtypes.uint16,
    }
)
_SMALL_FLOATS = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32})


def max_plan(shape: tuple[int, ...], attrs: dict[str, Any], rank: int = 4) -> Pooling:
    """Return the geometry that the attributes of an op ask for."""
    return pooling(
        tuple(shape),
        tuple(attrs["ksize"]),
        tuple(attrs["strides"]),
        attrs["padding"],
        tuple(attrs.get("explicit_paddings", ())),
        attrs.get("data_format", "NHWC"),
        rank,
        True,
    )


def widened(x: torch.Tensor) -> Any:
    """Return `x` in a type torch can compare."""
    wider = {torch.uint16: torch.int32, torch.uint32: torch.int64}.get(x.dtype)
    return x if wider is None else x.to(wider)


def with_indices(x: torch.Tensor, plan: Pooling) -> tuple[Any, Any, Any]:
    """Return maxima, their positions in each plane, and the padded input (torch's order)."""
    plain = to_torch(x, plan.channels_first)
    seen = _padded(plain, plan, lowest(plain.dtype))
    forward = _ATEN[seen.dim()][0]
    arguments = (plan.ksize, plan.strides, plan.padding, _ONES[seen.dim()], plan.ceil_mode)
    y, indices = forward(seen, *arguments)
    # A sum tells whether anything is NaN or infinite, in one pass over the small result.
    if y.is_floating_point() and y.device.type == "cpu" and not math.isfinite(y.sum().item()):
        # What is no number counts as the least one, which is still above the padding.
        least = torch.finfo(seen.dtype).min
        plain = torch.nan_to_num(plain, nan=least, posinf=torch.inf, neginf=least)
        seen = _padded(plain, plan, -torch.inf)
        y, indices = forward(seen, *arguments)
        y = y.clamp(min=least)
    return y, indices, seen


def _padded(x: torch.Tensor, plan: Pooling, value: float | int) -> torch.Tensor:
    """Return `x` with the padding that torch's kernel cannot be asked for."""
    return x if plan.added is None else torch.constant_pad_nd(x, plan.added, value)


def max_pooled(x: torch.Tensor, plan: Pooling) -> Any:
    """Return the maxima of all windows."""
    if plan.is_empty:
        return x.new_zeros(plan.output_shape)
    if plan.depth_window > 1:
        axis = 1 if plan.channels_first else -1
        return x.unflatten(axis, (-1, plan.depth_window)).amax(axis + 1 if axis > 0 else -1)
    quick = pooled_in_c(x, plan, is_mean=False)
    if quick is not None:
        return quick
    y = with_indices(widened(x), plan)[0]
    return from_torch(y, plan.channels_first).to(x.dtype)


def _scattered(x: torch.Tensor, dy: torch.Tensor, plan: Pooling) -> Any:
    """Return `dy` put back where the maxima of `x` were."""
    if plan.is_empty:
        return dy.new_zeros(x.shape)
    if plan.depth_window > 1:
        return _scattered_over_depth(x, dy, plan)
    quick = scattered_in_c(x, dy, plan)
    if quick is not None:
        return quick
    wide, gradient = widened(x), to_torch(widened(dy), plan.channels_first)
    _, indices, seen = with_indices(wide, plan)
    if not gradient.is_floating_point():
        dx = torch.zeros_like(seen).flatten(2)
        dx = dx.scatter_add(2, indices.flatten(2), gradient.flatten(2)).view(seen.shape)
    else:
        dx = _ATEN[seen.dim()][1](
            gradient,
            seen,
            plan.ksize,
            plan.strides,
            plan.padding,
            _ONES[seen.dim()],
            plan.ceil_mode,
            indices,
        )
    if plan.added is not None:
        sizes = x.shape[2:] if plan.channels_first else x.shape[1:-1]
        dx = narrowed(dx, plan.windows, sizes).contiguous()
    return from_torch(dx, plan.channels_first).to(dy.dtype)


def _scattered_over_depth(x: torch.Tensor, dy: torch.Tensor, plan: Pooling) -> Any:
    axis = 1 if plan.channels_first else x.dim() - 1
    grouped = x.unflatten(axis, (-1, plan.depth_window))
    best = grouped.argmax(axis + 1, keepdim=True)
    dx = torch.zeros_like(grouped, dtype=dy.dtype).scatter(axis + 1, best, dy.unsqueeze(axis + 1))
    return dx.flatten(axis, axis + 1)


def _scattered_to_all(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, plan: Pooling) -> Any:
    """Return `dy` put back on every element that equals the maximum of its window."""
    if plan.is_empty:
        return dy.new_zeros(x.shape)
    seen, best, gradient = (to_torch(each, plan.channels_first) for each in (x, y, dy))
    edges = [edge for each in reversed(plan.windows) for edge in (each.before, each.after)]
    padded = torch.constant_pad_nd(seen, edges, lowest(seen.dtype))
    dx = torch.zeros_like(padded, dtype=dy.dtype)
    for offsets in itertools.product(*map(range, plan.ksize)):
        part = (
            slice(None),
            slice(None),
            *(
                slice(at, at + (window.count - 1) * step + 1, step)
                for at, window, step in zip(offsets, plan.windows, plan.strides, strict=True)
            ),
        )
        dx[part] += torch.where(padded[part] == best, gradient, 0)
    return from_torch(narrowed(dx, plan.windows, seen.shape[2:]), plan.channels_first).contiguous()


def _picked(x: torch.Tensor, dy: torch.Tensor, plan: Pooling) -> Any:
    """Return the elements of `dy` (of the shape of `x`) where the maxima of `x` are."""
    if plan.is_empty:
        return dy.new_zeros(plan.output_shape)
    if plan.depth_window > 1:
        axis = 1 if plan.channels_first else x.dim() - 1
        best = x.unflatten(axis, (-1, plan.depth_window)).argmax(axis + 1, keepdim=True)
        return dy.unflatten(axis, (-1, plan.depth_window)).gather(axis + 1, best).squeeze(axis + 1)
    _, indices, _ = with_indices(widened(x), plan)
    gradient = to_torch(dy, plan.channels_first)
    if plan.added is not None:
        gradient = torch.constant_pad_nd(gradient, plan.added)
    taken = gradient.flatten(2).gather(2, indices.flatten(2)).view(indices.shape)
    return from_torch(taken, plan.channels_first)


def _check_gradient(
    orig_output: torch.Tensor,
    grad: torch.Tensor,
    shape: tuple[int, ...],
    grad_shape: tuple[int, ...],
) -> None:
    if tuple(orig_output.shape) != tuple(shape):
        raise invalid(
            f"Expected orig_output shape to be {bracketed(shape)}, but got "
            f"{bracketed(orig_output.shape)}"
        )
    if tuple(grad.shape) != tuple(grad_shape):
        raise invalid(
            f"Expected grad shape to be {bracketed(grad_shape)}, but got {bracketed(grad.shape)}"
        )


def zeros_for(x: Any) -> Any:
    """Return zeros like `x`: the gradient of what only chose places."""
    return zeros_like(x)


_DEFAULT = {"T": dtypes.float32}


def _family(
    name: str, attrs: str, grad_attrs: str, grad_grad_attrs: str, types: frozenset[DType], what: str
) -> tuple[Any, Any, Any]:
    """Declare a max pooling, its gradient, and the gradient of that."""
    rank = 5 if "3D" in name else 4
    pool = define(
        f"{name}(input: T; {attrs}) -> output: T",
        T=types,
        gpu_types=FLOATS,
        doc=f"The largest element of each window of {what}.",
        result="new",
        default_types={} if rank == 5 else _DEFAULT,
        later_attrs=("explicit_paddings",),
        work=pooling_work,
    )
    # The 3-D gradient has a type attribute of its own for what went through the pooling.
    kept = "TInput" if rank == 5 else "T"
    extra: dict[str, Any] = {"TInput": _SMALL_FLOATS} if rank == 5 else {}
    grad = define(
        f"{name}Grad(orig_input: {kept}, orig_output: {kept}, grad: T; {grad_attrs}) -> output: T",
        T=types if rank == 5 else REAL,
        **extra,
        gpu_types=FLOATS,
        doc=f"The gradient of max pooling of {what}.",
        result="new",
        default_types=_DEFAULT,
        later_attrs=("explicit_paddings",),
        work=pooling_work,
    )
    grad_grad = define(
        f"{name}GradGrad(orig_input: T, orig_output: T, grad: T; {grad_grad_attrs}) -> output: T",
        T=REAL,
        gpu_types=FLOATS,
        doc=f"The gradient of the gradient of max pooling of {what}.",
        work=pooling_work,
    )

    @pool.shape
    def max_pool_shape(input: Static, **given: Any) -> Dims:
        explicit = given.get("explicit_paddings", ())
        return pool_shape(
            input.shape,
            given["ksize"],
            given["strides"],
            given["padding"],
            explicit,
            given["data_format"],
            rank,
        )

    @pool.kernel
    def max_pool_kernel(input: torch.Tensor, **given: Any) -> Any:
        return max_pooled(input, max_plan(input.shape, given, rank))

    @pool.gradient
    def max_pool_gradient(call: Call, dy: Tensor) -> Any:
        return grad(call.inputs[0], call.output, dy, **call.attrs)

    @grad.shape
    def max_pool_grad_shape(orig_input: Static, *_: Static, **__: object) -> Dims:
        return orig_input.shape

    @grad.kernel
    def max_pool_grad_kernel(
        orig_input: torch.Tensor, orig_output: torch.Tensor, grad: torch.Tensor, **given: Any
    ) -> Any:
        plan = max_plan(orig_input.shape, given, rank)
        _check_gradient(orig_output, grad, plan.output_shape, plan.output_shape)
        # Of volumes, TensorFlow's CPUs give all equal maxima the gradient, its GPUs the first.
        if rank == 5 and grad.device.type == "cpu":
            return _scattered_to_all(orig_input, orig_output, grad, plan)
        return _scattered(orig_input, grad, plan)

    @grad.gradient
    def max_pool_grad_gradient(call: Call, dy: Tensor) -> Any:
        x, y, _ = call.inputs
        rest = {k: v for k, v in call.attrs.items() if k != "explicit_paddings"}
        return zeros_for(x), zeros_for(y), grad_grad(x, y, dy, **rest)

    @grad_grad.shape
    def max_pool_grad_grad_shape(
        orig_input: Static, orig_output: Static, *_: object, **__: object
    ) -> Dims:
        return orig_output.shape

    @grad_grad.kernel
    def max_pool_grad_grad_kernel(
        orig_input: torch.Tensor, orig_output: torch.Tensor, grad: torch.Tensor, **given: Any
    ) -> Any:
        plan = max_plan(orig_input.shape, given, rank)
        _check_gradient(orig_output, grad, plan.output_shape, orig_input.shape)
        picked = _picked(orig_input, grad, plan)
        # Where the output is not that of the input, no element is the one that was taken.
        return picked * (max_pooled(orig_input, plan) == orig_output)

    @grad_grad.gradient
    def max_pool_grad_grad_gradient(call: Call, dy: Tensor) -> Any:
        x, y, _ = call.inputs
        return zeros_for(x), zeros_for(y), grad(x, y, dy, **call.attrs)

    return pool, grad, grad_grad


max_pool_op, max_pool_grad_op, max_pool_grad_grad_op = _family(
    "MaxPool", _IMAGES, _IMAGES_BACK, _PLAIN_IMAGES, POOLED, "images"
)
max_pool3d_op, max_pool3d_grad_op, max_pool3d_grad_grad_op = _family(
    "MaxPool3D", _VOLUMES, _VOLUMES, _VOLUMES, _SMALL_FLOATS, "volumes"
)
