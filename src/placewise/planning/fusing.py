"""Groups of operations that one call does: found in the graph before it is pruned.

The gradient of an op whose inputs broadcast, with sizes not known before it runs, is written as
Reshape(Sum(g, BroadcastGradientArgs(…)), Shape(x)). Nearly always nothing was broadcast, and one
look at the shapes does.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any


def inputs_of(op: Any, fed: Container[int]) -> tuple[Any, ...]:
    """Return the tensors an operation is computed from in a plan; `fed` are ids of fed ones."""
    found = summed_back(op, fed) if op.type == "Reshape" else None
    return op.inputs if found is None else found


def summed_back(op: Any, fed: Container[int]) -> tuple[Any, Any] | None:
    """Return (gradient, shape) if a Reshape ends the summing back of a broadcast, else None."""
    total, shape = op.inputs
    if total.op.type != "Sum" or total.op.attrs["keep_dims"] or id(total) in fed:
        return None
    gradient, axes = total.op.inputs
    if axes.op.type != "BroadcastGradientArgs" or axes.op.block is not op.block or id(axes) in fed:
        return None
    if axes.op.inputs[axes.value_index] is not shape and not _same_shape(axes, shape):
        return None
    if total.op.control or axes.op.control:
        return None
    return gradient, shape


def _same_shape(axes: Any, shape: Any) -> bool:
    """Return True if the shape summed back to is that of the input the axes are for."""
    mine = axes.op.inputs[axes.value_index]
    return (
        mine.op.type == shape.op.type == "Shape"
        and mine.op.inputs[0] is shape.op.inputs[0]
        and mine.op.attrs == shape.op.attrs
    )


def sum_back(gradient: Any, shape: Any) -> Any:
    """Return a gradient summed to a shape that it was broadcast from."""
    target = tuple(shape.tolist())
    given = tuple(gradient.shape)
    if given == target:
        return gradient
    extra = len(given) - len(target)
    axes = list(range(extra))
    axes += [i + extra for i, d in enumerate(target) if d == 1 and given[i + extra] != 1]
    return (gradient.sum(axes) if axes else gradient).reshape(target)
