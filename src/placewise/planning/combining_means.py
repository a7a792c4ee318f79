"""The gradient of a mean over a size known only when it runs: one call for a chain of small ones.

`tf.gradients` writes it as BroadcastTo(ExpandDims(dy / Cast(Size(x))), Shape(x)), and a loss of one
number a row goes on with ExpandDims and Mul.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.planning.plan import Combined, Host, Step, blaming


def mean_spread(step: Step, look: Any) -> bool:
    """BroadcastTo(ExpandDims(RealDiv(dy, Cast(Size(x)))), Shape(x)), dy a single number."""
    value, target = step.inputs
    shape = look.maker(target, step, "Shape") if type(target) is Host else None
    expanded = look.maker(value, step, "ExpandDims")
    while expanded is not None:
        value = expanded.inputs[0]
        expanded = look.maker(value, expanded, "ExpandDims")
    divided = look.maker(value, step, "RealDiv")
    if shape is None or divided is None or divided.op.inputs[0]._dims != ():
        return False
    cast = look.maker(divided.inputs[1], divided, "Cast")
    size = None if cast is None else look.maker(cast.inputs[0], cast, "Size")
    if size is None or size.inputs != shape.inputs or not cast.op.outputs[0].dtype.is_floating:
        return False
    step.inputs = [divided.inputs[0], shape.inputs[0]]
    step.kernel, step.attrs, step.combined = spread_mean, {}, Combined("MeanGrad")
    return True


def spread_mean(gradient: Any, like: Any) -> Any:
    """Return a number shared out evenly over a shape."""
    return (gradient / like.numel()).expand(like.shape)


def times_spread(step: Step, look: Any) -> bool:
    """Mul(ExpandDims(MeanGrad(dy, x), -1), y): x one number for each row of the matrix y."""
    column, matrix = step.op.inputs
    if matrix.dtype is not dtypes.float32 or len(matrix._dims or ()) != 2:
        return False
    expanded = look.maker(step.inputs[0], step, "ExpandDims")
    spread = None if expanded is None else look.maker(expanded.inputs[0], expanded, "BroadcastTo")
    if spread is None or spread.kernel is not spread_mean or (column._dims or ())[1:] != (1,):
        return False
    multiply, expand = blaming(step), expanded.kernel
    axis = look.host(expanded.inputs[1])
    if axis is None:
        return False

    def mean_grad_times(gradient: Any, like: Any, values: Any) -> Any:
        if like.shape == values.shape[:1]:
            return values * (gradient / like.numel())
        return multiply(expand(spread_mean(gradient, like), axis), values)

    step.inputs = [*spread.inputs, step.inputs[1]]
    step.kernel, step.attrs, step.combined = mean_grad_times, {}, Combined("MeanGradMul")
    return True


RULES = {"BroadcastTo": mean_spread, "Mul": times_spread}
