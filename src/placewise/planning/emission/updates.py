"""Neighbouring updates of variables as one call: torch then goes from one to the next by itself.

A call from Python for each of many small variables takes longer than the updates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch

from placewise.ops.state.resource import locked, own_content
from placewise.planning.plan import Ref, Step
from placewise.planning.rules.variable_updates import ScaledAddition, has_shape

if TYPE_CHECKING:
    from placewise.ops.values import Handle

_FEWEST = 4  # updates that are worth a list


def groups(steps: list[Step]) -> dict[int, list[Step]]:
    """Return neighbouring updates of different variables by the number of their first step."""
    found: dict[int, list[Step]] = {}
    group: list[Step] = []
    for step in [*steps, None]:
        if step is not None and _is_update(step) and (not group or _is_alike(step, group)):
            group.append(step)
            continue
        if len(group) >= _FEWEST:
            found[group[0].number] = group
        group = [step] if step is not None and _is_update(step) else []
    return found


def _is_update(step: Step) -> bool:
    """Return whether a step adds to a variable on the host, and nobody reads what comes of it."""
    is_addition = type(step.kernel) is ScaledAddition and not step.outputs
    return is_addition and step.device.torch_device == "cpu" and type(step.inputs[0]) is Ref


def _is_alike(step: Step, group: list[Step]) -> bool:
    first = group[0]
    is_same = step.kernel.factor == first.kernel.factor and step.device is first.device
    return is_same and all(step.inputs[0] != other.inputs[0] for other in group)


def together(steps: list[Step]) -> Callable[[Sequence[Handle], tuple[torch.Tensor, ...]], None]:
    """Return a function of variables and values that does what the kernels of the steps do."""
    kernels: list[ScaledAddition] = [step.kernel for step in steps]
    factor = kernels[0].factor

    def add_all(handles: Sequence[Handle], values: tuple[torch.Tensor, ...]) -> None:
        if all(map(_fits, handles, values)):
            with locked(handles):
                contents = [
                    own_content(handle, kernel.name)
                    for handle, kernel in zip(handles, kernels, strict=True)
                ]
                torch._foreach_add_(contents, values, alpha=factor)
            return
        for kernel, handle, value in zip(kernels, handles, values, strict=True):
            kernel(handle, value)

    return add_all


def _fits(handle: Handle, value: torch.Tensor) -> bool:
    return has_shape(handle, value.shape)
