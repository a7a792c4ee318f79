"""Control flow as TensorFlow 1 spells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.ops.flow import loops
from placewise.ops.flow import map_fn as rows
from placewise.ops.flow.control import cond_eagerly
from placewise.ops.flow.graphs import graph_flow


def _only(name: str, value: Any, old: str, old_value: Any) -> Any:
    if old_value is None:
        if value is None:
            raise TypeError(f"cond(): {name} argument required")
        return value
    if value is not None:
        raise TypeError(f"cond(): {name} and {old} may not be set simultaneously.")
    return old_value


def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Any = None,
    fn2: Any = None,
) -> Any:
    """Return what `true_fn` returns if `pred` is true, else what `false_fn` returns.

    `pred`: a boolean scalar.
    `true_fn`, `false_fn`: functions without arguments. In a graph both are written down, and must
        return the same structure with the same dtypes; only one runs.
    `strict`: return a list or tuple of one value as it is, not as that value.
    `fn1`, `fn2`: the former names of the two functions.

    Raises TypeError if a branch is missing, is no function, or is named twice.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.constant(2)
    ...     session.run(tf.compat.v1.cond(x < 3, lambda: x + 1, lambda: x))
    np.int32(3)
    """
    true_fn = _only("true_fn", true_fn, "fn1", fn1)
    false_fn = _only("false_fn", false_fn, "fn2", fn2)
    for branch, argument in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(branch):
            raise TypeError(f"{argument} must be callable.")
    if (flow := graph_flow()) is not None:
        return flow.cond(pred, true_fn, false_fn, strict, name)
    result = cond_eagerly(pred, true_fn, false_fn)
    if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Return the loop variables after `body` was repeated while `cond` holds.

    One variable comes back by itself in a graph, and eagerly if `body` returns it so; unless
    `return_same_structure`.
    """
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
            return_same_structure,
        )
    loops.check_arguments(cond, body, parallel_iterations)
    return loops.while_loop_eagerly(
        cond, body, loop_vars, maximum_iterations, may_be_bare=not return_same_structure
    )


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Return the results of `fn` for each row of `elems`, stacked."""
    if not callable(fn):
        raise TypeError("fn must be callable.")
    return rows.map_fn(
        fn, elems, dtype, parallel_iterations, back_prop, swap_memory, infer_shape, name
    )
