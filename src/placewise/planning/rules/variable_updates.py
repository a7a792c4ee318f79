"""Updates of variables that torch does in one call, with the product or quotient they add.

SGD writes w - rate * (aᵀ @ b). torch adds the product to the variable as it computes it, and the
gradient never takes memory (on a card only where its operands take less). Moving averages,
m + rate * (g - m), and quotients, w - rate * m / v as in Adam, are single calls as well.

All of them write into the content of the variable, or into a copy while something else has that
content: the sums must not round otherwise because somebody reads the variable at the time. Where
sizes do not fit, the kernels of the replaced steps run and say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from placewise.core import dtypes
from placewise.ops.state.resource import content_of, own_content, variable_lock
from placewise.planning.ownership import is_within_reach
from placewise.planning.plan import Combined, Read, Ref, Step, blaming
from placewise.planning.plan_index import PlanIndex

if TYPE_CHECKING:
    from placewise.ops.values import Handle


_TYPES = (dtypes.float32, dtypes.float64)


def scaled_update(step: Step, index: PlanIndex) -> bool:
    """AssignSub(variable, rate * value) and its like, the rate a constant number."""
    value = step.op.inputs[1]
    product = index.only_maker(step.inputs[1], step, "Mul") if value.dtype in _TYPES else None
    if product is None:
        return False
    for side in (0, 1):
        rate = _known_number(product.inputs[side], index)
        if rate is not None and product.op.inputs[1 - side]._dims == value._dims:
            factor = rate if step.op.type.startswith("AssignAdd") else -rate
            number = index.plan.constants[product.inputs[side]]
            separately = _one_by_one(step, product, number, side)
            value = product.inputs[1 - side]
            # torch's lerp computes another formula from 0.5 on, which rounds differently.
            if not (0 <= rate < 0.5 and _move(step, index, value, rate, separately)):
                _change(step, index, value, factor, separately)
            return True
    return False


def update(step: Step, index: PlanIndex) -> bool:
    """AssignAdd and AssignSub of a product or a quotient."""
    return scaled_update(step, index) or quotient_update(step, index)


def quotient_update(step: Step, index: PlanIndex) -> bool:
    """AssignSub(variable, a / b) and its like, where `a` may be a multiple of a value."""
    value = step.op.inputs[1]
    quotient = index.only_maker(step.inputs[1], step, "RealDiv") if value.dtype in _TYPES else None
    if quotient is None or any(operand._dims != value._dims for operand in quotient.op.inputs):
        return False
    sign = 1.0 if step.op.type.startswith("AssignAdd") else -1.0
    above, below = quotient.inputs
    # The factor becomes a Python number: reading it from a GPU would wait for all that runs there.
    product = index.only_maker(above, step, "Mul") if step.device.torch_device == "cpu" else None
    at = None if product is None else _factor_at(product, value._dims)
    if product is None or at is None:
        step.kernel = _adding_quotient(sign, blaming(step), blaming(quotient), step.op.type)
        step.inputs = [step.inputs[0], above, below]
    else:
        one_by_one = blaming(step), blaming(quotient), blaming(product)
        step.kernel = _adding_scaled_quotient(sign, *one_by_one, step.op.type)
        step.inputs = [step.inputs[0], product.inputs[at], product.inputs[1 - at], below]
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Quotient")
    return True


def _factor_at(product: Step, dims: tuple[int, ...]) -> int | None:
    """Return which input of a product is a single number, the other having its dimensions."""
    shapes = [operand._dims for operand in product.op.inputs]
    for side in (0, 1):
        if dims and shapes[side] == () and shapes[1 - side] == dims:
            return side
    return None


def _move(
    step: Step, index: PlanIndex, value: Ref, rate: float, separately: Callable[[Any, Any], Any]
) -> bool:
    """Let a step move its variable towards a value, if what it adds is rate * (value - variable).

    AssignSub says rate * (variable - value).
    """
    difference = index.only_maker(value, step, "Sub")
    if difference is None or any(
        operand._dims != difference.op.outputs[0]._dims for operand in difference.op.inputs
    ):
        return False
    # The variable must hold what was read from it: another update in between would be lost.
    own = 1 if step.op.type.startswith("AssignAdd") else 0
    read = index.maker(difference.inputs[own], step, "ReadVariableOp")
    if read is None or read.inputs[0] != step.inputs[0] or index.is_changed(read, step):
        return False
    subtract, name = blaming(difference), step.op.type

    def move_towards(handle: Handle, target: torch.Tensor) -> Any:
        if _has_shape(handle, target.shape):
            with variable_lock(handle):
                own_content(handle, name).lerp_(target, rate)
            return handle
        content = content_of(handle)
        return separately(handle, subtract(target, content) if own else subtract(content, target))

    step.inputs, step.kernel = [step.inputs[0], difference.inputs[1 - own]], move_towards
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Moving")
    return True


def _one_by_one(
    step: Step, product: Step, number: torch.Tensor, side: int
) -> Callable[[Any, Any], Any]:
    """Return a function that runs the kernels of the replaced steps one after the other."""
    update, multiply = blaming(step), blaming(product)

    def separately(handle: Any, value: Any) -> Any:
        return update(handle, multiply(value, number) if side else multiply(number, value))

    return separately


def descent(step: Step, index: PlanIndex) -> bool:
    """ApplyGradientDescent(variable, rate, value), the rate a constant number."""
    rate = _known_number(step.inputs[1], index) if step.op.inputs[2].dtype in _TYPES else None
    if rate is None:
        return False
    update, number = blaming(step), index.plan.constants[step.inputs[1]]

    def separately(handle: Any, value: Any) -> Any:
        return update(handle, number, value)

    _change(step, index, step.inputs[2], -rate, separately)
    return True


def _known_number(item: Any, index: PlanIndex) -> float | None:
    known = index.plan.constants.get(item) if type(item) is Ref else None
    if not isinstance(known, torch.Tensor) or not known.is_cpu or known.dim():
        return None
    return float(known.item())


def _change(
    step: Step, index: PlanIndex, value: Ref, factor: float, separately: Callable[[Any, Any], Any]
) -> None:
    """Let a step add `factor` times a value, or times the product that makes the value."""
    value = _fetched(value, index)
    product = index.only_maker(value, step, "MatMul")
    read = _read_of_itself(value, step, index)
    if read is not None:
        step.inputs = step.inputs[:1]
        step.kernel = _adding_itself(factor, separately, read, step.op.type)
    elif product is None or _keeps_more_memory(step, product):
        step.inputs = [step.inputs[0], value]
        step.kernel = ScaledAddition(factor, separately, step.op.type)
    else:
        step.inputs = [step.inputs[0], *product.inputs]
        step.kernel = _adding_product(factor, separately, product, step.op.type)
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Scaled")


def _read_of_itself(value: Any, step: Step, index: PlanIndex) -> Callable[[Any], Any] | None:
    """Return what reads the variable of a step, if a value is its content, as in weight decay."""
    if type(value) is Read:
        return content_of if value.ref == step.inputs[0] else None
    read = index.maker(value, step, "ReadVariableOp")
    if read is None or read.inputs[0] != step.inputs[0] or index.is_changed(read, step):
        return None
    return blaming(read)


def _keeps_more_memory(step: Step, product: Step) -> bool:
    """Return whether a product takes more memory on a card if its variable's update computes it.

    Updates come last in a step: until then both operands would live, activations and gradients of
    all layers together, where otherwise only the product lives. Sizes that are not known are
    mostly the batch's, which may be large. The host's memory has no such limit.
    """
    if not step.device.is_accelerator:
        return False
    tensors = (*product.op.inputs, *product.op.outputs)
    if any(tensor._dims is None or None in tensor._dims for tensor in tensors):
        return True
    left, right, result = (math.prod(tensor._dims) for tensor in tensors)
    return bool(left + right > result)


def _fetched(value: Ref, index: PlanIndex) -> Any:
    """Return the value to add: of a copy that nothing else reads, the original within reach."""
    copy = None if type(value) is not Ref or value.step < 0 else index.plan.every[value.step]
    if copy is None or copy.op is not None or index.count[value] != 1:
        return value
    (original,) = copy.inputs
    return original if type(original) is Ref and is_within_reach(copy) else value


def _has_shape(handle: Handle, shape: tuple[int, ...]) -> bool:
    value = handle.value
    return isinstance(value, torch.Tensor) and value.shape == shape


class ScaledAddition:
    """The kernel of an update that adds a multiple of a value."""

    __slots__ = ("factor", "name", "separately")

    def __init__(self, factor: float, separately: Callable[[Any, Any], Any], name: str) -> None:
        self.factor, self.separately, self.name = factor, separately, name

    def __call__(self, handle: Handle, value: torch.Tensor) -> Any:
        """Add to the variable's content, or do what the replaced steps do."""
        if _has_shape(handle, value.shape):
            with variable_lock(handle):
                own_content(handle, self.name).add_(value, alpha=self.factor)
            return handle
        return self.separately(handle, value)


