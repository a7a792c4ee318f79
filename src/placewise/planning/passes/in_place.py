"""Pass 8: results are written over an input that nobody reads afterwards, which saves memory.

Only over a value that a step beside made in memory of its own, that this step alone reads, and that
has the dtype and shape of the result. Where shapes are not known before the plan runs, it is seen
then whether they are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.core.shapes import Dims
from placewise.ops.fresh import FRESH
from placewise.ops.nn.bias import checked_bias
from placewise.planning.draft import Draft
from placewise.planning.plan import Plan, Ref, Step

_TYPES = dtypes.FLOATS


def _relu_grad_over(gradients: Any, features: Any) -> Any:
    return torch.ops.aten.threshold_backward.grad_input(
        gradients, features, 0, grad_input=gradients
    )


def _bias_add_over(value: Any, bias: Any, *, data_format: str) -> Any:
    return value.add_(checked_bias(value, bias, data_format))


# Operation → what does for floating point numbers as its kernel does, over its first input.
_OVER_ONLY: dict[str, Callable[..., Any]] = {
    "Abs": torch.abs_,
    "Ceil": torch.ceil_,
    "Cos": torch.cos_,
    "Erf": torch.erf_,
    "Erfc": torch.erfc_,
    "Exp": torch.exp_,
    "Expm1": torch.expm1_,
    "Floor": torch.floor_,
    "Log": torch.log_,
    "Log1p": torch.log1p_,
    "Neg": torch.neg_,
    "Reciprocal": torch.reciprocal_,
    "Relu": torch.relu_,
    "Relu6": lambda x: torch.clamp_(x, 0, 6),
    "Rint": torch.round_,
    "Round": torch.round_,
    "Rsqrt": torch.rsqrt_,
    "Sigmoid": torch.sigmoid_,
    "Sin": torch.sin_,
    "Sqrt": torch.sqrt_,
    "Square": torch.square_,
    "Tanh": torch.tanh_,
}
_OVER_FIRST: dict[str, Callable[..., Any]] = {
    "Add": torch.Tensor.add_,
    "AddV2": torch.Tensor.add_,
    "BiasAdd": _bias_add_over,
    "Maximum": lambda a, b: torch.maximum(a, b, out=a),
    "Minimum": lambda a, b: torch.minimum(a, b, out=a),
    "Mul": torch.Tensor.mul_,
    "RealDiv": torch.Tensor.div_,
    "ReluGrad": _relu_grad_over,
    "Sub": torch.Tensor.sub_,
}
_OVER_SECOND: dict[str, Callable[..., Any]] = {
    "Add": lambda a, b: b.add_(a),
    "AddV2": lambda a, b: b.add_(a),
    "Maximum": lambda a, b: torch.maximum(a, b, out=b),
    "Minimum": lambda a, b: torch.minimum(a, b, out=b),
    "Mul": lambda a, b: b.mul_(a),
    "RealDiv": lambda a, b: torch.true_divide(a, b, out=b),
    "Sub": lambda a, b: torch.sub(a, b, out=b),
}
KINDS = frozenset(_OVER_ONLY) | frozenset(_OVER_FIRST)
# Their results are their first inputs, maybe in another shape.
_SAME_BYTES = ("ExpandDims", "Identity", "Reshape", "Squeeze", "StopGradient")
# Steps that do more than their operation, and make memory of their own like it.
_COMBINED = ("MatMulAdd", "MeanGradMul")


def write_in_place(draft: Draft) -> None:
    """Let steps write over what they are the last to read.

    Needs: the readers of each value, with fetches, and steps as the rules leave them (combine): a
    rule may read an input of a step that it replaces. Guarantees: no value that is read twice,
    fetched or shared is written over.
    """
    plan = draft.plan
    if not any(step.op is not None and step.op.declaration.name in KINDS for step in plan.every):
        return
    look = draft.index
    for steps in look.lists:
        for step in steps:
            if step.op is None or step.expression is not None or step.combined is not None:
                continue
            kind = step.op.type
            if kind in _OVER_ONLY:
                if _may_write(plan, look, step, 0):
                    step.kernel = _OVER_ONLY[kind]
            elif kind in _OVER_FIRST:
                _write_over_one(plan, look, step)


def _write_over_one(plan: Plan, look: Any, step: Step) -> None:
    """Let a step of two inputs write over one of them; best over one that surely has the shape."""
    a, b = (each._dims for each in step.op.inputs)
    found = []
    for index, known, mine, other in ((0, _OVER_FIRST, a, b), (1, _OVER_SECOND, b, a)):
        over = known.get(step.op.type)
        if over is not None and _may_write(plan, look, step, index):
            if step.op.type == "BiasAdd" or _keeps_shape(mine, other):
                step.kernel = over
                return
            if _may_keep_shape(mine, other):
                found.append(over)
    if found:
        step.kernel = _over_if_it_fits(step.kernel, found[0])


def _may_write(plan: Plan, look: Any, step: Step, index: int) -> bool:
    """Return whether nobody else has, or will read, an input that is of the result's dtype."""
    given, result = step.op.inputs[index], step.op.outputs[0]
    if result.dtype not in _TYPES or given.dtype is not result.dtype:
        return False
    return _is_own(plan, look, step, step.inputs[index])


def _is_own(plan: Plan, look: Any, step: Step, item: Any) -> bool:
    """Return whether a value that a step reads was made beside it, and nobody else has it."""
    if type(item) is not Ref or item.step < 0 or look.count[item] != 1:
        return False
    made = plan.every[item.step]
    if look.place[made.number][0] is not look.place[step.number][0]:
        return False
    if made.op is None or made.expression is not None:
        return False
    if made.combined is not None:
        return made.combined.name in _COMBINED
    if made.op.type in _SAME_BYTES:
        return _is_own(plan, look, made, made.inputs[0])
    if made.op.type == "Cast":
        given, result = made.op.inputs[0].dtype, made.op.outputs[0].dtype
        return given is not result and not given.is_complex  # of those it may see the real part
    return made.op.type in FRESH


def _keeps_shape(mine: Dims, other: Dims) -> bool:
    """Return whether what two shapes broadcast to is surely the first."""
    if other == ():
        return True
    if mine is None or other is None or len(other) > len(mine):
        return False
    return all(
        b == 1 or (a is not None and a != 1)
        for a, b in zip(mine[len(mine) - len(other) :], other, strict=True)
    )


def _may_keep_shape(mine: Dims, other: Dims) -> bool:
    """Return whether what two shapes broadcast to may be the first."""
    if mine is None or other is None:
        return True
    if len(other) > len(mine):
        return False
    return all(
        a is None or b in (None, 1, a)
        for a, b in zip(mine[len(mine) - len(other) :], other, strict=True)
    )


def _over_if_it_fits(plainly: Any, over: Any) -> Callable[..., Any]:
    def kernel(a: Any, b: Any, **attrs: Any) -> Any:
        return (over if a.shape == b.shape else plainly)(a, b, **attrs)

    return kernel
