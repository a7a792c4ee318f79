"""Reductions: sum, mean, max, min, prod, any, all, Euclidean norm along axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import COMPLEX, FLOATS, INDEX, NUMBERS, REAL
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.concat import stack
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.shape import expand_dims, rank, reshape, shape_of, size
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, OpFunction, P, op
from placewise.ops.families import through_numpy
from placewise.ops.host_array import host_array
from placewise.ops.math.cast import cast
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.values import EagerTensor
from placewise.ops.work import reduction_work


def reduced_axes(axis: np.ndarray[Any, Any], rank: int) -> tuple[int, ...]:
    """Return the axes to reduce, counted from the front; checks range and repetition."""
    axes = axis.reshape(-1).tolist()
    for index, each in enumerate(axes):
        if not -rank <= each < rank:
            raise invalid(f"Invalid reduction dimension ({each} for input with {rank} dimension(s)")
        if each < 0:
            axes[index] = each + rank
    if len(axes) > 1 and len(set(axes)) != len(axes):
        raise invalid(
            "Invalid reduction arguments: Axes contains duplicate dimension: "
            f"{next(a for a in axes if axes.count(a) > 1)}"
        )
    return tuple(axes)


def reduction_shape(input: Static, axis: Static, *, keep_dims: bool) -> Dims:
    """Shape rule of every reduction."""
    if input.shape is None:
        return None
    if axis.value is None:
        return (None,) * len(input.shape) if keep_dims else None
    rank = len(input.shape)
    axes = set()
    for each in np.asarray(axis.value).reshape(-1).tolist():
        if not -rank <= each < rank:
            raise ValueError(f"Invalid reduction dimension {each} for input with {rank} dimensions")
        axes.add(each % rank)
    if keep_dims:
        return tuple(1 if i in axes else d for i, d in enumerate(input.shape))
    return tuple(d for i, d in enumerate(input.shape) if i not in axes)


_ALL_AXES = [np.arange(rank, dtype=np.int32) for rank in range(9)]


def known_scalar(made: Tensor) -> Any:
    """Return what a reduction of all axes made: a scalar, also if no rank was known."""
    if type(made) is not EagerTensor and made._shape_tuple is None:
        made.set_shape(())
    return made


def axes_or_all(x: Any, axis: TensorLike | None) -> Any:
    """Return `axis`, or every axis of `x` when it is None."""
    if axis is not None:
        if type(axis) is float:
            raise TypeError(f"Cannot convert {axis} to EagerTensor of dtype int32")
        return axis
    static = x._shape_tuple
    if static is None:
        return range_of(0, rank(x))
    count = len(static)
    return _ALL_AXES[count] if count < 9 else np.arange(count, dtype=np.int32)


def _written(x: TensorLike, axis: TensorLike | None) -> Any:
    """Return the axes to reduce; every axis is, in a graph, a constant of its own before the op."""
    axes = axes_or_all(x, axis)
    if axis is not None or type(x) is EagerTensor or type(axes) is not np.ndarray:
        return axes
    return convert_to_tensor(axes, name="Const")


def _reduction(
    name: str, dtype: str = "T", **facts: Any
) -> Callable[[Callable[P, Any]], OpFunction[P, Tensor]]:
    """Return a decorator that gives a function, of which only the text counts, the body of all."""

    def declare(described: Callable[P, Any]) -> OpFunction[P, Tensor]:
        def reduce(
            input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
        ) -> Any:
            x = (
                input_tensor
                if type(input_tensor) is EagerTensor
                else convert_to_tensor(input_tensor)
            )
            result = bind(x, _written(x, axis), keep_dims=bool(keepdims), name=name)
            return result if axis is not None or keepdims else known_scalar(result)

        signature = (
            f"{name}(input: {dtype}, reduction_indices: Tidx; keep_dims: bool = False) "
            f"-> output: {dtype}"
        )
        declare_op = op(
            signature,
            host=("reduction_indices",),
            Tidx=INDEX,
            argument_names={"reduction_indices": "axis"},
            work=reduction_work,
            **facts,
        )
        declared = declare_op(functools.update_wrapper(reduce, described))
        bind = declared.bind
        declared.shape(reduction_shape)
        return declared  # type: ignore[return-value]  # it has the signature of `described`

    return declare


def _over(function: Callable[..., Any]) -> Any:
    """Return a kernel for the wide unsigned types from a NumPy reduction."""

    def kernel(input: Any, axis: Any, *, keep_dims: bool) -> Any:
        axes = reduced_axes(np.asarray(axis), input.ndim)
        return np.asarray(function(input, axis=axes, keepdims=keep_dims)).astype(input.dtype)

    made = through_numpy(kernel)
    return lambda input, axis, *, keep_dims: made(
        input, torch.from_numpy(axis.copy()), keep_dims=keep_dims
    )


def spread_back(dy: Tensor, x: Tensor, axis: TensorLike) -> Any:
    """Return the gradient of a reduction, repeated along the axes that were reduced."""
    return lazy.broadcast_to(kept_shape(dy, x, axis), shape_of(x))


def kept_shape(y: Tensor, x: Tensor, axis: Any) -> Any:
    """Return the result of a reduction with the reduced axes of `x` put back as 1."""
    static = x._shape_tuple
    if static is None or not isinstance(axis, np.ndarray):
        return reshape(y, reduced_shape(shape_of(x), axis))
    axes = sorted(set(reduced_axes(axis, len(static))))
    if None not in static:
        kept = np.asarray([1 if i in axes else d for i, d in enumerate(static)], np.int32)
        return reshape(y, kept)
    if y._shape_tuple is None:
        return reshape(y, reduced_shape(shape_of(x), axis))
    if len(y._shape_tuple) == len(static):  # the axes were kept
        return y
    for each in axes:
        y = expand_dims(y, each)
    return y


def reduced_shape(shape: Any, axis: Any) -> Any:
    """Return `shape` with 1 in place of the dimensions that `axis` names, as a tensor."""
    if isinstance(shape, np.ndarray) and isinstance(axis, np.ndarray):
        kept = shape.copy()
        kept[axis.reshape(-1)] = 1
        return kept
    shape = convert_to_tensor(shape)
    axis = reshape(cast(convert_to_tensor(axis), shape.dtype), [-1, 1])
    dims = shape._shape_tuple
    count = None if dims is None else dims[0]

    rank = scalar(count, shape.dtype) if count is not None else cast(size(shape), shape.dtype)

    # Not a remainder: of a scalar the rank is 0.
    hit = reduce_any(lazy.equal(lazy.where(axis < 0, axis + rank, axis), range_of(0, rank)), 0)

    return lazy.where(hit, scalar(1, shape.dtype), shape)


def reduced_count(x: Tensor, y: Tensor, axis: TensorLike) -> Any:
    """Return how many elements of `x` each element of `y`, its reduction, comes from."""
    static = x._shape_tuple
    if static is not None and isinstance(axis, np.ndarray):
        sizes = [static[a] for a in reduced_axes(axis, len(static))]
        if None not in sizes:
            return scalar(math.prod(sizes), x.dtype)
    count = size(x)
    if y._shape_tuple != ():
        count = count // lazy.maximum(size(y), 1)
    return cast(count, x.dtype)


@_reduction("Sum", T=NUMBERS, result="view", static="shapes")
def reduce_sum(
    input_tensor: Any, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Return the sum of the elements along `axis`.

    `input_tensor`: numbers.
    `axis`: one axis or a list of them; None sums all elements.
    `keepdims`: keep the reduced axes, with size 1.

    The sum of no elements is 0. Raises InvalidArgumentError, in graphs ValueError, if an axis is
    beyond the rank. Devices may add in another order, so that last digits of floats differ.

    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=1).numpy()
    array([3, 7], dtype=int32)
    """


