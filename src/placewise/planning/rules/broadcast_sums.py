"""The gradient of a broadcast as one call; unlike the other rules, applied while pruning.

The gradient of an op whose inputs broadcast, with sizes not known before it runs, is written as
Reshape(Sum(g, BroadcastGradientArgs(…)), Shape(x)). Nearly always nothing was broadcast, and one
comparison of shapes will do. Prune asks here, so that the operations in between are never lowered.
"""

from __future__ import annotations

import functools
from collections.abc import Container
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.tensor import Tensor
from placewise.graph.operation import Operation
from placewise.ops.math.unbroadcast import axes_to_sum

if TYPE_CHECKING:
    import numpy as np


def inputs_of(op: Operation, fed: Container[int]) -> tuple[Any, ...]:
    """Return the tensors an operation is computed from in a plan; `fed` are ids of fed ones."""
    if op.type != "Reshape":
        return op.inputs
    if op.keeps_shape:
        return op.inputs[:1]
    match = summed_back(op, fed)
    if match is None:
        return op.inputs
    gradient, shape, known = match
    return (gradient, shape) if known is None else (gradient,)


def summed_back(op: Operation, fed: Container[int]) -> tuple[Any, Any, Any] | None:
    """Return (gradient, shape, axes) if a Reshape ends the summing back of a broadcast, else None.

    The axes are those of `axes_to_sum`, None if they are not known.
    """
    total, shape = op.inputs
    if total.op.type != "Sum" or total.op.attrs["keep_dims"] or id(total) in fed:
        return None
    gradient, axes = total.op.inputs
    if axes.op.type != "BroadcastGradientArgs" or axes.op.block is not op.block or id(axes) in fed:
        return None
    if axes.op.inputs[axes.value_index] is not shape and not _same_shape(axes, shape):
        return None
    # What they wait for must happen before, and they will not be there to wait.
    if total.op.control or axes.op.control:
        return None
    return gradient, shape, _known_axes(axes)


def _known_axes(axes: Any) -> Any:
    """Return the axes along which one of two inputs was broadcast, as far as shapes are known."""
    sizes = axes.op.inputs
    if sizes[0].op.type != "Shape" or sizes[1].op.type != "Shape":
        return None
    mine, other = sizes[axes.value_index], sizes[1 - axes.value_index]
    return axes_to_sum(mine.op.inputs[0]._dims, other.op.inputs[0]._dims)


def sum_over(missing: list[int], single: list[int]) -> Any:
    """Return what sums a gradient along known axes; with nothing to sum, None."""
    if not single:
        return functools.partial(torch.sum, dim=missing) if missing else None
    if not missing:
        return functools.partial(torch.sum, dim=single, keepdim=True)
    return lambda gradient: gradient.sum(single, keepdim=True).sum(missing)


def _same_shape(axes: Any, shape: Tensor) -> bool:
    """Return True if the shape summed back to is that of the input the axes are for."""
    mine = axes.op.inputs[axes.value_index]
    return (
        mine.op.type == shape.op.type == "Shape"
        and mine.op.inputs[0] is shape.op.inputs[0]
        and mine.op.attrs == shape.op.attrs
    )


def sum_back(gradient: torch.Tensor, shape: np.ndarray[Any, Any]) -> Any:
    """Return a gradient summed to a shape that it was broadcast from."""
    target = tuple(shape.tolist())
    size = tuple(gradient.shape)
    if size == target:
        return gradient
    extra = len(size) - len(target)
    axes = list(range(extra))
    axes += [i + extra for i, d in enumerate(target) if d == 1 and size[i + extra] != 1]
    return (gradient.sum(axes) if axes else gradient).reshape(target)
