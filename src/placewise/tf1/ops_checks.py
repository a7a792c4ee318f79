"""Assertions in the spelling of TensorFlow 1: in a graph, operations to wait for."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError
from placewise.core.scope import Scope, current
from placewise.graph.defaults import get_default_graph
from placewise.graph.print_ops import Assert
from placewise.ops.array.shape import rank as rank_of
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging import assertions, static_checks
from placewise.ops.flow.order import group, no_op
from placewise.ops.math import comparison
from placewise.ops.name_scopes import is_tf1_graph
from placewise.tf1.names import in_scope
from placewise.tf1.ops_math import reduce_all, reduce_any


def _constant(tensor: Any) -> Any:
    return tensor.op.attrs["value"] if tensor.op.type == "Const" else None


def _checked(
    compare: Any,
    by_value: Any,
    sign: str,
    x: Any,
    y: Any,
    data: Any,
    summarize: Any,
    message: Any,
) -> Any:
    """Return the operation that checks two tensors; raise now what is known to fail."""
    condition = reduce_all(compare(x, y))
    words = f"Condition x {sign} y did not hold element-wise:"
    known = _constant(x), _constant(y)
    if known[0] is not None and known[1] is not None and not np.all(by_value(*known)):
        told = [] if not message else [str(message)]
        told += [words, f"x ({x.name}) = ", str(known[0]), f"y ({y.name}) = ", str(known[1])]
        raise InvalidArgumentError(None, None, "\n".join(told))
    if data is None:
        data = [words, f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
    return Assert(condition, [message, *data] if message else data, summarize)


def _comparison(eagerly: Any, compare: Any, by_value: Any, sign: str) -> Any:
    name_of = eagerly.__name__

    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: Any = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        if current.interpreter is Scope.eager:
            return eagerly(x, y, message, summarize, name)
        if name_of == "assert_equal" and is_tf1_graph():
            # TensorFlow asks there whether both are one tensor, and then takes the next name.
            with in_scope(name, name_of):
                pass
        with in_scope(name, name_of):
            left = convert_to_tensor(x, name="x")
            right = convert_to_tensor(y, dtype_hint=left.dtype.base_dtype, name="y")
            return _checked(compare, by_value, sign, left, right, data, summarize, message)

    check.__name__ = check.__qualname__ = name_of
    check.__doc__ = f"Return an operation that fails unless x {sign} y for every element."
    return check


assert_equal = _comparison(assertions.assert_equal, comparison.equal, np.equal, "==")
assert_none_equal = _comparison(
    assertions.assert_none_equal, comparison.not_equal, np.not_equal, "!="
)
assert_less = _comparison(assertions.assert_less, comparison.less, np.less, "<")
assert_less_equal = _comparison(
    assertions.assert_less_equal, comparison.less_equal, np.less_equal, "<="
)
assert_greater = _comparison(assertions.assert_greater, comparison.greater, np.greater, ">")
assert_greater_equal = _comparison(
    assertions.assert_greater_equal, comparison.greater_equal, np.greater_equal, ">="
)


def _sign(eagerly: Any, check_both: Any, sign: str, zero_first: bool) -> Any:
    name_of = eagerly.__name__

    def check(
        x: Any,
        data: Any = None,
        summarize: Any = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        if current.interpreter is Scope.eager:
            return eagerly(x, message, summarize, name)
        with in_scope(name, name_of):
            tensor = convert_to_tensor(x, name="x")
            if data is None:
                words = f"Condition x {sign} 0 did not hold element-wise:"
                data = [words, f"x ({tensor.name}) = ", tensor]
                data = [message, *data] if message else data
            zero = convert_to_tensor(0, tensor.dtype.base_dtype)
            pair = (zero, tensor) if zero_first else (tensor, zero)
            return check_both(*pair, data=data, summarize=summarize)

    check.__name__ = check.__qualname__ = name_of
    check.__doc__ = f"Return an operation that fails unless every element is {sign} 0."
    return check


assert_positive = _sign(assertions.assert_positive, assert_less, ">", True)
assert_negative = _sign(assertions.assert_negative, assert_less, "<", False)
assert_non_negative = _sign(assertions.assert_non_negative, assert_less_equal, ">=", True)
assert_non_positive = _sign(assertions.assert_non_positive, assert_less_equal, "<=", False)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an operation that fails unless |x - y| <= atol + rtol * |y| for every element."""
    if current.interpreter is Scope.eager:
        return assertions.assert_near(x, y, rtol, atol, message, summarize, name)
    with in_scope(name, "assert_near"):
        left = convert_to_tensor(x, name="x")
        right = convert_to_tensor(y, left.dtype.base_dtype, name="y")
        kind = left.dtype.base_dtype
        limit = 10 * float(np.finfo(kind.real_dtype.as_numpy_dtype).eps)
        relative = convert_to_tensor(limit if rtol is None else rtol, kind, name="rtol")
        absolute = convert_to_tensor(limit if atol is None else atol, kind, name="atol")
        near = reduce_all(
            comparison.less_equal(abs(left - right), absolute + relative * abs(right))
        )
        if data is None:
            data = [
                f"x and y not equal to tolerance rtol = {relative}, atol = {absolute}",
                f"x ({left.name}) = ",
                left,
                f"y ({right.name}) = ",
                right,
            ]
        return Assert(near, [message, *data] if message else data, summarize)


