"""Reductions made of other ops: log-sum-exp, variance, counts, normalization."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, DTypeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.ops.array import creation
from placewise.ops.array.shape import reshape, size
from placewise.ops.convert import convert_to_tensor, number, scalar
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.math.arithmetic import abs as magnitude
from placewise.ops.math.arithmetic import add, maximum, multiply, square, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import is_finite, not_equal
from placewise.ops.math.complex_numbers import conj, real
from placewise.ops.math.exponential import exp, log, rsqrt, sqrt
from placewise.ops.math.reduction import reduce_max, reduce_mean, reduce_sum
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.tf1_spelling import add_tf1, known_shape, where_tf1, zeros_like


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return log(sum(exp(x))) along `axis`, without overflow."""
    x = convert_to_tensor(input_tensor)
    largest = reduce_max(x, axis, keepdims=True)
    # An infinite maximum would give inf - inf.
    shift = stop_gradient(where_tf1(is_finite(largest), largest, _zero(largest)))
    result = log(reduce_sum(exp(subtract(x, shift)), axis, keepdims=keepdims))
    if not keepdims:
        shift = reshape(shift, known_shape(result))
    return add_tf1(result, shift, name)


def _zero(x: Tensor) -> Any:
    return zeros_like(x) if is_tf1_graph() else number(0, x.dtype)


def reduce_variance(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return the mean of the squared distances from the mean, along `axis`."""
    with in_scope(name, "reduce_variance"):
        x = convert_to_tensor(input_tensor)
        if isinstance(x, Composite):  # rows of different lengths: their means fit no element
            mean = reduce_mean(x, axis, keepdims=keepdims)
            return reduce_mean(square(x), axis, keepdims=keepdims) - square(mean)
        means = reduce_mean(x, axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(
                f"Input must be either real or complex. Received integer type {means.dtype}."
            )
        distance = x - means
        if distance.dtype.is_complex:
            squares = real(multiply(conj(distance), distance))
        else:
            squares = square(distance)
        return reduce_mean(squares, axis, keepdims=keepdims)


def reduce_std(
    input_tensor: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """Return the standard deviation along `axis`."""
    with in_scope(name, "reduce_std"):
        return sqrt(reduce_variance(convert_to_tensor(input_tensor), axis, keepdims))


def count_nonzero(
    input: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Any:
    """Return how many elements along `axis` are not zero; of strings, not empty."""
    x = convert_to_tensor(input)
    zero = convert_to_tensor("") if x.dtype is dtypes.string else None
    if x.dtype is dtypes.bool:
        hits = x
    else:
        hits = not_equal(x, scalar(0, x.dtype) if zero is None else zero)
    counted = reduce_sum(cast(hits, dtypes.int64), axis, keepdims=bool(keepdims))
    return cast(counted, as_dtype(dtype), name)


def zero_fraction(value: TensorLike, name: str | None = None) -> Any:
    """Return which share of the elements is zero, as float32; NaN of nothing."""
    value = convert_to_tensor(value)
    total = cast(size(value, out_type=dtypes.int64), dtypes.float32)
    filled = cast(count_nonzero(value, dtype=dtypes.int64), dtypes.float32)
    return (total - filled) / total


def l2_normalize(
    x: TensorLike,
    axis: AxisLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Any:
    """Return `x` divided by its length along `axis`; a square below `epsilon` counts as that."""
    axis = dim if axis is None else axis
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        total = reduce_sum(square(magnitude(x)), axis, keepdims=True)
        inverse = rsqrt(maximum(total, epsilon))
        return multiply(x, cast(inverse, x.dtype), name)
    total = reduce_sum(square(x), axis, keepdims=True)
    return multiply(x, rsqrt(maximum(total, epsilon)), name)


def polyval(coeffs: Any, x: TensorLike, name: str | None = None) -> Any:
    """Return the value at `x` of the polynomial with these coefficients, the highest first."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    del name
    x = convert_to_tensor(x)
    if not coeffs:
        return creation.zeros_like(x)
    terms = [convert_to_tensor(each) for each in coeffs]
    result = terms[0]
    for term in terms[1:]:
        result = add(term, multiply(result, x))
    return result
