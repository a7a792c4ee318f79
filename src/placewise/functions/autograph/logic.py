"""`and`, `or`, `not`, chains of comparisons and `assert`, on tensors and on anything else."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.functions.autograph.branches import if_exp
from placewise.functions.autograph.state import is_symbolic
from placewise.graph.print_ops import Assert
from placewise.ops.math.logic import logical_and, logical_not, logical_or

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "is_": operator.is_,
    "is_not": operator.is_not,
    "in_": lambda a, b: a in b,
    "not_in": lambda a, b: a not in b,
}


def _is_scalar(value: Tensor) -> bool:
    return getattr(value, "_dims", None) == ()


def and_(first: Any, *others: Callable[[], Any]) -> Any:
    """Return the first value that is false, or the last; of tensors, their conjunction."""
    for other in others:
        if type(first) is not bool and is_symbolic(first):
            first = _both(first, other)
        elif first:
            first = other()
        else:
            return first
    return first


def or_(first: Any, *others: Callable[[], Any]) -> Any:
    """Return the first value that is true, or the last; of tensors, their disjunction."""
    for other in others:
        if type(first) is not bool and is_symbolic(first):
            first = _either(first, other)
        elif first:
            return first
        else:
            first = other()
    return first


def _both(first: Tensor, other: Callable[[], Any]) -> Any:
    if _is_scalar(first):  # the second is computed only if it matters
        return if_exp(first, other, lambda: first)
    return logical_and(first, other())


def _either(first: Tensor, other: Callable[[], Any]) -> Any:
    if _is_scalar(first):
        return if_exp(first, lambda: first, other)
    return logical_or(first, other())


def not_(value: TensorLike) -> Any:
    """Return the opposite of a truth value."""
    if type(value) is not bool and is_symbolic(value):
        return logical_not(value)
    return not value


def chained(first: TensorLike, *rest: Any) -> Any:
    """Return the value of a chain of comparisons; each operand is computed once."""
    name, operand = rest[0], rest[1]
    second = operand()
    held = _COMPARISONS[name](first, second)
    if len(rest) == 2:
        return held
    return and_(held, lambda: chained(second, *rest[2:]))


def assert_(test: TensorLike, message: Callable[[], Any] = lambda: "") -> None:
    """Raise AssertionError unless a test holds; of a tensor, add an operation that checks it."""
    if is_symbolic(test):
        Assert(test, [message()])
    elif not test:
        text = message()
        raise AssertionError(*([text] if text != "" else []))
