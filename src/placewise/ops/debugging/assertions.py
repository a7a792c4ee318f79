"""Assertions on values: Assert, comparisons of two tensors, signs, finiteness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import torch

from placewise.core.dtypes import FLOATS
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.core.scope import Scope, current
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging import symbolic_checks
from placewise.ops.declare import op
from placewise.ops.families import same_shape
from placewise.ops.flow.assert_print import assert_op
from placewise.ops.math import comparison
from placewise.ops.math.reduction import reduce_all
from placewise.ops.values import EagerTensor, to_numpy


@op("CheckNumerics(tensor: T; message: string) -> output: T", T=FLOATS, elementwise=True)
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Any:
    """Return `tensor`, or raise InvalidArgumentError if it holds NaN or infinity."""
    return check_numerics.bind(tensor, message=message, name=name)


check_numerics.shape(same_shape)


@check_numerics.kernel
def check_numerics_kernel(tensor: Any, *, message: str) -> Any:
    if not bool(torch.isfinite(tensor).all()):  # the check waits for a device, as TensorFlow's
        found = []
        if bool(torch.isinf(tensor).any()):
            found.append("Inf")
        if bool(torch.isnan(tensor).any()):
            found.append("NaN")
        raise invalid(f"{message} : Tensor had {' and '.join(found)} values")
    return tensor


@check_numerics.gradient
def check_numerics_gradient(call: Any, dy: Any) -> Any:
    return check_numerics(dy, "Not a number (NaN) or infinity (Inf) values detected in gradient.")


def _shown(item: Any, limit: int) -> str:
    """Return a value as Assert prints it."""
    if isinstance(item, EagerTensor):
        item = to_numpy(item._value)
    if isinstance(item, str):
        item = item.encode()
    if isinstance(item, bytes):
        return str(item)
    array = np.asarray(item)
    return ", ".join(_first(array, limit)) if array.ndim else str(array[()])


def _first(array: Any, limit: int) -> list[str]:
    """Return the first `limit` elements as text, all if it is negative; dots for the rest."""
    flat = array.reshape(-1)
    count = flat.size if limit < 0 else limit
    return [str(each) for each in flat[:count]] + (["..."] if flat.size > count else [])


def _before(message: Any) -> str:
    """Return the caller's words as TensorFlow puts them before its own."""
    return f"{message}.  " if message else ""