reduce_sum.kernel(_over(np.sum), on="wide_unsigned")


@reduce_sum.kernel
def sum_kernel(input: torch.Tensor, axis: np.ndarray[Any, Any], *, keep_dims: bool) -> Any:
    axes = reduced_axes(axis, input.dim())
    return torch.sum(input, axes, keepdim=keep_dims, dtype=input.dtype) if axes else input


@reduce_sum.gradient
def sum_gradient(call: Call, dy: Tensor) -> Any:
    x, axis = call.inputs
    if _is_whole(x, axis) and is_tf1_graph():
        return _tiled(dy, x), None
    return spread_back(dy, x, axis), None


def _is_whole(x: Tensor, axis: TensorLike) -> bool:
    static = x._shape_tuple
    return (
        static is not None
        and isinstance(axis, np.ndarray)
        and axis.reshape(-1).tolist() == list(range(len(static)))
    )


def _tiled(dy: Tensor, x: Tensor) -> Any:
    """Write the gradient of a sum of all elements down as TensorFlow 1 does."""
    static = x._shape_tuple
    dy = reshape(dy, np.ones(len(static), np.int32))
    known = None not in static
    times = convert_to_tensor(np.asarray(static, np.int32)) if known else lazy.tf1_shape(x)
    return lazy.tile(dy, times)


