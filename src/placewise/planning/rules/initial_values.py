"""A variable that begins with a large constant: its content is made anew, and is its own.

If a plan kept the constant as a content, variable and plan would share it until the first update,
which then needs a second copy while the plan holds on to the first. The graph has the numbers.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.ops import graph_only
from placewise.ops.values import from_numpy
from placewise.planning.plan import Combined, Ref, Step, blaming

_LARGE_BYTES = 1 << 14


def begin(step: Step, look: Any) -> bool:
    """Assign(variable, constant), where nothing else reads the constant."""
    item, device = step.inputs[1], step.device
    if type(item) is not Ref or item.step != -2 or look.count[item] != 1:
        return False
    known = look.plan.constants.get(item)
    if device.account is not None or device.torch_device != "cpu" or item in look.plan.handles:
        return False
    if not isinstance(known, torch.Tensor) or known.nbytes < _LARGE_BYTES:
        return False
    tensor = step.op.inputs[1]
    while tensor.op.declaration.result == "input":
        tensor = tensor.op.inputs[tensor.value_index]
    if tensor.op.declaration is not graph_only.const.op:
        return False
    array, assign = tensor.op.attrs["value"], blaming(step)

    def begin_with(handle: Any) -> Any:
        return assign(handle, from_numpy(array))

    step.kernel, step.combined = begin_with, Combined(f"{step.op.type}Constant")
    step.inputs, step.attrs = step.inputs[:1], {}
    del look.plan.constants[item]
    return True


RULES = {"Assign": begin, "AssignVariableOp": begin}