def _adding_itself(
    factor: float, separately: Callable[[Any, Any], Any], read: Callable[[Any], Any], name: str
) -> Any:
    def add_scaled_content(handle: Handle) -> Any:
        if isinstance(handle.value, torch.Tensor):
            with variable_lock(handle):
                content = own_content(handle, name)
                content.add_(content, alpha=factor)
            return handle
        return separately(handle, read(handle))

    return add_scaled_content


def _adding_quotient(
    sign: float, change: Callable[..., Any], divide: Callable[..., Any], name: str
) -> Any:
    def add_quotient(handle: Handle, a: torch.Tensor, b: torch.Tensor) -> Any:
        if a.shape == b.shape and _has_shape(handle, a.shape):
            with variable_lock(handle):
                own_content(handle, name).addcdiv_(a, b, value=sign)
            return handle
        return change(handle, divide(a, b))

    return add_quotient


def _adding_scaled_quotient(
    sign: float,
    change: Callable[..., Any],
    divide: Callable[..., Any],
    multiply: Callable[..., Any],
    name: str,
) -> Any:
    def add_scaled_quotient(
        handle: Handle, factor: torch.Tensor, a: torch.Tensor, b: torch.Tensor
    ) -> Any:
        if a.shape == b.shape and _has_shape(handle, a.shape):
            with variable_lock(handle):
                own_content(handle, name).addcdiv_(a, b, value=sign * factor.item())
            return handle
        return change(handle, divide(multiply(a, factor), b))

    return add_scaled_quotient


def _adding_product(
    factor: float, separately: Callable[[Any, Any], Any], product: Step, name: str
) -> Any:
    left, right = product.attrs["transpose_a"], product.attrs["transpose_b"]
    multiply = blaming(product)

    def add_scaled_product(handle: Handle, a: torch.Tensor, b: torch.Tensor) -> Any:
        a, b = a.mT if left else a, b.mT if right else b
        fits = a.dim() == b.dim() == 2 and a.shape[1] == b.shape[0]
        if fits and _has_shape(handle, (a.shape[0], b.shape[1])):
            with variable_lock(handle):
                own_content(handle, name).addmm_(a, b, alpha=factor)
            return handle
        return separately(handle, multiply(a.mT if left else a, b.mT if right else b))

    return add_scaled_product


RULES = {
    **dict.fromkeys(
        ("AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"), update
    ),
    **dict.fromkeys(("ApplyGradientDescent", "ResourceApplyGradientDescent"), descent),
}
