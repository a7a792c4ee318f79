"""Neighbouring updates of variables as one call: torch then goes from one to the next by itself.

A call from Python for each of many small variables takes longer than the updates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from placewise.core import dtypes
from placewise.ops.state.resource import VariableLocks, is_own
from placewise.planning.plan import Ref, Step, blaming, ref_of
from placewise.planning.rules.variable_updates import ScaledAddition

_FEWEST = 4  # updates that are worth a list

Calls = Sequence[tuple[Any, ...]]


def groups(steps: list[Step]) -> dict[int, list[Step]]:
    """Return neighbouring updates of different variables by the number of their first step."""
    found: dict[int, list[Step]] = {}
    group: list[Step] = []
    kind: Any = None
    variables: set[Ref] = set()
    for step in [*steps, None]:
        its_kind = None if step is None else _kind(step)
        own = set() if step is None or its_kind is None else _variables(step)
        if its_kind != kind or variables & own:
            if len(group) >= _FEWEST:
                found[group[0].number] = group
            group, kind, variables = [], its_kind, set()
        if step is not None and its_kind is not None:
            group.append(step)
            variables |= own
    return found


def _kind(step: Step) -> Any:
    """Return what updates on the host have in common that can be one; None for other steps."""
    device = step.device
    if type(step) is not Step or step.op is None or step.outputs or device.account is not None:
        return None
    if device.torch_device != "cpu":
        return None
    if type(step.kernel) is ScaledAddition:
        return device, step.kernel.factor
    if step.combined is not None or step.op.declaration.together is None:
        return None
    return device, step.op.type, str(step.attrs)


def _variables(step: Step) -> set[Ref]:
    """Return the variables that a step updates, and their slots."""
    count = sum(tensor.dtype is dtypes.resource for tensor in step.op.inputs)
    return set(map(ref_of, step.inputs[:count]))


def together(steps: list[Step]) -> Callable[[Calls], None]:
    """Return a function of the arguments of the steps that does what their kernels do."""
    first = steps[0]
    at_once = _additions(first.kernel.factor) if first.combined else first.op.declaration.together
    attrs, one_by_one = first.attrs, list(map(blaming, steps))

    def update(calls: Calls) -> None:
        if not at_once(calls, attrs):
            for kernel, values in zip(one_by_one, calls, strict=True):
                kernel(*values)

    return update


def _additions(factor: float) -> Callable[[Calls, dict[str, Any]], bool]:
    def add(calls: Calls, attrs: dict[str, Any]) -> bool:
        with VariableLocks([handle for handle, _ in calls]):
            for handle, value in calls:
                if not is_own(handle.value) or handle.value.shape != value.shape:
                    return False
            contents = [handle.value for handle, _ in calls]
            torch._foreach_add_(contents, [value for _, value in calls], alpha=factor)
        return True

    return add