def _ranked(
    default: str,
    statically: Any,
    holds: Any,
    x: Any,
    rank: Any,
    data: Any,
    summarize: Any,
    message: Any,
    name: str | None,
) -> Any:
    """Check a rank now if it is known, else when the graph runs."""
    if current.interpreter is Scope.eager:
        statically(x, rank, message, name)
        return None
    with in_scope(name, default):
        tensor = convert_to_tensor(x, name="x")
        if tensor.shape.rank is not None:
            statically(tensor, rank, message)
            return no_op(name="static_checks_determined_all_ok")
        wanted = convert_to_tensor(rank, dtypes.int32, name="rank")
        dims = shape(tensor)
        condition = holds(rank_of(tensor), wanted)
        if data is None:
            data = [
                message or "",
                f"Tensor {tensor.name} must have rank",
                wanted,
                "Received shape: ",
                dims,
            ]
        return Assert(condition, data, summarize)


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an operation that fails unless `x` has that rank."""
    return _ranked(
        "assert_rank",
        static_checks.assert_rank,
        comparison.equal,
        x,
        rank,
        data,
        summarize,
        message,
        name,
    )


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an operation that fails unless `x` has at least that rank."""
    return _ranked(
        "assert_rank_at_least",
        static_checks.assert_rank_at_least,
        comparison.greater_equal,
        x,
        rank,
        data,
        summarize,
        message,
        name,
    )


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an operation that fails unless `x` has one of those ranks."""

    return _ranked(
        "assert_rank_in",
        static_checks.assert_rank_in,
        lambda found, wanted: reduce_any(comparison.equal(found, wanted)),
        x,
        list(ranks),
        data,
        summarize,
        message,
        name,
    )


def _statically(function: Any, marks: str) -> Any:
    """Return a check that is always made at once, as one that gives an operation in graphs."""

    def check(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if current.interpreter is Scope.eager or found is not None:
            return found
        with in_scope(kwargs.get("name"), function.__name__):
            return no_op(name=marks)

    check.__name__, check.__doc__ = function.__name__, function.__doc__
    check.__wrapped__ = function  # type: ignore[attr-defined]  # for its signature
    return check


assert_integer = _statically(static_checks.assert_integer, "statically_determined_was_integer")
assert_type = _statically(static_checks.assert_type, "statically_determined_correct_type")
assert_proper_iterable = static_checks.assert_proper_iterable


def assert_scalar(tensor: Any, name: str | None = None, message: Any = None) -> Any:
    """Return `tensor`, which must be a scalar."""
    return static_checks.assert_scalar(tensor, message, name)


def assert_all_finite(
    t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None
) -> Any:
    """Return a tensor, after a check that it holds neither NaN nor infinity."""
    return assertions.assert_all_finite(
        t if x is None else x, msg if message is None else message, name
    )


def add_check_numerics_ops() -> Any:
    """Return an operation that checks every floating-point tensor of the default graph."""
    checks: list[Any] = []
    graph = get_default_graph()
    for op in graph.get_operations():
        for output in op.outputs:
            if output.dtype.base_dtype in dtypes.FLOATS and op.type != "CheckNumerics":
                with graph.control_dependencies(checks):
                    checks = [assertions.check_numerics(output, f"{op.name}:{output.value_index}")]
    return group(*checks)
