"""Batch normalisation: the fused ops with their gradients, and the plain formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import bfloat16, float16, float32
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, merge
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import add, multiply, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.exponential import rsqrt
from placewise.ops.math.reduction import reduce_mean, reduce_sum
from placewise.ops.name_scopes import in_scope
from placewise.ops.nn.conv_geometry import from_torch, to_torch
from placewise.ops.nn.windows import is_channels_first
from placewise.ops.work import normalization_gradient_work, normalization_work

_T = frozenset({float16, bfloat16, float32})
_OF_IMAGES = "data_format: 'NHWC'|'NCHW' = NHWC, is_training: bool = True"
_OF_ALL = "data_format: 'NHWC'|'NCHW'|'NDHWC'|'NCDHW' = NHWC, is_training: bool = True"
_FORWARD = "epsilon: float = 0.0001, exponential_avg_factor: float = 1.0, "
_BACKWARD = "epsilon: float = 0.0001, "


def _layout(x: torch.Tensor, data_format: str) -> tuple[list[int], list[int]]:
    """Return the axes to reduce, and the shape in which a vector per channel broadcasts."""
    channel = 1 if is_channels_first(data_format) else x.dim() - 1
    axes = [axis for axis in range(x.dim()) if axis != channel]
    return axes, [-1 if axis == channel else 1 for axis in range(x.dim())]


def _check(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    data_format: str,
    is_training: bool,
    factor: float,
) -> None:
    if x.dim() not in (4, 5):
        raise invalid(f"input must be 4 or 5-dimensional{bracketed(x.shape)}")
    channels = x.shape[1 if is_channels_first(data_format) else -1]
    named = {"scale": scale, "offset": offset, "mean": mean, "variance": variance}
    for name, each in named.items():
        if each.dim() != 1:
            raise invalid(f"{name} must be 1-dimensional{bracketed(each.shape)}")
    for name in ("scale", "offset"):
        if named[name].shape[0] != channels:
            raise invalid(
                f"{name} must have the same number of elements as the channels of x, got "
                f"{named[name].shape[0]} and {channels}"
            )
    for name in ("mean", "variance"):
        size = named[name].shape[0]
        if not is_training and size != channels:
            raise invalid(
                f"When is_training=false, {name} must have the same number of elements "
                f"as the channels of x, got {size} and {channels}"
            )
        if is_training and factor != 1 and size != channels:
            raise invalid(
                f"When exponential_avg_factor != 1, {name} must have the same number of "
                f"elements as the channels of x, got {size} and {channels}"
            )


def _normalised(
    x: torch.Tensor,
    scale: torch.Tensor,
    offset: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    epsilon: float,
    exponential_avg_factor: float,
    data_format: str,
    is_training: bool,
) -> tuple[Any, ...]:
    """Return y, running mean and variance, and the batch's own mean and variance."""
    _check(x, scale, offset, mean, variance, data_format, is_training, exponential_avg_factor)
    axes, spread = _layout(x, data_format)
    channels = scale.shape[0]
    count = x.numel() // max(channels, 1)
    if not count:
        nothing = scale.new_full((channels,), torch.nan)
        zeros = scale.new_zeros(channels)
        return x.new_zeros(x.shape), nothing, nothing.clone(), zeros, zeros.clone()
    if is_training and count > 1 and _is_fused(x, scale):
        results = _fused_normalised(x, scale, offset, epsilon, data_format, count)
        y, batch_mean, unbiased, batch_variance = results
        return (
            y,
            *_running(mean, variance, batch_mean, unbiased, exponential_avg_factor),
            batch_mean,
            batch_variance,
        )
    if is_training:
        seen = x if x.dtype is torch.float32 else x.float()
        batch_variance, batch_mean = torch.var_mean(seen, axes, correction=0)
    else:
        batch_mean, batch_variance = mean, variance
    factor = scale * torch.rsqrt(batch_variance + epsilon)
    shift = offset - batch_mean * factor
    wide = x if x.dtype is scale.dtype else x.to(scale.dtype)
    y = torch.addcmul(shift.view(spread), wide, factor.view(spread)).to(x.dtype)
    if not is_training:
        return y, mean, variance, mean, variance
    unbiased = batch_variance * (count / max(count - 1, 1))
    running = _running(mean, variance, batch_mean, unbiased, exponential_avg_factor)
    return y, *running, batch_mean, batch_variance


def _running(
    mean: torch.Tensor,
    variance: torch.Tensor,
    batch_mean: torch.Tensor,
    unbiased: torch.Tensor,
    factor: float,
) -> tuple[Any, Any]:
    """Return the running mean and variance after a batch."""
    if factor == 1:
        return batch_mean, unbiased
    keep = 1 - factor
    return keep * mean + factor * batch_mean, keep * variance + factor * unbiased


