"""The gradient of a sum or mean of all elements: one call for a chain of small ones.

In graphs of TensorFlow 1 that of a sum is Tile(Reshape(dy, [1, …]), Shape(x)), and that of a mean
divides it by Cast(Prod(Shape(x)) // 1), or by a constant. Elsewhere `tf.gradients` writes
BroadcastTo(ExpandDims(dy / Cast(Size(x))), Shape(x)). A loss of one number a row goes on with
ExpandDims and Mul. The result is one number expanded over a shape, a view: it takes no memory.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.planning.plan import Combined, Host, Step, blaming
from placewise.planning.plan_index import PlanIndex


def mean_spread(step: Step, index: PlanIndex) -> bool:
    """BroadcastTo(ExpandDims(RealDiv(dy, Cast(Size(x)))), Shape(x)), dy a single number."""
    value, target = step.inputs
    shape = index.maker(target, step, "Shape") if type(target) is Host else None
    expanded = index.maker(value, step, "ExpandDims")
    while expanded is not None:
        value = expanded.inputs[0]
        expanded = index.maker(value, expanded, "ExpandDims")
    divided = index.maker(value, step, "RealDiv")
    if shape is None or divided is None or divided.op.inputs[0]._dims != ():
        return False
    cast = index.maker(divided.inputs[1], divided, "Cast")
    size = None if cast is None else index.maker(cast.inputs[0], cast, "Size")
    if cast is None or size is None or size.inputs != shape.inputs:
        return False
    if not cast.op.outputs[0].dtype.is_floating:
        return False
    step.inputs = [divided.inputs[0], shape.inputs[0]]
    step.kernel, step.attrs, step.combined = spread_mean, {}, Combined("MeanGrad")
    return True


def sum_spread(step: Step, index: PlanIndex) -> bool:
    """Tile(Reshape(dy, [1, …]), Shape(x)), dy a single number; or times known now."""
    value, times = step.inputs
    shaped = index.maker(value, step, "Reshape")
    if shaped is not None and shaped.op.inputs[0]._dims == ():
        value = shaped.inputs[0]
    elif not _is_number(value, index):
        return False
    shape = index.maker(times, step, "Shape") if type(times) is Host else None
    if shape is not None:
        step.inputs = [value, shape.inputs[0]]
        step.kernel, step.attrs, step.combined = spread_sum, {}, Combined("SumGrad")
        return True
    known = index.host(times)
    if known is None or not known.size:
        return False
    dims = tuple(known.tolist())
    step.inputs, step.kernel = [value], lambda gradient: gradient.expand(dims)
    step.attrs, step.combined = {}, Combined("SumGrad")
    return True


def spread_sum(gradient: Any, like: Any) -> Any:
    """Return a number for every element of a shape."""
    return gradient.expand(like.shape)


def share_out(step: Step, index: PlanIndex) -> bool:
    """RealDiv of the gradient of a sum by the number of elements."""
    spread = index.maker(step.inputs[0], step, "Tile")
    if spread is None or spread.combined is None or spread.combined.name != "SumGrad":
        return False
    # Tiled by a constant: the rule for Tile has put in a kernel that knows the shape.
    if spread.kernel is not spread_sum:
        if step.op.inputs[1]._dims != ():
            return False
        divide, expand = blaming(step), spread.kernel
        step.kernel = lambda gradient, count: expand(divide(gradient, count))
        step.inputs = [spread.inputs[0], step.inputs[1]]
        step.attrs, step.combined = {}, Combined("MeanGrad")
        return True
    cast = index.maker(step.inputs[1], step, "Cast")
    count = None if cast is None else index.maker(cast.inputs[0], cast, "FloorDiv")
    product = None if count is None else index.maker(count.inputs[0], count, "Prod")
    shape = None if product is None else index.maker(product.inputs[0], product, "Shape")
    if shape is None or count is None or shape.inputs[0] != spread.inputs[1]:
        return False
    if not _is_one(count.inputs[1], index):
        return False
    step.inputs = spread.inputs[:]
    step.kernel, step.attrs, step.combined = spread_mean, {}, Combined("MeanGrad")
    return True


def _is_number(item: Any, index: PlanIndex) -> bool:
    value = index.plan.constants.get(item)
    return isinstance(value, torch.Tensor) and value.numel() == 1


def _is_one(item: Any, index: PlanIndex) -> bool:
    return _is_number(item, index) and index.plan.constants[item].item() == 1


def spread_mean(gradient: Any, like: Any) -> Any:
    """Return a number shared out evenly over a shape."""
    return (gradient / like.numel()).expand(like.shape)


def times_spread(step: Step, index: PlanIndex) -> bool:
    """Mul(ExpandDims(MeanGrad(dy, x), -1), y): x one number for each row of the matrix y."""
    column, matrix = step.op.inputs
    if matrix.dtype is not dtypes.float32 or len(matrix._dims or ()) != 2:
        return False
    expanded = index.maker(step.inputs[0], step, "ExpandDims")
    if expanded is None or (column._dims or ())[1:] != (1,):
        return False
    spread = _spreading(expanded, index)
    if spread is None or spread.kernel is not spread_mean:
        return False
    multiply, expand = blaming(step), expanded.kernel
    axis = index.host(expanded.inputs[1])
    if axis is None:
        return False

    def mean_grad_times(gradient: Any, like: Any, values: Any) -> Any:
        # One number per row: with the same one for all rows, the matrix is multiplied by a scalar.
        if like.shape == values.shape[:1]:
            return values * (gradient / like.numel())
        return multiply(expand(spread_mean(gradient, like), axis), values)

    step.inputs = [*spread.inputs, step.inputs[1]]
    step.kernel, step.attrs, step.combined = mean_grad_times, {}, Combined("MeanGradMul")
    return True


def _spreading(expanded: Step, index: PlanIndex) -> Step | None:
    value = expanded.inputs[0]
    divided: Step | None = index.maker(value, expanded, "RealDiv")
    return divided or index.maker(value, expanded, "BroadcastTo")


RULES = {"BroadcastTo": mean_spread, "Mul": times_spread, "RealDiv": share_out, "Tile": sum_spread}
