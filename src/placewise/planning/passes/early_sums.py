"""Pass 9: sums of many large values begin as soon as two of them are computed.

The gradients of several towers are summed where the variables are. Added up one by one as they
come, two of them live at a time instead of all; one on another device is fetched when it is there,
and can then go. Between devices that compute on the same memory it is read as it is added.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from placewise.core import dtypes
from placewise.ops.fresh import FRESH
from placewise.planning.draft import Draft
from placewise.planning.ownership import is_within_reach
from placewise.planning.plan import Combined, Plan, Ref, Step

_TYPES = (dtypes.float32, dtypes.float64)
_LARGE_BYTES = 1 << 16


def sum_early(draft: Draft) -> None:
    """Let the large sums of a plan be added up while their terms are computed.

    Needs: final kernels (combine, write_in_place): a sum that is split into additions is no AddN to
    any other pass. Guarantees: each addition stands after both of its terms.
    """
    plan = draft.plan
    sums = [step for step in plan.steps if _is_large_sum(step)]
    if not sums:
        return
    look = draft.index
    place = {step.number: position for position, step in enumerate(plan.steps)}
    moved: dict[int, Step] = {}
    after: dict[int, list[Step]] = {}  # position → what is put behind it
    for step in sums:
        ready = [_ready(plan, look, place, term) for term in step.inputs[0]]
        if all(each is not None for each in ready):
            _spread(plan, step, ready, moved, after)
    if not after:
        return
    found: list[Step] = []
    for position, step in enumerate(plan.steps):
        if step.number not in moved:
            found.append(step)
        found.extend(after.get(position, ()))
    plan.steps[:] = found


def _is_large_sum(step: Step) -> bool:
    if step.op is None or step.expression is not None or step.op.type != "AddN":
        return False
    terms, result = step.op.inputs, step.op.outputs[0]
    dims = result._dims
    return (
        len(terms) > 2
        and result.dtype in _TYPES
        and dims is not None
        and None not in dims
        and math.prod(dims) * result.dtype.size >= _LARGE_BYTES
        and all(each._dims == dims and each.dtype is result.dtype for each in terms)
    )


def _ready(plan: Plan, look: Any, place: dict[int, int], term: Any) -> int | None:
    """Return behind which step a term can be added; None if others use it, or share its memory."""
    if type(term) is not Ref or term.step not in place or look.count[term] != 1:
        return None
    made = plan.every[term.step]
    if made.op is not None:
        is_own = made.op.type in FRESH and made.combined is None
        return place[term.step] if is_own else None
    (original,) = made.inputs
    if made.source is None or type(original) is not Ref:
        return None  # a variable is read when it is its turn
    return place.get(original.step)


def _spread(
    plan: Plan, step: Step, ready: list[Any], moved: dict[int, Step], after: dict[int, list[Step]]
) -> None:
    """Put each addition behind the later one of its two terms; the last one is the sum itself."""
    terms = [*step.inputs[0]]
    for index, (term, position) in enumerate(zip(terms, ready, strict=True)):
        made = plan.every[term.step]
        if made.op is None:
            moved[made.number] = made
            if index and is_within_reach(made):
                terms[index] = made.inputs[0]
            else:
                after.setdefault(position, []).append(made)
    so_far, position = terms[0], ready[0]
    for term, when in zip(terms[1:], ready[1:], strict=True):
        position = max(position, when)
        if term is terms[-1]:
            adding = step
        else:
            number = len(plan.every)
            adding = Step(number, step.op, None, [], {}, step.device, 1)
            plan.every.append(adding)
            after.setdefault(position, []).append(adding)
        adding.kernel, adding.combined = torch.Tensor.add_, Combined("AddInto")
        adding.inputs, adding.attrs = [so_far, term], {}
        so_far = Ref(adding.number)
