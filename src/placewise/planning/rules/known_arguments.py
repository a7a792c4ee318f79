"""Arguments that are constants are read once, when the plan is made, and not by each call.

A reduction along constant axes, ExpandDims at a constant axis and `tf.shape(x)[i]` each become one
call of torch without arrays to look at.
"""

from __future__ import annotations

import functools
import math

import torch

from placewise.core import dtypes
from placewise.ops.math.reduction import reduced_axes
from placewise.ops.values import TORCH
from placewise.planning.plan import Combined, Step
from placewise.planning.plan_index import PlanIndex

_TYPES = (dtypes.float32, dtypes.float64)
_REDUCTIONS = {"Sum": torch.sum, "Mean": torch.mean}


def sum_known(step: Step, index: PlanIndex) -> bool:
    """Sum along constant axes; of Fill(dims, constant), all of it, it is a product."""
    value, axes = step.op.inputs[0], index.host(step.inputs[1])
    filled = index.maker(step.inputs[0], step, "Fill")
    if filled is None or axes is None or value.dtype not in _TYPES or value._dims is None:
        return reduce_known(step, index)
    along = reduced_axes(axes, len(value._dims))
    content = index.plan.constants.get(filled.inputs[1])
    if content is None or len(along) != len(value._dims) or step.attrs["keep_dims"]:
        return reduce_known(step, index)
    number = content.item()
    step.kernel = lambda dims: content.new_tensor(number * math.prod(dims.tolist()))
    step.inputs, step.attrs, step.combined = filled.inputs[:1], {}, Combined("SumOfFill")
    return True


def reduce_known(step: Step, index: PlanIndex) -> bool:
    """Sum and Mean along constant axes."""
    value = step.op.inputs[0]
    axes = index.host(step.inputs[1])
    if axes is None or value.dtype not in _TYPES or value._dims is None:
        return False
    along = reduced_axes(axes, len(value._dims))
    if not along:
        return False  # torch takes an empty list of axes for all of them
    keeps = step.attrs["keep_dims"]
    reduce = _REDUCTIONS[step.op.type]
    is_whole = len(along) == len(value._dims) and not keeps
    step.kernel = reduce if is_whole else functools.partial(reduce, dim=along, keepdim=keeps)
    _settle(step)
    return True


def expand_known(step: Step, index: PlanIndex) -> bool:
    """ExpandDims at a constant axis."""
    value = step.op.inputs[0]
    axis = index.host(step.inputs[1])
    if axis is None or axis.size != 1 or value.dtype not in _TYPES or value._dims is None:
        return False
    at = int(axis.reshape(-1)[0])
    if not -len(value._dims) - 1 <= at <= len(value._dims):
        return False
    step.kernel = functools.partial(torch.unsqueeze, dim=at)
    _settle(step)
    return True


def size_known(step: Step, index: PlanIndex) -> bool:
    """StridedSlice(Shape(x), [i], [i + 1], [1]) that gives a number, as `tf.shape(x)[i]` does."""
    attrs = step.attrs
    masks = [attrs[f"{name}_mask"] for name in ("begin", "end", "ellipsis", "new_axis")]
    if any(masks) or attrs["shrink_axis_mask"] != 1:
        return False
    shape = index.maker(step.inputs[0], step, "Shape")
    at, by = index.host(step.inputs[1]), index.host(step.inputs[3])
    if shape is None or at is None or at.size != 1 or by is None or by.item() != 1:
        return False
    dims, axis = shape.op.inputs[0]._dims, at.item()
    if dims is None or not -len(dims) <= axis < len(dims):
        return False
    dtype = TORCH[step.op.outputs[0].dtype]
    step.kernel = lambda value: torch.tensor(value.shape[axis], dtype=dtype)
    step.inputs, step.attrs, step.combined = shape.inputs[:1], {}, Combined("Dimension")
    return True


def _settle(step: Step) -> None:
    step.inputs, step.attrs, step.combined = step.inputs[:1], {}, Combined(step.op.type)


RULES = {
    "Sum": sum_known,
    "Mean": reduce_known,
    "ExpandDims": expand_known,
    "StridedSlice": size_known,
}