def Assert(  # noqa: N802 - TensorFlow's own name
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError, showing `data`, unless `condition` is true.

    In a graph, return the operation that does so.
    """
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"Expected list for 'data' argument to 'Assert' Op, not {data!r}.")
    if current.interpreter is not Scope.eager:
        shown = 3 if summarize is None else summarize
        return assert_op(condition, list(data), summarize=shown, name=name)
    if not condition:
        text = "\n".join(_shown(item, 3 if summarize is None else summarize) for item in data)
        raise InvalidArgumentError(
            None, None, f"Expected '{condition!s}' to be true. Summarized data: {text}"
        )
    return None


_BY_VALUE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def _holds_for_both(
    compare: Callable[..., Any], sign: str, x: Any, y: Any, message: Any, summarize: Any, name: str
) -> Any:
    if current.interpreter is not Scope.eager:
        return symbolic_checks.compared(
            compare, _BY_VALUE[sign], sign, x, y, message, summarize, name
        )
    left = convert_to_tensor(x)
    right = convert_to_tensor(y, left.dtype) if not _is_tensor(y) else convert_to_tensor(y)
    holds = compare(left, right)
    if bool(reduce_all(holds)):
        return None
    count = 3 if summarize is None else (10**9 if summarize < 0 else summarize)
    arrays = [to_numpy(t._value) for t in (left, right)]
    lines = [str(message)] if message else []
    lines.append(f"Condition x {sign} y did not hold.")
    if arrays[0].shape == arrays[1].shape and arrays[0].ndim:
        wrong = np.argwhere(~to_numpy(holds._value))
        shown = wrong[:count]
        picked = [array[tuple(shown.T)] for array in arrays]
        lines += [
            f"Indices of first {len(shown)} different values:\n{shown}",
            f"Corresponding x values:\n{picked[0]}",
            f"Corresponding y values:\n{picked[1]}",
        ]
    for label, array in zip("xy", arrays, strict=True):
        flat = array.reshape(-1)[:count]
        lines.append(f"First {len(flat)} elements of {label}:\n{flat}")
    raise InvalidArgumentError(None, None, "\n".join(lines))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, EagerTensor) or hasattr(type(value), "__tf_tensor__")


def _comparison(compare: Callable[..., Any], sign: str, own: str) -> Callable[..., Any]:
    def check(
        x: Any, y: Any, message: Any = None, summarize: Any = None, name: str | None = None
    ) -> Any:
        return _holds_for_both(compare, sign, x, y, message, summarize, name or own)

    check.__name__ = check.__qualname__ = own
    check.__doc__ = f"Raise InvalidArgumentError unless x {sign} y for every element."
    return check


assert_equal = _comparison(comparison.equal, "==", "assert_equal")


def assert_none_equal(
    x: Any, y: Any, summarize: Any = None, message: Any = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless x != y for every element."""
    return _holds_for_both(
        comparison.not_equal, "!=", x, y, message, summarize, name or "assert_none_equal"
    )


assert_less = _comparison(comparison.less, "<", "assert_less")
assert_less_equal = _comparison(comparison.less_equal, "<=", "assert_less_equal")
assert_greater = _comparison(comparison.greater, ">", "assert_greater")
assert_greater_equal = _comparison(comparison.greater_equal, ">=", "assert_greater_equal")


def _described(tensor: Any) -> str:
    return f"shape={tensor.shape} dtype={tensor.dtype.name}"


def _sign(compare: Callable[..., Any], sign: str, own: str) -> Callable[..., Any]:
    def check(x: Any, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
        if current.interpreter is not Scope.eager:
            return symbolic_checks.signed(
                compare, _BY_VALUE[sign], sign, x, message, summarize, name or own
            )
        tensor = convert_to_tensor(x)
        if bool(reduce_all(compare(tensor, convert_to_tensor(0, tensor.dtype)))):
            return None
        array = to_numpy(tensor._value)
        values = _first(array, 3 if summarize is None else summarize) if array.ndim else array[()]
        raise InvalidArgumentError(
            None,
            None,
            f"{_before(message)}\nCondition x {sign} 0 did not hold element-wise:\n"
            f"x ({_described(tensor)}) = \n{values}",
        )

    check.__name__ = check.__qualname__ = own
    check.__doc__ = f"Raise InvalidArgumentError unless every element is {sign} 0."
    return check


assert_positive = _sign(comparison.greater, ">", "assert_positive")
assert_negative = _sign(comparison.less, "<", "assert_negative")
assert_non_negative = _sign(comparison.greater_equal, ">=", "assert_non_negative")
assert_non_positive = _sign(comparison.less_equal, "<=", "assert_non_positive")


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: Any = None,
    summarize: Any = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless |x - y| <= atol + rtol * |y| for every element.

    `x`, `y`: floating-point tensors that broadcast to one shape.
    `rtol`, `atol`: the tolerances, ten times the precision of the dtype by default.
    `message`: what the error says first.
    `summarize`: how many elements of each tensor the error shows, 3 by default.

    Returns None when ops run at once, else an operation that raises when it runs.

    >>> tf.debugging.assert_near([1.0], [1.0000001])
    >>> tf.debugging.assert_near([1.0], [2.0], message="too far")
    Traceback (most recent call last):
        ...
    tf.errors.InvalidArgumentError: too far
    """
    left = convert_to_tensor(x)
    right = convert_to_tensor(y, left.dtype)
    real = left.dtype.real_dtype.as_numpy_dtype
    limit = 10 * float(ml_dtypes.finfo(real).eps)
    relative = convert_to_tensor(limit if rtol is None else rtol, left.dtype)
    absolute = convert_to_tensor(limit if atol is None else atol, left.dtype)
    near = comparison.less_equal(abs(left - right), absolute + relative * abs(right))
    told = f"x and y not equal to tolerance rtol = {relative!s}, atol = {absolute!s}"
    names = [_described(left), _described(right)]
    is_symbolic = current.interpreter is not Scope.eager
    if is_symbolic:
        names = [left.name, right.name]
    data = [_before(message), told, f"x ({names[0]}) = ", left, f"y ({names[1]}) = ", right]
    if is_symbolic:
        return symbolic_checks.required(reduce_all(near), data, summarize, name, "assert_near")
    return Assert(reduce_all(near), data, summarize)


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    """Return `x`, or raise InvalidArgumentError if it holds NaN or infinity."""
    return check_numerics(x, message, name)
