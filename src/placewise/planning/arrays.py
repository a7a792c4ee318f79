"""A few small operations on what is fed: done on the fed arrays themselves.

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
from placewise.planning import branches_scalars as scalars
from placewise.planning.plan import Plan, Ref, Step

_MOST = 8  # steps; small_values sees to longer ones
_ELSEWHERE = ("AddN", "Sqrt")  # torch's root of many numbers may differ in the last digit


def on_arrays(plan: Plan) -> Callable[..., Any] | None:
    """Return a function of the fed arrays that gives the one fetched; None if there is none.

    What it gives is new memory. If it raises, the plan itself tells what is wrong.
    """
    if not 0 < len(plan.steps) <= _MOST or len(plan.fetches) != 1:
        return None
    fetched = plan.fetches[0]
    if type(fetched) is not Ref or fetched.step < 0 or not all(map(_is_simple, plan.steps)):
        return None
    space: dict[str, Any] = dict(scalars.NAMES)
    lines = [f"def run({', '.join(f'f{i}' for i in range(len(plan.feeds)))}):"]
    for step in plan.steps:
        names = [_name(plan, ref, space) for ref in step.inputs]
        if None in names:
            return None
        told = scalars.expression_of(step.op).format(*names)
        lines.append(f"    v{step.number} = {told}")
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
        and scalars.is_expression(op)
        and all(map(scalars.is_small, (*op.inputs, *op.outputs)))
    )


def _name(plan: Plan, ref: Ref, space: dict[str, Any]) -> str | None:
    if ref.step == -1:
        return f"f{ref.output}"
    if ref.step >= 0:
        return f"v{ref.step}"
    known = plan.constants.get(ref)
    if ref in plan.handles or not isinstance(known, torch.Tensor):
        return None
    space[f"c{ref.output}"] = to_numpy(known)[()]
    return f"c{ref.output}"
