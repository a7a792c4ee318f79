"""Local response normalisation: each channel divided by its neighbours' energy."""

from __future__ import annotations

import functools
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import bfloat16, float16, float32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define, op
from placewise.ops.math.elementary import by_size
from placewise.ops.work import response_norm_work

_T = frozenset({float16, bfloat16, float32})
_ATTRS = "depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5"


@functools.lru_cache(32)
def _band(depth: int, radius: int) -> Any:
    """Return the matrix that adds up neighbours: ones along the diagonal and `radius` beside it."""
    return torch.ones(depth, depth).triu_(-radius).tril_(radius)


_sqrt = by_size(torch.sqrt)
# Up to so many channels a product with a band matrix is faster than sums over windows.
_PRODUCT_DEPTH = 384


def _to_minus(norm: torch.Tensor, beta: float) -> Any:
    """Return norm ** -beta; the usual powers by roots, which are many times faster."""
    if beta == 0.5:
        return norm.rsqrt()
    if beta == 0.75:
        root = norm.rsqrt()
        return _sqrt(root).mul_(root)
    return norm.pow(-beta)


def _neighbours(x: torch.Tensor, radius: int) -> Any:
    """Return the sum over the last axis of each element and its neighbours up to `radius` away."""
    depth = x.shape[-1]
    if x.is_cpu and 0 < depth <= _PRODUCT_DEPTH and x.numel():
        return torch.mm(x.reshape(-1, depth), _band(depth, min(radius, depth))).reshape(x.shape)
    radius = min(radius, max(depth - 1, 0))
    padded = torch.constant_pad_nd(x, [radius, radius])
    return padded.unfold(-1, 2 * radius + 1, 1).sum(-1)


@op(
    f"LRN(input: T; {_ATTRS}) -> output: T",
    T=_T,
    result="new",
    work=response_norm_work,
    default_types={"T": dtypes.float32},
)
def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """Return x / (bias + alpha * sum of squares of neighbouring channels) ** beta."""
    return local_response_normalization.bind(
        input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name
    )


lrn = local_response_normalization


@lrn.shape
def lrn_shape(input: Static, **_: object) -> Dims:
    if input.shape is not None and len(input.shape) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(input.shape)}")
    return input.shape if input.shape is not None else (None,) * 4


def _check(x: Any, depth_radius: int) -> None:
    if x.dim() != 4:
        raise invalid("in must be 4-dimensional")
    if not 0 <= depth_radius < 2**31 - 1:
        raise invalid(f"depth_radius = {depth_radius} larger than int max")


@lrn.kernel
def lrn_kernel(
    input: torch.Tensor, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Any:
    _check(input, depth_radius)
    x = input.float()
    norm = _neighbours(x * x, depth_radius).mul_(alpha).add_(bias)
    return (x * _to_minus(norm, beta)).to(input.dtype)


@lrn.gradient
def lrn_gradient(call: Call, dy: Tensor) -> Any:
    return lrn_grad(dy, call.inputs[0], call.output, **call.attrs)


lrn_grad = define(
    f"LRNGrad(input_grads: T, input_image: T, output_image: T; {_ATTRS}) -> output: T",
    T=_T,
    doc="The gradient of local response normalisation.",
    result="new",
    work=response_norm_work,
    default_types={"T": dtypes.float32},
)


@lrn_grad.shape
def lrn_grad_shape(input_grads: Static, *_: Static, **__: object) -> Dims:
    return input_grads.shape


@lrn_grad.kernel
def lrn_grad_kernel(
    input_grads: torch.Tensor,
    input_image: torch.Tensor,
    output_image: torch.Tensor,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> Any:
    _check(input_image, depth_radius)
    if input_grads.shape != input_image.shape or input_image.shape != output_image.shape:
        raise invalid("input_grads, input_image, and out_image should have the same shape")
    dy, x, y = input_grads.float(), input_image.float(), output_image.float()
    norm = _neighbours(x * x, depth_radius).mul_(alpha).add_(bias)
    inner = _neighbours(dy * y / norm, depth_radius)
    return (dy * _to_minus(norm, beta) - 2 * alpha * beta * x * inner).to(input_grads.dtype)
