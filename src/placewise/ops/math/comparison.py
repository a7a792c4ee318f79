"""Comparisons of two tensors, element by element; what is not a number; what is in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS, NUMBERS, REAL, int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, broadcast
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, op
from placewise.ops.facts import SCALAR_NUMBERS, SCALARS, Scalar
from placewise.ops.families import binary, incompatible_shapes, unary
from placewise.ops.host_array import host_array
from placewise.ops.math.reduction import reduce_all

# int32 is in host memory on a GPU, and so is what is compared of it.
INT32_ON_HOST = frozenset({int32})


def equality_shape(x: Static, y: Static, *, incompatible_shape_error: bool) -> Dims:
    """Shape rule of == and !=: shapes that do not fit may give a scalar."""
    if incompatible_shape_error:
        return broadcast(x.shape, y.shape)
    if x.shape is None or y.shape is None:
        return None
    try:
        shape = broadcast(x.shape, y.shape)
    except ValueError:
        return ()
    pairs = zip(reversed(x.shape), reversed(y.shape), strict=False)
    # With a dimension unknown, whether the shapes fit shows only when the op runs.
    return None if any(a is None or b is None for a, b in pairs) else shape


_PLAIN_TYPES = (torch.float32, torch.float64, torch.int32, torch.int64)
# From so many elements on, NumPy's loops take a quarter of the time of torch's, which do not use
# wide instructions for results of one byte. Beyond, torch's threads make up for it.
_NUMPY_SIZES = range(4096, 1 << 23)


def _compared(function: Callable[..., Any], numpy: Callable[..., Any]) -> Callable[..., Any]:
    """Return a comparison by torch, or by NumPy for contents in host memory that it suits."""

    def compare(x: torch.Tensor, y: torch.Tensor) -> Any:
        if x.numel() in _NUMPY_SIZES and (y.dim() == 0 or y.shape == x.shape):
            first, second = host_array(x, *_PLAIN_TYPES), host_array(y, *_PLAIN_TYPES)
            if first is not None and second is not None:
                return torch.from_numpy(numpy(first, second))
        return function(x, y)

    return compare


def _equality_kernel(function: Callable[..., Any], numpy: Callable[..., Any], unlike: bool) -> Any:
    compare = _compared(function, numpy)

    def kernel(x: Any, y: Any, *, incompatible_shape_error: bool) -> Any:
        try:
            if isinstance(x, np.ndarray):
                return torch.from_numpy(np.asarray(numpy(x, y), dtype=np.bool_))
            return compare(x, y)
        except (RuntimeError, ValueError):
            if incompatible_shape_error or incompatible_shapes(x, y) is None:
                raise
            return torch.full((), unlike, device=getattr(x, "device", "cpu"))

    return kernel


@op(
    "Equal(x: T, y: T; incompatible_shape_error: bool = True) -> z: bool",
    differentiable=False,
    result="whole",
    scalar=Scalar("{} == {}", SCALARS),
    host_if=INT32_ON_HOST,
    elementwise=True,
    static="users",
)
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return True where x and y are equal, element by element.

    `x`, `y`: tensors of one dtype that broadcast to one shape. nan equals nothing.

    Shapes that do not broadcast raise InvalidArgumentError. Of int32 the result is in host memory,
    also on a GPU.

    >>> tf.equal([1, 2, 3], [1, 5, 3]).numpy()
    array([ True, False,  True])
    """
    return equal.bind(x, y, name=name)


equal.shape(equality_shape)
equal.kernel(_equality_kernel(torch.eq, np.equal, False))
equal.error(incompatible_shapes)


@op(
    "NotEqual(x: T, y: T; incompatible_shape_error: bool = True) -> z: bool",
    differentiable=False,
    result="whole",
    scalar=Scalar("{} != {}", SCALARS),
    host_if=INT32_ON_HOST,
    elementwise=True,
    static="users",
)
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Return True where x and y differ, element by element.

    `x`, `y`: tensors of one dtype that broadcast to one shape. nan differs from everything.

    Shapes that do not broadcast raise InvalidArgumentError.

    >>> tf.not_equal([1, 2, 3], 2).numpy()
    array([ True, False,  True])
    """
    return not_equal.bind(x, y, name=name)


not_equal.shape(equality_shape)
not_equal.kernel(_equality_kernel(torch.ne, np.not_equal, True))
not_equal.error(incompatible_shapes)


def _ordering(
    name: str,
    function: Callable[..., Any],
    numpy: Callable[..., Any],
    public: str,
    doc: str,
    expression: str,
    **facts: Any,
) -> Bind:
    return binary(
        name,
        _compared(function, numpy),
        REAL,
        numpy=numpy,
        public=public,
        doc=doc,
        output="bool",
        differentiable=False,
        host_if=INT32_ON_HOST,
        scalar=Scalar(expression, SCALAR_NUMBERS),
        **facts,
    )


less = _ordering(
    "Less",
    torch.lt,
    np.less,
    "less",
    """Return True where x < y, element by element.

    `x`, `y`: real numbers of one dtype that broadcast to one shape. A comparison with nan is False.

    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """,
    "{} < {}",
    static="shapes",
)
less_equal = _ordering(
    "LessEqual", torch.le, np.less_equal, "less_equal", "Return True where x <= y.", "{} <= {}"
)
greater = _ordering(
    "Greater",
    torch.gt,
    np.greater,
    "greater",
    """Return True where x > y, element by element.

    `x`, `y`: real numbers of one dtype that broadcast to one shape. A comparison with nan is False.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """,
    "{} > {}",
    static="shapes",
)
greater_equal = _ordering(
    "GreaterEqual",
    torch.ge,
    np.greater_equal,
    "greater_equal",
    "Return True where x >= y.",
    "{} >= {}",
)


@op(
    "ApproximateEqual(x: T, y: T; tolerance: float = 0.00001) -> z: bool",
    T=NUMBERS,
    differentiable=False,
)
def approximate_equal(x: Any, y: Any, tolerance: float = 1e-5, name: str | None = None) -> Any:
    """Return True where x and y differ by less than `tolerance`."""
    return approximate_equal.bind(x, y, tolerance=tolerance, name=name)


@approximate_equal.shape
def approximate_equal_shape(x: Static, y: Static, *, tolerance: float) -> Dims:
    return x.shape


@approximate_equal.kernel
def approximate_equal_kernel(x: torch.Tensor, y: torch.Tensor, *, tolerance: float) -> Any:
    if x.shape != y.shape:
        raise invalid(
            f"x and y must be of the same shape. x shape: [{','.join(map(str, x.shape))}]"
            f". y shape: [{','.join(map(str, y.shape))}]"
        )
    return (x - y).abs() < tolerance


def _predicate(name: str, function: Callable[..., Any], doc: str, public: str) -> Bind:
    return unary(
        name, function, FLOATS, doc=doc, output="bool", public=public, differentiable=False
    )


is_nan = _predicate("IsNan", torch.isnan, "Return True where x is not a number.", "is_nan")
is_inf = _predicate("IsInf", torch.isinf, "Return True where x is infinite.", "is_inf")
is_finite = _predicate("IsFinite", torch.isfinite, "Return True where x is finite.", "is_finite")


def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Return True if no element, in order of memory, is smaller than the one before it."""
    return _in_order(x, less_equal, name)


def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Return True if each element, in order of memory, is larger than the one before it."""
    return _in_order(x, less, name)


def _in_order(x: Tensor, compare: Callable[..., Any], name: str | None) -> Any:
    x = convert_to_tensor(x)
    if not x.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    flat = reshape(x, [-1])
    return reduce_all(compare(flat[:-1], flat[1:]), name=name)
