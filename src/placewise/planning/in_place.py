"""Results written over an input that nobody reads afterwards: less memory, and less of it touched.

Only over a value that a step beside made in memory of its own, that this step alone reads, and that
has the shape and dtype of the result.
"""

from __future__ import annotations

from typing import Any

import torch

from placewise.core import dtypes
from placewise.planning.ownership import FRESH
from placewise.planning.plan import Plan, Ref, Step

_TYPES = (dtypes.float32, dtypes.float64)

# The kernel of an operation → the one that writes over its first input.
_OVER_FIRST: dict[Any, Any] = {
    torch.relu: torch.relu_,
    torch.tanh: torch.tanh_,
    torch.sigmoid: torch.sigmoid_,
    torch.exp: torch.exp_,
    torch.neg: torch.neg_,
    torch.sqrt: torch.sqrt_,
    torch.add: torch.Tensor.add_,
    torch.sub: torch.Tensor.sub_,
    torch.mul: torch.Tensor.mul_,
}
# Those whose inputs may change places.
_EITHER = (torch.add, torch.mul)


def write_over(plan: Plan, look: Any, lists: list[list[Step]]) -> None:
    """Let steps write over what they are the last to read."""
    for steps in lists:
        for step in steps:
            over = _OVER_FIRST.get(step.kernel) if step.op is not None else None
            if over is None or step.expression is not None or step.attrs:
                continue
            if _may_write(plan, look, step, 0):
                step.kernel = over
            elif step.kernel in _EITHER and _may_write(plan, look, step, 1):
                step.kernel = over
                step.inputs.reverse()


def _may_write(plan: Plan, look: Any, step: Step, index: int) -> bool:
    ref = step.inputs[index]
    if type(ref) is not Ref or ref.step < 0 or look.count[ref] != 1:
        return False
    made = plan.every[ref.step]
    if made.op is None or made.op.type not in FRESH or made.expression is not None:
        return False
    given, result = step.op.inputs[index], step.op.outputs[0]
    if result.dtype not in _TYPES or given.dtype is not result.dtype:
        return False
    if len(step.inputs) > 1 and (result._dims is None or None in result._dims
                                 or given._dims != result._dims):  # fmt: skip
        return False
    return bool(look.place[made.number][0] is look.place[step.number][0])
