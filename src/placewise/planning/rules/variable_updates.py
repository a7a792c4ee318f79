"""A variable changed by a multiple of a value: scaled, or even multiplied out, while it is added.

SGD writes w - rate * (aᵀ @ b). Where the variable alone holds its content, torch adds the product
to it as it is computed, and the gradient is never made. Averages that move, m + rate * (g - m), and
quotients, w - rate * m / v as Adam has them, are single calls as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.ops.state.resource import content_of, is_own
from placewise.planning.ownership import is_within_reach
from placewise.planning.plan import Combined, Ref, Step, blaming

_TYPES = (dtypes.float32, dtypes.float64)


def scaled_update(step: Step, look: Any) -> bool:
    """AssignSub(variable, rate * value) and its like, the rate a constant number."""
    value = step.op.inputs[1]
    product = look.only_maker(step.inputs[1], step, "Mul") if value.dtype in _TYPES else None
    if product is None:
        return False
    for index in (0, 1):
        rate = _known_number(product.inputs[index], look)
        if rate is not None and product.op.inputs[1 - index]._dims == value._dims:
            factor = rate if step.op.type.startswith("AssignAdd") else -rate
            number = look.plan.constants[product.inputs[index]]
            plainly = _one_by_one(step, product, number, index)
            value = product.inputs[1 - index]
            if not (0 <= rate < 0.5 and _move(step, look, value, rate, plainly)):
                _change(step, look, value, factor, plainly)
            return True
    return False


def update(step: Step, look: Any) -> bool:
    """AssignAdd and AssignSub of what a single call adds."""
    return scaled_update(step, look) or quotient_update(step, look)


def quotient_update(step: Step, look: Any) -> bool:
    """AssignSub(variable, a / b) and its like, where `a` may be a multiple of a value."""
    value = step.op.inputs[1]
    quotient = look.only_maker(step.inputs[1], step, "RealDiv") if value.dtype in _TYPES else None
    if quotient is None or any(each._dims != value._dims for each in quotient.op.inputs):
        return False
    sign = 1.0 if step.op.type.startswith("AssignAdd") else -1.0
    above, below = quotient.inputs
    product = look.only_maker(above, step, "Mul") if step.device.torch_device == "cpu" else None
    at = None if product is None else _factor_at(product, value._dims)
    if product is None or at is None:
        step.kernel = _adding_quotient(sign, blaming(step), blaming(quotient))
        step.inputs = [step.inputs[0], above, below]
    else:
        one_by_one = blaming(step), blaming(quotient), blaming(product)
        step.kernel = _adding_scaled_quotient(sign, *one_by_one)
        step.inputs = [step.inputs[0], product.inputs[at], product.inputs[1 - at], below]
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Quotient")
    return True


def _factor_at(product: Step, dims: Any) -> int | None:
    """Return which input of a product is a single number, the other having its dimensions."""
    shapes = [each._dims for each in product.op.inputs]
    for index in (0, 1):
        if dims and shapes[index] == () and shapes[1 - index] == dims:
            return index
    return None


def _move(
    step: Step, look: Any, value: Any, rate: float, plainly: Callable[[Any, Any], Any]
) -> bool:
    """Let a step move its variable towards a value, if what it adds is rate * (value - variable).

    AssignSub says rate * (variable - value).
    """
    difference = look.only_maker(value, step, "Sub")
    if difference is None or any(
        each._dims != difference.op.outputs[0]._dims for each in difference.op.inputs
    ):
        return False
    own = 1 if step.op.type.startswith("AssignAdd") else 0
    read = look.maker(difference.inputs[own], step, "ReadVariableOp")
    if read is None or read.inputs[0] != step.inputs[0] or look.is_changed(read, step):
        return False
    subtract = blaming(difference)

    def move_towards(handle: Any, target: Any) -> Any:
        if is_own(handle.value) and handle.value.shape == target.shape:
            handle.value.lerp_(target, rate)
            return handle
        content = content_of(handle)
        return plainly(handle, subtract(target, content) if own else subtract(content, target))

    step.inputs, step.kernel = [step.inputs[0], difference.inputs[1 - own]], move_towards
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Moving")
    return True


def _one_by_one(step: Step, product: Step, number: Any, index: int) -> Callable[[Any, Any], Any]:
    """Return what multiplies first and changes the variable then."""
    update, multiply = blaming(step), blaming(product)

    def plainly(handle: Any, given: Any) -> Any:
        return update(handle, multiply(given, number) if index else multiply(number, given))

    return plainly


def descent(step: Step, look: Any) -> bool:
    """ApplyGradientDescent(variable, rate, value), the rate a constant number."""
    rate = _known_number(step.inputs[1], look) if step.op.inputs[2].dtype in _TYPES else None
    if rate is None:
        return False
    update, number = blaming(step), look.plan.constants[step.inputs[1]]

    def plainly(handle: Any, given: Any) -> Any:
        return update(handle, number, given)

    _change(step, look, step.inputs[2], -rate, plainly)
    return True


def _known_number(item: Any, look: Any) -> float | None:
    known = look.plan.constants.get(item) if type(item) is Ref else None
    if not isinstance(known, torch.Tensor) or not known.is_cpu or known.dim():
        return None
    return float(known.item())


def _change(
    step: Step, look: Any, value: Any, factor: float, plainly: Callable[[Any, Any], Any]
) -> None:
    """Let a step add `factor` times a value, or times the product that makes the value."""
    value = _fetched(value, look)
    product = look.only_maker(value, step, "MatMul")
    if product is None:
        step.inputs, step.kernel = [step.inputs[0], value], _adding(factor, plainly)
    else:
        step.inputs = [step.inputs[0], *product.inputs]
        step.kernel = _adding_product(factor, plainly, product)
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Scaled")


def _fetched(value: Any, look: Any) -> Any:
    """Return what is added: a copy that nothing else reads is read where its original is."""
    made = None if type(value) is not Ref or value.step < 0 else look.plan.every[value.step]
    if made is None or made.op is not None or look.count[value] != 1:
        return value
    (original,) = made.inputs
    return original if type(original) is Ref and is_within_reach(made) else value


def _adding(factor: float, plainly: Callable[[Any, Any], Any]) -> Any:
    def add_scaled(handle: Any, value: Any) -> Any:
        if is_own(handle.value) and handle.value.shape == value.shape:
            handle.value.add_(value, alpha=factor)
            return handle
        return plainly(handle, value)

    return add_scaled


def _adding_quotient(sign: float, change: Any, divide: Any) -> Any:
    def add_quotient(handle: Any, a: Any, b: Any) -> Any:
        if is_own(handle.value) and handle.value.shape == a.shape == b.shape:
            handle.value.addcdiv_(a, b, value=sign)
            return handle
        return change(handle, divide(a, b))

    return add_quotient


def _adding_scaled_quotient(sign: float, change: Any, divide: Any, multiply: Any) -> Any:
    def add_scaled_quotient(handle: Any, factor: Any, a: Any, b: Any) -> Any:
        if is_own(handle.value) and handle.value.shape == a.shape == b.shape:
            handle.value.addcdiv_(a, b, value=sign * factor.item())
            return handle
        return change(handle, divide(multiply(a, factor), b))

    return add_scaled_quotient


def _adding_product(factor: float, plainly: Callable[[Any, Any], Any], product: Step) -> Any:
    left, right = product.attrs["transpose_a"], product.attrs["transpose_b"]
    multiply = blaming(product)

    def add_scaled_product(handle: Any, a: Any, b: Any) -> Any:
        if is_own(handle.value):
            try:
                handle.value.addmm_(a.mT if left else a, b.mT if right else b, alpha=factor)
                return handle
            except RuntimeError:
                pass  # sizes that do not fit, told in other words below
        return plainly(handle, multiply(a, b))

    return add_scaled_product


RULES = {
    **dict.fromkeys(
        ("AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"), update
    ),
    **dict.fromkeys(("ApplyGradientDescent", "ResourceApplyGradientDescent"), descent),
}
