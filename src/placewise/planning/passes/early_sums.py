"""Pass 10: sums of many large values begin as soon as two of them are computed.

The gradients of several towers are summed where the variables are. Added one by one as they come,
two of them live at a time instead of all. One on another device is copied when it is computed, and
can then be freed. Between devices that compute in the same memory it is read as it is added.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from placewise.core import dtypes
from placewise.planning.draft import Draft
from placewise.planning.ownership import is_within_reach
from placewise.planning.plan import Combined, Plan, Ref, Step
from placewise.planning.plan_index import PlanIndex

_TYPES = (dtypes.float32, dtypes.float64)
_LARGE_BYTES = 1 << 16  # below that, one call for all terms is quicker and memory does not matter


def sum_early(draft: Draft) -> None:
    """Let the large sums of a plan be added up while their terms are computed.

    Needs: final kernels (combine, write_in_place): a sum that is split into additions is no AddN to
    any other pass. Guarantees: each addition stands after both of its terms.
    """
    plan = draft.plan
    sums = [step for step in plan.steps if _is_large_sum(step)]
    if not sums:
        return
    positions = {step.number: position for position, step in enumerate(plan.steps)}
    moved: set[int] = set()  # numbers of copies that stand elsewhere now, or are gone
    following: dict[int, list[Step]] = {}  # position → the steps to put behind it
    for step in sums:
        ready = [_ready_at(plan, draft.index, positions, term) for term in step.inputs[0]]
        if all(position is not None for position in ready):
            _spread(plan, step, ready, moved, following)
    if not following:
        return
    steps: list[Step] = []
    for position, step in enumerate(plan.steps):
        if step.number not in moved:
            steps.append(step)
        steps.extend(following.get(position, ()))
    plan.steps[:] = steps


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
        # The first term is added into, so it must have the shape of the sum.
        and all(term._dims == dims and term.dtype is result.dtype for term in terms)
    )


def _ready_at(plan: Plan, index: PlanIndex, positions: dict[int, int], term: Any) -> int | None:
    """Return behind which step a term can be added; None if others use it, or share its memory."""
    if type(term) is not Ref or term.step not in positions or index.count[term] != 1:
        return None
    producer = plan.every[term.step]
    if producer.op is not None:
        is_own = producer.op.declaration.makes_memory and producer.combined is None
        return positions[term.step] if is_own else None
    (original,) = producer.inputs
    if producer.source is None or type(original) is not Ref:
        return None  # the copy of a variable's content, which must be read when it is its turn
    return positions.get(original.step)


def _spread(
    plan: Plan,
    step: Step,
    ready: list[Any],
    moved: set[int],
    following: dict[int, list[Step]],
) -> None:
    """Put each addition behind the later one of its two terms; the last one is the sum itself."""
    terms = [*step.inputs[0]]
    for index, (term, position) in enumerate(zip(terms, ready, strict=True)):
        copy = plan.every[term.step]
        if copy.op is None:
            moved.add(copy.number)
            # The first term is written over, so it has to be a copy even within reach.
            if index and is_within_reach(copy):
                terms[index] = copy.inputs[0]
            else:
                following.setdefault(position, []).append(copy)
    total, position = terms[0], ready[0]
    for term, when in zip(terms[1:], ready[1:], strict=True):
        position = max(position, when)
        if term is terms[-1]:
            addition = step  # readers know the sum by its number, so that step stays where it is
        else:
            number = len(plan.every)
            addition = Step(number, step.op, None, [], {}, step.device, 1)
            plan.every.append(addition)
            following.setdefault(position, []).append(addition)
        addition.kernel, addition.combined = _add_into, Combined("AddInto")
        addition.inputs, addition.attrs = [total, term], {}
        total = Ref(addition.number)


def _add_into(total: torch.Tensor, term: torch.Tensor) -> torch.Tensor:
    # What a forecast assumes of a GPU's tensor is one number, which stands for all elements.
    return total + term if 0 in total.stride() else total.add_(term)
