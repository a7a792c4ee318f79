"""Ops for the order of things: no_op, group, tuple."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import Scope, current
from placewise.ops.declare import define, op
from placewise.ops.work import view_work


@op("NoOp()", differentiable=False, result="view")
def no_op(name: str | None = None) -> Any:
    """Do nothing; in a graph, return an operation that others can wait for.

    >>> with tf.Graph().as_default():
    ...     tf.no_op(name="ready").name
    'ready'
    """
    return no_op.bind(name=name)


@no_op.shape
def no_op_shape() -> list[Any]:
    return []


@no_op.kernel
def no_op_kernel() -> None:
    return None


control_trigger = define(
    "ControlTrigger()",
    differentiable=False,
    doc="Do nothing, once what it waits for is over.",
    work=view_work,
)
control_trigger.shape(list)
control_trigger.kernel(lambda: None)


def group(*inputs: Any, **kwargs: Any) -> Any:
    """Return an operation that runs after all `inputs`; None when they have run already.

    `inputs`: tensors, operations and variables, also in lists.
    `kwargs`: `name`.

    Raises TypeError for anything else.

    >>> with tf.Graph().as_default():
    ...     tf.group(tf.constant(1), tf.constant(2)).type
    'NoOp'
    """
    name = kwargs.pop("name", None)
    if current.interpreter is Scope.eager:
        return None
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    return current.interpreter.group(inputs, name)


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Return the tensors, each available only once all of them are."""
    return current.interpreter.with_control_inputs(tensors, control_inputs, name)
