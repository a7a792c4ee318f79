"""Plans of a few small operations as functions of the fed arrays, without torch.

To make tensors of two numbers, add them and make an array of the result takes torch three
microseconds and NumPy a third of one. Only for plans all of which can be written so, and only
operations that round alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.ops.values import to_numpy
from placewise.planning.plan import Plan, Ref, Step
from placewise.planning.scalars import expressions

_MAX_STEPS = 8  # `scalars.chains` sees to longer ones
_ELSEWHERE = ("AddN", "Sqrt")  # torch's root of many numbers may differ in the last digit


def on_arrays(plan: Plan) -> Callable[..., Any] | None:
    """Return a function of the fed arrays that returns the one fetched; None if there is none.

    Its result is new memory. If it raises, the caller runs the plan itself for TensorFlow's error.
    """
    if not 0 < len(plan.steps) <= _MAX_STEPS or len(plan.fetches) != 1:
        return None
    fetched = plan.fetches[0]
    if type(fetched) is not Ref or fetched.step < 0 or not all(map(_is_simple, plan.steps)):
        return None
    space: dict[str, Any] = dict(expressions.NAMES)
    lines = [f"def run({', '.join(f'f{i}' for i in range(len(plan.feeds)))}):"]
    for step in plan.steps:
        names = [_name(plan, ref, space) for ref in step.inputs]
        if None in names:
            return None
        expression = expressions.expression_of(step.op).format(*names)
        lines.append(f"    v{step.number} = {expression}")
    lines.append(f"    return v{fetched.step}")
    exec(compile("\n".join(lines), "<placewise arrays>", "exec"), space)
    run: Callable[..., Any] = np.errstate(all="ignore")(space.pop("run"))
    return run


def _is_simple(step: Step) -> bool:
    op = step.op
    if op is None or step.combined is not None or step.expression is not None:
        return False
    return (
        step.device.is_host
        and len(step.inputs) == len(op.inputs)
        and all(type(item) is Ref for item in step.inputs)
        and op.type not in _ELSEWHERE
        and expressions.is_expression(op)
        and all(map(expressions.is_small, (*op.inputs, *op.outputs)))
    )


def _name(plan: Plan, ref: Ref, space: dict[str, Any]) -> str | None:
    if ref.step == -1:
        return f"f{ref.output}"
    if ref.step >= 0:
        return f"v{ref.step}"
    content = plan.constants.get(ref)
    if ref in plan.handles or not isinstance(content, torch.Tensor):
        return None
    space[f"c{ref.output}"] = to_numpy(content)[()]
    return f"c{ref.output}"