def _shared(spread: Any, x: Any, y: Any) -> Any:
    """Write the division of the gradient of a mean of all elements down as TensorFlow 1 does."""
    static = x._shape_tuple
    if None not in static:
        return spread / convert_to_tensor(math.prod(static), spread.dtype)
    sizes, kept = lazy.tf1_shape(x), lazy.tf1_shape(y)
    count = reduce_prod(sizes) // lazy.maximum(reduce_prod(kept), 1)
    return spread / cast(count, spread.dtype)


@_reduction("Mean", T=NUMBERS, gpu_types=FLOATS | COMPLEX, result="view")
def reduce_mean(
    input_tensor: Any, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Return the mean of the elements along `axis`.

    `input_tensor`: numbers. The mean of integers is an integer, without its fraction.
    `axis`: one axis or a list of them; None takes the mean of all elements.
    `keepdims`: keep the reduced axes, with size 1.

    The mean of no elements is nan, of complex ones 0. Raises InvalidArgumentError, in graphs
    ValueError, if an axis is beyond the rank.

    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 6.0]], axis=0).numpy()
    array([2., 4.], dtype=float32)
    """


@reduce_mean.kernel
def mean_kernel(input: torch.Tensor, axis: np.ndarray[Any, Any], *, keep_dims: bool) -> Any:
    axes = reduced_axes(axis, input.dim())
    if not axes:
        return input
    if input.is_complex() and not input.numel():  # TensorFlow divides 0 by 0 for reals only
        return torch.sum(input, axes, keepdim=keep_dims)
    if input.is_floating_point() or input.is_complex():
        return torch.mean(input, axes, keepdim=keep_dims)
    total = torch.sum(input, axes, keepdim=keep_dims, dtype=torch.int64)
    count = max(input.numel() // max(total.numel(), 1), 1)
    return torch.div(total, count, rounding_mode="trunc").to(input.dtype)


def _whole_mean(x: np.ndarray[Any, Any], axis: tuple[int, ...], keepdims: bool) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims, dtype=np.uint64)
    return total // max(x.size // max(np.size(total), 1), 1)


reduce_mean.kernel(_over(_whole_mean), on="wide_unsigned")


@reduce_mean.gradient
def mean_gradient(call: Call, dy: Tensor) -> Any:
    x, axis = call.inputs
    if _is_whole(x, axis) and is_tf1_graph():
        return _shared(_tiled(dy, x), x, call.output), None
    # Dividing first costs less: the result of a reduction is the smaller one.
    return spread_back(dy / reduced_count(x, call.output, axis), x, axis), None


def _extremum(function: Callable[..., Any], lowest: bool) -> Any:
    def kernel(input: Any, axis: Any, *, keep_dims: bool) -> Any:
        axes = reduced_axes(axis, input.dim())
        if not axes:
            return input
        if not input.numel() and any(input.shape[a] == 0 for a in axes):
            return torch.full(
                _left(input.shape, axes, keep_dims),
                _bound(input.dtype, lowest),
                dtype=input.dtype,
                device=input.device,
            )
        return function(input, axes, keepdim=keep_dims)

    return kernel


def _left(shape: tuple[int, ...], axes: tuple[int, ...], keep_dims: bool) -> list[int]:
    if keep_dims:
        return [1 if i in axes else d for i, d in enumerate(shape)]
    return [d for i, d in enumerate(shape) if i not in axes]


def _bound(kind: torch.dtype, lowest: bool) -> Any:
    """Return what the maximum (`lowest`) or minimum of nothing is."""
    if kind.is_floating_point:
        return -np.inf if lowest else np.inf
    return torch.iinfo(kind).min if lowest else torch.iinfo(kind).max


def extremum_gradient(call: Call, dy: Tensor) -> Any:
    """Share the gradient of a maximum or minimum among the elements that are equal to it."""
    x, axis = call.inputs
    hits = cast(lazy.equal(kept_shape(call.output, x, axis), x), dy.dtype)
    count = reduce_sum(hits, axis, keepdims=True)
    return hits / count * kept_shape(dy, x, axis), None


@_reduction("Max", T=REAL, result="view", static="shapes")
def reduce_max(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return the largest element along `axis`.

    `input_tensor`: real numbers.
    `axis`: one axis or a list of them; None looks at all elements.
    `keepdims`: keep the reduced axes, with size 1.

    Of no elements it is the smallest value of the dtype. Raises InvalidArgumentError, in graphs
    ValueError, if an axis is beyond the rank.

    >>> tf.reduce_max([[1, 5], [7, 2]], axis=1).numpy()
    array([5, 7], dtype=int32)
    """


