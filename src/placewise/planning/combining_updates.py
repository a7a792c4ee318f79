"""A variable changed by a multiple of a value: scaled, or even multiplied out, while it is added.

SGD writes w - rate * (aᵀ @ b). Where the variable alone holds its content, torch adds the product
to it as it is computed, and the gradient is never made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.core import dtypes
from placewise.ops.state.resource import is_own
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
            _change(step, look, product.inputs[1 - index], factor, plainly)
            return True
    return False


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
    product = look.only_maker(value, step, "MatMul")
    if product is None:
        step.inputs, step.kernel = [step.inputs[0], value], _adding(factor, plainly)
    else:
        step.inputs = [step.inputs[0], *product.inputs]
        step.kernel = _adding_product(factor, plainly, product)
    step.attrs, step.combined = {}, Combined(f"{step.op.type}Scaled")


def _adding(factor: float, plainly: Callable[[Any, Any], Any]) -> Any:
    def add_scaled(handle: Any, value: Any) -> Any:
        if is_own(handle.value) and handle.value.shape == value.shape:
            handle.value.add_(value, alpha=factor)
            return handle
        return plainly(handle, value)

    return add_scaled


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
    **dict.fromkeys(("AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"),
                    scaled_update),
    **dict.fromkeys(("ApplyGradientDescent", "ResourceApplyGradientDescent"), descent),
}  # fmt: skip
