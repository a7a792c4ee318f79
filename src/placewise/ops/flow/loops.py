"""`tf.while_loop`: a body repeated while a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes, nest
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.graphs import graph_flow
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.math.logic import logical_and
from placewise.ops.values import EagerTensor


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Return the loop variables after `body` was repeated while `cond` holds.

    Both get the loop variables as arguments; `body` returns their next values, in the same
    structure. At most `maximum_iterations` times.

    >>> import placewise as tf
    >>> tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2 * x), (0, 1.0))[1].numpy()
    np.float32(8.0)
    """
    check_arguments(cond, body, parallel_iterations)
    if (flow := graph_flow()) is not None:
        return flow.while_loop(
            cond,
            body,
            loop_vars,
            shape_invariants,
            parallel_iterations,
            back_prop,
            swap_memory,
            name,
            maximum_iterations,
            return_same_structure=True,
        )
    return while_loop_eagerly(cond, body, loop_vars, maximum_iterations)


def check_arguments(cond: Any, body: Any, parallel_iterations: int) -> None:
    """Raise what TensorFlow raises for arguments of a loop that cannot be."""
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")


def while_loop_eagerly(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    limit: Any = None,
    may_be_bare: bool = False,
) -> Any:
    """Run the loop as a Python loop.

    With `may_be_bare`, as in TensorFlow 1, a body may return its one variable by itself, and then
    the loop does.
    """
    loop_vars = nest.map_structure(_read, loop_vars)
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    may_be_bare = may_be_bare and len(loop_vars) == 1
    if limit is not None:
        if may_be_bare:  # TensorFlow counts beside the variable, which is no longer in a list
            return _limited_bare(cond, body, loop_vars[0], _whole(limit))
        return _limited(cond, body, loop_vars, _whole(limit))
    first = [nest.map_structure(Described, each) for each in loop_vars]
    is_flat = not any(nest.is_nested(each) for each in first)
    is_bare = False
    while cond(*loop_vars):
        loop_vars = body(*loop_vars)
        is_bare = may_be_bare and not isinstance(loop_vars, (list, tuple))
        if is_bare:
            loop_vars = (loop_vars,)
        if not (is_flat and _is_flat(loop_vars, len(first))):
            nest.assert_same_structure(first, list(loop_vars))
    return _converted(loop_vars[0] if is_bare else loop_vars)


def _limited(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, limit: int) -> Any:
    len(loop_vars)  # a single value is no sequence of loop variables
    first = nest.map_structure(Described, loop_vars)
    count = 0
    while _both(count < limit, cond(*loop_vars)):
        loop_vars = body(*loop_vars)
        count += 1
        nest.assert_same_structure([count, first], [count, loop_vars])
    return _converted(loop_vars)


def _limited_bare(
    cond: Callable[..., Any], body: Callable[..., Any], variable: Any, limit: int
) -> Any:
    first = nest.map_structure(Described, variable)
    count = 0
    while _both(count < limit, cond(variable)):
        variable = body(variable)
        count += 1
        nest.assert_same_structure([count, first], [count, variable])
    return _converted(variable)


def _both(is_within: bool, holds: Any) -> Any:
    """Return whether the loop goes on; its condition is asked to the last, as in TensorFlow."""
    if type(holds) is EagerTensor and holds.dtype is dtypes.bool:
        return is_within and bool(holds)

    return logical_and(is_within, holds)


def _whole(limit: Any) -> int:
    limit = convert_to_tensor(limit)
    if limit.shape.rank != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return int(limit)


def _is_flat(values: Any, count: int) -> bool:
    if type(values) not in (list, tuple) or len(values) != count:
        return False
    return all(type(value) is EagerTensor for value in values)


def _read(value: Any) -> Any:
    """Return what a variable holds; anything else as it is."""
    is_variable = not isinstance(value, Tensor) and hasattr(type(value), "read_value")
    return value.read_value() if is_variable else value


def _converted(values: Any) -> Any:
    return nest.map_structure(
        lambda value: value if isinstance(value, TensorArray) else convert_to_tensor(value),
        values,
        expand_composites=True,
    )


class Described:
    """Stands for a loop variable where structures are compared, and shows its shape and dtype."""

    def __init__(self, value: Any) -> None:
        self._value = value
        known = (Tensor, TensorArray, nest.Composite, type(None))
        if not isinstance(value, known):
            try:
                self._value = convert_to_tensor(value)
            except (TypeError, ValueError):
                raise TypeError(
                    f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}."
                ) from None

    def __repr__(self) -> str:
        value = self._value
        if not isinstance(value, Tensor):
            return f"{type(value).__name__}Spec"
        return f"TensorSpec(shape={value.shape}, dtype=tf.{value.dtype.name}, name=None)"
