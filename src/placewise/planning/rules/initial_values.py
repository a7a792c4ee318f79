"""A variable that is initialised with a large constant gets a content of its own.

If the plan kept the constant as a tensor, variable and plan would share it until the first update.
That would then need a second copy, while the plan holds the first one for good. The graph has the
numbers as an array anyway.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.ops import graph_only
from placewise.ops.values import from_numpy
from placewise.planning.plan import Combined, Ref, Step, blaming
from placewise.planning.plan_index import PlanIndex

_LARGE_BYTES = 1 << 14


def begin(step: Step, index: PlanIndex) -> bool:
    """Assign(variable, constant), where nothing else reads the constant."""
    item, device = step.inputs[1], step.device
    if type(item) is not Ref or item.step != -2 or index.count[item] != 1:
        return False
    known = index.plan.constants.get(item)
    # Where memory is counted, the constant counts as well.
    if device.account is not None or device.torch_device != "cpu" or item in index.plan.handles:
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
    del index.plan.constants[item]  # nothing else reads it
    return True


RULES = {"Assign": begin, "AssignVariableOp": begin}