reduce_max.kernel(_extremum(torch.amax, True))
reduce_max.kernel(_over(lambda x, **k: np.max(x, initial=0, **k)), on="wide_unsigned")
reduce_max.gradient(extremum_gradient)


@_reduction("Min", T=REAL, result="view", static="shapes")
def reduce_min(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return the smallest element along `axis`.

    `input_tensor`: real numbers.
    `axis`: one axis or a list of them; None looks at all elements.
    `keepdims`: keep the reduced axes, with size 1.

    Of no elements it is the largest value of the dtype. Raises InvalidArgumentError, in graphs
    ValueError, if an axis is beyond the rank.

    >>> tf.reduce_min([[1, 5], [7, 2]], axis=0).numpy()
    array([1, 2], dtype=int32)
    """


reduce_min.kernel(_extremum(torch.amin, False))
reduce_min.kernel(
    _over(lambda x, **k: np.min(x, initial=np.iinfo(x.dtype).max, **k)), on="wide_unsigned"
)
reduce_min.gradient(extremum_gradient)


@_reduction("Prod", T=NUMBERS, static="shapes")
def reduce_prod(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return the product of the elements along `axis`; of nothing, 1."""


reduce_prod.kernel(_over(np.prod), on="wide_unsigned")


@reduce_prod.kernel
def prod_kernel(input: torch.Tensor, axis: np.ndarray[Any, Any], *, keep_dims: bool) -> Any:
    axes = reduced_axes(axis, input.dim())
    if axes and len(axes) == input.dim() and not keep_dims:
        return torch.prod(input, dtype=input.dtype)
    for each in sorted(axes, reverse=True):
        input = torch.prod(input, each, keepdim=keep_dims, dtype=input.dtype)
    return input


@reduce_prod.gradient
def prod_gradient(call: Call, dy: Tensor) -> Any:
    """Each element's gradient is the product of all the others, found by two running products."""
    x, axis = call.inputs
    spread = spread_back(dy, x, axis)
    shape = x._shape_tuple
    if shape is None or not isinstance(axis, np.ndarray):
        return spread * lazy.conjugate(kept_shape(call.output, x, axis) / x), None
    if not len(shape) or 0 in shape:
        return spread, None
    axes = list(reduced_axes(axis, len(shape)))
    others = [i for i in range(len(shape)) if i not in axes]
    order = axes + others
    moved = transpose(x, order)
    if None in shape:
        sizes = shape_of(moved)
        flat = reshape(moved, stack([reduce_prod(sizes[: len(axes)]), -1]))
    else:
        flat = reshape(moved, [int(np.prod([shape[a] for a in axes])), -1])
    product = lazy.cumprod(flat, exclusive=True) * lazy.cumprod(flat, exclusive=True, reverse=True)
    back = transpose(reshape(lazy.conjugate(product), shape_of(moved)), np.argsort(order).tolist())
    return spread * back, None


def _logical(
    x: torch.Tensor, axes: tuple[int, ...], keep_dims: bool, reduce: Any, numpy: Any
) -> Any:
    """Reduce booleans; NumPy's loops stop early and are faster than torch's on many elements."""
    array = host_array(x, torch.bool) if x.numel() > _MANY else None
    if array is None:
        return reduce(x, axes, keepdim=keep_dims)
    if native.code is not None and axes == (x.dim() - 1,) and x.dim() > 1:
        result = torch.empty((*x.shape[:-1], 1) if keep_dims else x.shape[:-1], dtype=torch.bool)
        native.code.row_flags(array, result.numpy(), numpy is np.all)
        return result
    return torch.from_numpy(np.asarray(numpy(array, axes, keepdims=keep_dims)))


_MANY = 1024  # elements from which a call of NumPy pays


@_reduction("Any", "bool", differentiable=False)
def reduce_any(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return True where any element along `axis` is True."""


@reduce_any.kernel
def any_kernel(input: torch.Tensor, axis: np.ndarray[Any, Any], *, keep_dims: bool) -> Any:
    axes = reduced_axes(axis, input.dim())
    return _logical(input, axes, keep_dims, torch.any, np.any) if axes else input


@_reduction("All", "bool", differentiable=False)
def reduce_all(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return True where every element along `axis` is True."""


@reduce_all.kernel
def all_kernel(input: torch.Tensor, axis: np.ndarray[Any, Any], *, keep_dims: bool) -> Any:
    axes = reduced_axes(axis, input.dim())
    return _logical(input, axes, keep_dims, torch.all, np.all) if axes else input


@_reduction("EuclideanNorm", T=NUMBERS)
def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return the square root of the sum of squares along `axis`."""


reduce_euclidean_norm.kernel(
    _over(lambda x, **k: np.sqrt(np.sum(x * x, dtype=x.dtype, **k))), on="wide_unsigned"
)


@reduce_euclidean_norm.kernel
def euclidean_norm_kernel(
    input: torch.Tensor, axis: np.ndarray[Any, Any], *, keep_dims: bool
) -> Any:
    axes = reduced_axes(axis, input.dim())
    squares = (input * input.conj()) if input.is_complex() else input * input
    if axes:
        squares = torch.sum(squares, axes, keepdim=keep_dims, dtype=input.dtype)
    return torch.sqrt(squares).to(input.dtype)


@reduce_euclidean_norm.gradient
def euclidean_norm_gradient(call: Call, dy: Tensor) -> Any:
    x, axis = call.inputs
    y, dy = kept_shape(call.output, x, axis), kept_shape(dy, x, axis)
    return lazy.divide_no_nan_op(x, y) * dy, None
