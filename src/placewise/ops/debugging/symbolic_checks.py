"""Assertions on tensors that have no values yet: operations that fail when the graph runs.

What is known to fail already, fails at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError
from placewise.core.names import name_scope
from placewise.ops.array.shape import rank as rank_of
from placewise.ops.array.shape import shape_of
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.assert_print import assert_op
from placewise.ops.math.comparison import equal
from placewise.ops.math.reduction import reduce_all, reduce_any


def _known(tensor: Any) -> Any:
    return tensor.op.attrs["value"] if tensor.op.type == "Const" else None


def _refuse_if_known(compare: Callable[..., Any], left: Any, right: Any, data: list[Any]) -> None:
    values = _known(left), _known(right)
    if values[0] is not None and values[1] is not None and not np.all(compare(*values)):
        shown = [_known(each) if hasattr(each, "op") else each for each in data]
        raise InvalidArgumentError(None, None, "\n".join(str(each) for each in shown))


def _required(condition: Any, data: list[Any], summarize: int | None) -> Any:
    with name_scope("Assert"):
        return assert_op(condition, data, summarize=3 if summarize is None else summarize)


def required(
    condition: Any, data: list[Any], summarize: int | None, name: str | None, default: str
) -> Any:
    """Return an operation that fails, showing `data`, unless `condition` is true."""
    with name_scope(name or default):
        return _required(condition, data, summarize)


def compared(
    compare: Callable[..., Any],
    by_value: Callable[..., Any],
    sign: str,
    x: Any,
    y: Any,
    message: Any,
    summarize: int | None,
    name: str,
) -> Any:
    """Return an operation that fails unless `compare` holds for every element of two tensors."""
    with name_scope(name):
        left = convert_to_tensor(x, name="x")
        right = convert_to_tensor(y, dtype_hint=left.dtype.base_dtype, name="y")
        data = [message] if message else []
        data += [
            f"Condition x {sign} y did not hold element-wise:",
            f"x ({left.name}) = ",
            left,
            f"y ({right.name}) = ",
            right,
        ]
        _refuse_if_known(by_value, left, right, data)
        return _required(reduce_all(compare(left, right)), data, summarize)


def signed(
    compare: Callable[..., Any],
    by_value: Callable[..., Any],
    sign: str,
    x: Any,
    message: Any,
    summarize: int | None,
    name: str,
) -> Any:
    """Return an operation that fails unless every element compares so with zero."""
    with name_scope(name):
        tensor = convert_to_tensor(x, name="x")
        zero = convert_to_tensor(0, tensor.dtype.base_dtype)
        data: list[Any] = [f"{message}.  " if message else ""]
        data += [f"Condition x {sign} 0 did not hold element-wise:"]
        data += [f"x ({tensor.name}) = ", tensor]
        _refuse_if_known(by_value, tensor, zero, data)
        return _required(reduce_all(compare(tensor, zero)), data, summarize)


def ranked(
    compare: Callable[..., Any], words: str, tensor: Any, ranks: list[Any], message: Any, name: str
) -> Any:
    """Return an operation that fails unless the rank of a tensor compares so with one of some."""
    with name_scope(name):
        found = rank_of(tensor)
        wanted = [convert_to_tensor(each, dtypes.int32, name="rank") for each in ranks]
        holds = [compare(found, each) for each in wanted]
        condition = holds[0] if len(holds) == 1 else reduce_any(convert_to_tensor(holds))
        data = [
            f"{message}.  " if message else "",
            f"Tensor {tensor.name} must have rank{words}",
            *wanted,
            "Received shape: ",
            shape_of(tensor),
        ]
        return _required(condition, data, None)


def sized(tensor: Any, axis: int, wanted: Any, source: str, message: Any) -> Any:
    """Return an operation that fails unless a dimension has a size."""
    with name_scope("assert_shapes"):
        shape = shape_of(tensor)
        data = [
            f"{message}.  " if message else "",
            source,
            f"Tensor {tensor.name} dimension",
            axis,
            "must have size",
            wanted,
            "Received shape: ",
            shape,
        ]
        return _required(equal(shape[axis], wanted), data, None)