def _is_fused(x: torch.Tensor, scale: torch.Tensor) -> bool:
    """Return whether torch's own batch normalisation takes these: on the host it is the fastest."""
    return x.is_cpu and x.dtype is torch.float32 and scale.dtype is torch.float32


def _fused_normalised(
    x: torch.Tensor,
    scale: torch.Tensor,
    offset: torch.Tensor,
    epsilon: float,
    data_format: str,
    count: int,
) -> tuple[Any, Any, Any, Any]:
    """Return y, the batch's mean, its variance unbiased and its variance."""
    first = is_channels_first(data_format)
    # All of the "running" variance is the batch's: torch gives it in no other way.
    mean, unbiased = torch.zeros_like(scale), torch.zeros_like(scale)
    y, batch_mean, _ = torch.native_batch_norm(
        to_torch(x, first), scale, offset, mean, unbiased, True, 1.0, epsilon
    )
    return from_torch(y, first), batch_mean, unbiased, unbiased * ((count - 1) / count)


def _backwards(
    dy: torch.Tensor,
    x: torch.Tensor,
    scale: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[Any, Any, Any]:
    inverse = torch.rsqrt(variance + epsilon)
    if is_training and x.numel() and _is_fused(x, scale) and dy.dtype is torch.float32:
        first = is_channels_first(data_format)
        dx, d_scale, d_offset = torch.ops.aten.native_batch_norm_backward(
            *(to_torch(dy, first), to_torch(x, first), scale, None, None, mean, inverse),
            *(True, epsilon, (True, True, True)),
        )
        return from_torch(dx, first), d_scale, d_offset
    axes, spread = _layout(x, data_format)
    wide, gradient = x.float(), dy.float()
    count = max(x.numel() // max(scale.shape[0], 1), 1)
    d_offset = gradient.sum(axes)
    centred = wide - mean.view(spread)
    d_scale = (gradient * centred).sum(axes) * inverse
    factor = (scale * inverse).view(spread)
    if not is_training:
        return (gradient * factor).to(x.dtype), d_scale, d_offset
    inner = (d_scale * inverse / count).view(spread)
    dx = (gradient - (d_offset / count).view(spread) - centred * inner) * factor
    return dx.to(x.dtype), d_scale, d_offset


def _forward_shape(
    x: Static, scale: Static, *_: Static, data_format: str, **__: object
) -> list[Dims]:
    if x.shape is None:
        vector: Dims = scale.shape or (None,)
        return [None, *[vector] * 4]
    if len(x.shape) not in (4, 5):
        raise ValueError(f"Shape must be rank 4 but is rank {len(x.shape)}")
    channel = 1 if is_channels_first(data_format) else len(x.shape) - 1
    vector = merge((x.shape[channel],), scale.shape)
    size = vector[0] if vector else None
    return [(*x.shape[:channel], size, *x.shape[channel + 1 :]), *[(size,)] * 4]


_INPUTS = "x: T, scale: U, offset: U, mean: U, variance: U"
_SPACES = "reserve_space_1: U, reserve_space_2: U"

fused_batch_norm_op = define(
    f"FusedBatchNormV3({_INPUTS}; {_FORWARD}{_OF_ALL}) -> y: T, batch_mean: U, batch_variance: U, "
    f"{_SPACES}, reserve_space_3: U",
    T=_T,
    U=frozenset({bfloat16, float32}),
    doc="Batch normalisation; also the statistics its gradient needs.",
    numerics="first",
    work=normalization_work,
)


@fused_batch_norm_op.shape
def fused_batch_norm_shape(*inputs: Static, **attrs: Any) -> list[Dims]:
    return [*_forward_shape(*inputs, **attrs), (0,)]


@fused_batch_norm_op.kernel
def fused_batch_norm_kernel(
    x: torch.Tensor,
    scale: torch.Tensor,
    offset: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    **attrs: Any,
) -> Any:
    results = _normalised(x, scale, offset, mean, variance, **attrs)
    return (*results, scale.new_zeros(0))


@fused_batch_norm_op.gradient
def fused_batch_norm_gradient(call: Call, dy: Tensor, *_: object) -> Any:
    x, scale = call.inputs[:2]
    attrs = {k: call.attrs[k] for k in ("epsilon", "data_format", "is_training")}
    if call.attrs["is_training"]:
        mean, variance = call.outputs[3], call.outputs[4]
    else:
        mean, variance = call.inputs[3], call.inputs[4]
    dx, d_scale, d_offset, *_ = fused_batch_norm_grad_op(
        dy, x, scale, mean, variance, call.outputs[5], **attrs
    )
    return dx, d_scale, d_offset, None, None


fused_batch_norm_grad_op = define(
    f"FusedBatchNormGradV3(y_backprop: T, x: T, scale: float32, {_SPACES}, reserve_space_3: U; "
    f"{_BACKWARD}{_OF_ALL}) -> x_backprop: T, scale_backprop: U, offset_backprop: U,"
    " reserve_space_4: U, "
    "reserve_space_5: U",
    T=_T,
    U=frozenset({float32}),
    doc="The gradient of batch normalisation.",
    work=normalization_gradient_work,
)


@fused_batch_norm_grad_op.shape
def fused_batch_norm_grad_shape(
    dy: Static, x: Static, scale: Static, *_: Static, **__: object
) -> list[Dims]:
    vector = scale.shape or (None,)
    return [x.shape, vector, vector, (), ()]


@fused_batch_norm_grad_op.kernel
def fused_batch_norm_grad_kernel(
    y_backprop: Any,
    x: Any,
    scale: Any,
    reserve_space_1: Any,
    reserve_space_2: Any,
    reserve_space_3: Any,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> Any:
    if x.dim() not in (4, 5):
        raise invalid(f"input must be 4 or 5-dimensional{bracketed(x.shape)}")
    if y_backprop.shape != x.shape:
        raise invalid(
            "x and y_backprop must have same shape, but x has shape "
            f"{bracketed(x.shape)} and y_backprop has shape {bracketed(y_backprop.shape)}"
        )
    channels = x.shape[1 if is_channels_first(data_format) else -1]
    for name, title, vector in (
        ("scale", "scale", scale),
        ("reserve_space_1", "saved mean", reserve_space_1),
        ("reserve_space_2", "saved variance", reserve_space_2),
    ):
        if vector.dim() != 1:
            raise invalid(f"{title} must be 1-dimensional{bracketed(vector.shape)}")
        if vector.shape[0] != channels:
            raise invalid(
                f"{name} must have the same number of elements as the channels of x, got "
                f"{vector.shape[0]} and {channels}"
            )
    results = _backwards(
        y_backprop, x, scale, reserve_space_1, reserve_space_2, epsilon, data_format, is_training
    )
    return (*results, scale.new_zeros(()), scale.new_zeros(()))


@fused_batch_norm_grad_op.gradient
def fused_batch_norm_grad_gradient(
    call: Call, d_dx: Tensor, d_d_scale: Tensor, d_d_offset: Tensor, *_: object
) -> Any:
    dy, x, scale, mean, variance, _ = call.inputs
    rank = len(x._shape_tuple)
    first = is_channels_first(call.attrs["data_format"])
    channel = 1 if first else rank - 1
    axes = [axis for axis in range(rank) if axis != channel]
    kind = x.dtype
    dy, x, d_dx = (each if each.dtype is float32 else cast(each, float32) for each in (dy, x, d_dx))

    def wide(vector: Any) -> Any:
        return reshape(vector, [-1 if axis == channel else 1 for axis in range(rank)])

    inverse = wide(rsqrt(add(variance, scalar(call.attrs["epsilon"], float32))))
    centred = multiply(subtract(x, wide(mean)), inverse)  # x, normalised
    factor = multiply(wide(scale), inverse)
    from_sums = add(multiply(wide(d_d_scale), centred), wide(d_d_offset))
    if not call.attrs["is_training"]:
        d_dy = add(multiply(d_dx, factor), from_sums)
        d_x = multiply(multiply(wide(d_d_scale), dy), inverse)
        d_scale = reduce_sum(multiply(multiply(d_dx, dy), inverse), axes)
    else:

        def centre(value: Any) -> Any:
            flat = subtract(value, reduce_mean(value, axes, keepdims=True))
            along = reduce_mean(multiply(value, centred), axes, keepdims=True)
            return subtract(flat, multiply(centred, along))

        inner = centre(dy)
        d_dy = add(multiply(factor, centre(d_dx)), from_sums)
        d_scale = reduce_sum(multiply(multiply(d_dx, inner), inverse), axes)
        # through the normalised x inside dx, then through its scale
        dy_along = reduce_mean(multiply(dy, centred), axes, keepdims=True)
        u_along = reduce_mean(multiply(d_dx, centred), axes, keepdims=True)
        through = multiply(
            factor,
            subtract(
                multiply(scalar(-1.0, float32), multiply(d_dx, dy_along)), multiply(dy, u_along)
            ),
        )
        through = add(through, multiply(wide(d_d_scale), dy))
        flow = multiply(inverse, centre(through))
        u_inner = reduce_mean(multiply(d_dx, inner), axes, keepdims=True)
        stretch = multiply(multiply(factor, inverse), multiply(centred, u_inner))
        d_x = subtract(flow, stretch)
    if kind is not float32:
        d_dy, d_x = cast(d_dy, kind), cast(d_x, kind)
    return d_dy, d_x, d_scale, None, None, None


def _previous(version: str, types: str, **allowed: Any) -> None:
    """Declare an earlier version of the fused op and its gradient: same kernels, no third space."""
    inputs = _INPUTS.replace(": U", f": {types}")
    spaces = _SPACES.replace(": U", f": {types}")
    forward = define(
        f"FusedBatchNorm{version}({inputs}; {_FORWARD}{_OF_IMAGES}) -> y: T, batch_mean: {types}, "
        f"batch_variance: {types}, {spaces}",
        **allowed,
        doc="Batch normalisation, earlier form.",
        numerics="first",
        work=normalization_work,
    )
    forward.shape(_forward_shape)

    @forward.kernel
    def previous_fused_batch_norm_kernel(x: torch.Tensor, *vectors: Any, **attrs: Any) -> Any:
        if x.dim() != 4:
            raise invalid(f"input must be 4-dimensional{bracketed(x.shape)}")
        return _normalised(x, *vectors, **attrs)

    scale_type = "T" if types == "T" else "float32"
    backward = define(
        f"FusedBatchNormGrad{version}(y_backprop: T, x: T, scale: {scale_type}, {spaces}; "
        f"{_BACKWARD}{_OF_IMAGES}) -> x_backprop: T, scale_backprop: {types},"
        f" offset_backprop: {types}, "
        f"reserve_space_3: {types}, reserve_space_4: {types}",
        **allowed,
        differentiable=False,
        doc="The gradient of batch normalisation, earlier form.",
        work=normalization_gradient_work,
    )
    backward.shape(fused_batch_norm_grad_shape)
    backward.kernel(
        lambda y_backprop, x, scale, reserve_space_1, reserve_space_2, **attrs: (
            fused_batch_norm_grad_kernel(
                y_backprop, x, scale, reserve_space_1, reserve_space_2, None, **attrs
            )
        )
    )

    @forward.gradient
    def previous_fused_batch_norm_gradient(call: Call, dy: Tensor, *_: object) -> Any:
        attrs = {k: call.attrs[k] for k in ("epsilon", "data_format", "is_training")}
        source = call.outputs if call.attrs["is_training"] else call.inputs
        results = backward(dy, *call.inputs[:2], *source[3:5], **attrs)
        return (*results[:3], None, None)


_previous("", "T", T=frozenset({float32}))
_previous("V2", "U", T=_T, U=frozenset({float32}))


def batch_normalization(
    x: TensorLike,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """Return `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    `offset` and `scale` may be None.
    """
    with in_scope(name, "batchnorm"):
        x = convert_to_tensor(x)
        if isinstance(variance_epsilon, float):  # also NumPy's, whose dtype is not meant
            variance_epsilon = float(variance_epsilon)
        inverse = rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse = inverse * scale
        scaled = x * _as(inverse, x)
        shift = -mean * inverse if offset is None else offset - mean * inverse
        return scaled + _as(shift, x)


def _as(value: Tensor, like: Tensor) -> Any:
    return value if value.dtype is like.dtype else cast(value, like.dtype)


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """Return batch normalisation that scales by `gamma` only if asked to."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


def fused_batch_norm(
    x: TensorLike,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Return the normalised batch, and its mean and variance (in training: of this batch)."""
    if is_training and (mean is None) != (variance is None):
        raise ValueError("mean and variance must be given together")
    if not is_training and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            f"`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` "
            f"{variance!r}"
        )
    # One of both, as an array: to convert a list twice takes as long as a small batch.
    is_plain = getattr(scale, "dtype", None) is float32
    nothing: Any = np.empty(0, np.float32) if is_plain else []
    if (
        current.interpreter is not Scope.eager
    ):  # TensorFlow makes a constant of each, not an argument
        mean = convert_to_tensor([], float32) if mean is None else mean
        variance = convert_to_tensor([], float32) if variance is None else variance
    least = 1.001e-5  # what cuDNN needs
    results = fused_batch_norm_op(
        x,
        scale,
        offset,
        nothing if mean is None else mean,
        nothing if variance is None else variance,
        epsilon=max(epsilon, least),
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return results[0], results[1], results[2]
