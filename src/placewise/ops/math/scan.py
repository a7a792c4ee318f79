"""Running sums, products and log-sum-exps along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import FLOATS, INDEX, NUMBERS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import conjugate, multiply
from placewise.ops.math.division import divide_no_nan_op
from placewise.ops.math.exponential import exp, log
from placewise.ops.values import from_numpy, to_numpy
from placewise.ops.work import reduction_work


def scan_shape(x: Static, axis: Static, *, exclusive: bool, reverse: bool) -> Dims:
    """Shape rule of running reductions: that of the input."""
    if x.shape is not None and axis.value is not None:
        rank, at = len(x.shape), int(np.asarray(axis.value).reshape(-1)[0])
        if not -rank <= at < rank:
            raise ValueError(
                f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {at}"
            )
    return x.shape


def _scan_axis(x: torch.Tensor, axis: np.ndarray[Any, Any]) -> int:
    if axis.ndim:
        raise invalid(f"ScanOp: axis must be a scalar, not {bracketed(axis.shape)}")
    rank, at = x.ndim, int(axis)
    if not -rank <= at < rank:
        raise invalid(f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {at}")
    return at


def scanning(function: Callable[..., Any], start: float) -> Callable[..., Any]:
    """Return the kernel of a running reduction; `start` is what an exclusive one begins with."""

    def kernel(x: Any, axis: Any, *, exclusive: bool, reverse: bool) -> Any:
        at = _scan_axis(x, axis)
        size = x.shape[at]
        if not x.numel():
            return x
        if reverse:
            x = x.flip(at)
        if exclusive:
            first = torch.full_like(x.narrow(at, 0, 1), start)
            rest = function(x.narrow(at, 0, size - 1), at) if size > 1 else x.narrow(at, 0, 0)
            result = torch.cat([first, rest], at)
        else:
            result = function(x, at)
        return result.flip(at) if reverse else result

    return kernel


def scanning_wide_unsigned(function: Callable[..., Any], start: int) -> Callable[..., Any]:
    """Return the same for the wide unsigned types, from a NumPy function."""

    def kernel(x: Any, axis: Any, *, exclusive: bool, reverse: bool) -> Any:
        at = _scan_axis(x, axis)
        array = to_numpy(x)
        array = np.flip(array, at) if reverse else array
        if exclusive and array.shape[at]:
            kept = np.take(array, range(array.shape[at] - 1), at)
            first = np.full_like(np.take(array, [0], at), start)
            array = np.concatenate([first, kept], at)
        result = function(array, axis=at, dtype=array.dtype)
        return from_numpy(np.flip(result, at) if reverse else result)

    return kernel


@op(
    "Cumsum(x: T, axis: Tidx; exclusive: bool = False, reverse: bool = False) -> out: T",
    host=("axis",),
    T=NUMBERS,
    Tidx=INDEX,
    work=reduction_work,
)
def cumsum(
    x: TensorLike,
    axis: AxisLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the sum of all elements up to each one along `axis`; exclusive: without it."""
    x = convert_to_tensor(x)
    return cumsum.bind(x, axis, exclusive=exclusive, reverse=reverse, name=name)


cumsum.shape(scan_shape)
cumsum.kernel(scanning(lambda x, at: torch.cumsum(x, at, dtype=x.dtype), 0))
cumsum.kernel(scanning_wide_unsigned(np.cumsum, 0), on="wide_unsigned")


@cumsum.gradient
def cumsum_gradient(call: Call, dy: Tensor) -> Any:
    attrs = call.attrs
    return cumsum(dy, call.inputs[1], attrs["exclusive"], not attrs["reverse"]), None


@op(
    "Cumprod(x: T, axis: Tidx; exclusive: bool = False, reverse: bool = False) -> out: T",
    host=("axis",),
    T=NUMBERS,
    Tidx=INDEX,
    work=reduction_work,
)
def cumprod(
    x: TensorLike,
    axis: AxisLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of all elements up to each one along `axis`; exclusive: without it."""
    x = convert_to_tensor(x)
    return cumprod.bind(x, axis, exclusive=exclusive, reverse=reverse, name=name)


cumprod.shape(scan_shape)
cumprod.kernel(scanning(lambda x, at: torch.cumprod(x, at, dtype=x.dtype), 1))
cumprod.kernel(scanning_wide_unsigned(np.cumprod, 1), on="wide_unsigned")


@cumprod.gradient
def cumprod_gradient(call: Call, dy: Tensor) -> Any:
    x, axis = call.inputs
    exclusive, reverse = call.attrs["exclusive"], call.attrs["reverse"]
    products = cumprod(x, axis, exclusive, reverse)
    summed = cumsum(multiply(conjugate(products), dy), axis, exclusive, not reverse)
    return divide_no_nan_op(summed, conjugate(x)), None


@op(
    "CumulativeLogsumexp(x: T, axis: Tidx; exclusive: bool = False, reverse: bool = False)"
    " -> out: T",
    host=("axis",),
    T=FLOATS,
    Tidx=INDEX,
    work=reduction_work,
)
def cumulative_logsumexp(
    x: TensorLike,
    axis: AxisLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return log(sum(exp(x))) of all elements up to each one along `axis`."""
    x = convert_to_tensor(x)
    return cumulative_logsumexp.bind(x, axis, exclusive=exclusive, reverse=reverse, name=name)


def _running_logsumexp(x: torch.Tensor, at: int) -> Any:
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    return torch.logcumsumexp(wide, at).to(x.dtype)


cumulative_logsumexp.shape(scan_shape)
cumulative_logsumexp.kernel(scanning(_running_logsumexp, -np.inf))


@cumulative_logsumexp.gradient
def cumulative_logsumexp_gradient(call: Call, dy: Tensor) -> Any:
    x, axis = call.inputs
    exclusive, reverse = call.attrs["exclusive"], call.attrs["reverse"]
    lowest = convert_to_tensor(float(dy.dtype.min), dy.dtype)
    zero, one = scalar(0, dy.dtype), scalar(1, dy.dtype)

    def half(flows: Tensor, amount: Tensor) -> Any:
        # The logarithm only where it is defined: the gradient has two signs.
        logs = where(flows, log(where(flows, amount, one)), lowest)
        running = cumulative_logsumexp(logs - call.output, axis, exclusive, not reverse)
        return exp(running + x)

    return half(dy > zero, dy) - half(dy < zero, -dy), None
