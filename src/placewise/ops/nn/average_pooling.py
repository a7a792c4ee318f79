"""Average pooling as ops: of images and volumes, with their gradients.

What SAME adds around an image does not count: a window at the edge divides by what it covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.dtypes import FLOATS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import shape_of
from placewise.ops.declare import Call, define
from placewise.ops.nn.conv_geometry import from_torch, to_torch
from placewise.ops.nn.pool_geometry import (
    Pooling,
    narrowed,
    pool_shape,
    pooled_in_c,
    pooling,
)
from placewise.ops.nn.windows import IMAGE_FORMATS, VOLUME_FORMATS
from placewise.ops.work import pooling_work

if TYPE_CHECKING:
    import numpy as np


_ATEN = {
    4: (torch.ops.aten.avg_pool2d.default, torch.ops.aten.avg_pool2d_backward.default),
    5: (torch.ops.aten.avg_pool3d.default, torch.ops.aten.avg_pool3d_backward.default),
}
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def _plan(shape: Sequence[Any], attrs: dict[str, Any], rank: int) -> Pooling:
    return pooling(
        tuple(shape),
        tuple(attrs["ksize"]),
        tuple(attrs["strides"]),
        attrs["padding"],
        (),
        attrs["data_format"],
        rank,
        False,
    )


def _covered(sizes: Sequence[Any], plan: Pooling, like: torch.Tensor) -> Any:
    """Return how many real elements each window covers, to divide by."""
    ones = torch.ones((1, 1, *sizes), dtype=torch.float32, device=like.device)
    ones = torch.constant_pad_nd(ones, plan.added or ())
    forward = _ATEN[ones.dim()][0]
    none = [0] * len(plan.ksize)
    return forward(ones, plan.ksize, plan.strides, none, False, True, 1).to(like.dtype)


def average_pooled(x: torch.Tensor, plan: Pooling) -> Any:
    """Return the means of all windows."""
    if plan.is_empty:
        return x.new_zeros(plan.output_shape)
    quick = pooled_in_c(x, plan, is_mean=True)
    if quick is not None:
        return quick
    seen = to_torch(x, plan.channels_first)
    forward = _ATEN[seen.dim()][0]
    if plan.added is None:
        y = forward(seen, plan.ksize, plan.strides, plan.padding, plan.ceil_mode, False)
    else:
        padded = torch.constant_pad_nd(seen, plan.added)
        y = forward(padded, plan.ksize, plan.strides, plan.padding, False, True, 1)
        y = y / _covered(seen.shape[2:], plan, y)
    return from_torch(y, plan.channels_first)


def spread(shape: list[Any], dy: torch.Tensor, plan: Pooling) -> Any:
    """Return the gradient of average pooling: each element shared out over its window."""
    if plan.is_empty:
        return dy.new_zeros(tuple(shape))
    given = to_torch(dy, plan.channels_first)
    first = plan.channels_first
    sizes = list(shape) if first else [shape[0], shape[-1], *shape[1:-1]]
    layout = torch.contiguous_format if first else _LAST[len(sizes)]
    backward = _ATEN[given.dim()][1]
    if plan.added is None:
        like = torch.empty(sizes, dtype=dy.dtype, device=dy.device, memory_format=layout)
        dx = backward(
            given, like, plan.ksize, plan.strides, plan.padding, plan.ceil_mode, False, None
        )
        return from_torch(dx, first)
    given = given / _covered(sizes[2:], plan, given)
    padded = sizes[:2] + [
        size + each.before + each.after for size, each in zip(sizes[2:], plan.windows, strict=True)
    ]
    like = torch.empty(padded, dtype=dy.dtype, device=dy.device, memory_format=layout)
    dx = backward(given, like, plan.ksize, plan.strides, plan.padding, False, True, 1)
    return from_torch(narrowed(dx, plan.windows, sizes[2:]), first).contiguous()


def _family(name: str, arg: str, default_format: str, rank: int, what: str) -> tuple[Any, Any]:
    """Declare an average pooling and its gradient."""
    formats = "|".join(f"'{name}'" for name in (IMAGE_FORMATS if rank == 4 else VOLUME_FORMATS))
    attrs = (
        f"ksize: list(int) >= {rank}, strides: list(int) >= {rank}, padding: 'SAME'|'VALID', "
        f"data_format: {formats} = {default_format}"
    )
    pool = define(
        f"{name}({arg}: T; {attrs}) -> output: T",
        T=FLOATS,
        doc=f"The mean of each window of {what}.",
        result="new",
        work=pooling_work,
    )
    grad = define(
        f"{name}Grad(orig_input_shape: int32, grad: T; {attrs}) -> output: T",
        host=("orig_input_shape",),
        T=FLOATS,
        doc=f"The gradient of average pooling of {what}.",
        result="new",
        work=pooling_work,
    )

    @pool.shape
    def avg_pool_shape(value: Static, **given: Any) -> Dims:
        return pool_shape(
            value.shape,
            given["ksize"],
            given["strides"],
            given["padding"],
            (),
            given["data_format"],
            rank,
        )

    @pool.kernel
    def avg_pool_kernel(value: torch.Tensor, **given: Any) -> Any:
        return average_pooled(value, _plan(value.shape, given, rank))

    @pool.gradient
    def avg_pool_gradient(call: Call, dy: Tensor) -> Any:
        return grad(shape_of(call.inputs[0]), dy, **call.attrs)

    @grad.shape
    def avg_pool_grad_shape(orig_input_shape: Static, grad: Static, **_: object) -> Dims:
        return from_value(orig_input_shape) or (None,) * rank

    @grad.kernel
    def avg_pool_grad_kernel(
        orig_input_shape: np.ndarray[Any, Any], grad: torch.Tensor, **given: Any
    ) -> Any:
        sizes = orig_input_shape.reshape(-1).tolist()
        if len(sizes) != rank or orig_input_shape.ndim != 1:
            raise invalid(
                "out_backprop must be 1-dimensional and 4 elements"
                if rank == 4
                else "orig_input_shape must be 1-dimensional and 5 elements"
            )
        if min(sizes) < 0:
            raise invalid(f"Dimension {min(sizes)} must be >= 0")
        plan = _plan(sizes, given, rank)
        if tuple(grad.shape) != plan.output_shape:
            raise invalid(
                f"Expected grad shape to be {list(plan.output_shape)}, but got {list(grad.shape)}"
            )
        return spread(sizes, grad, plan)

    @grad.gradient
    def avg_pool_grad_gradient(call: Call, dy: Tensor) -> Any:
        return None, pool(dy, **call.attrs)

    return pool, grad


avg_pool_op, avg_pool_grad_op = _family("AvgPool", "value", "NHWC", 4, "images")
avg_pool3d_op, avg_pool3d_grad_op = _family("AvgPool3D", "input", "NDHWC", 5, "volumes")
