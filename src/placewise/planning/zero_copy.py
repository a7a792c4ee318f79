"""What passes between a plan and its caller without a copy: values only looked at, fresh results.

A fed value may be lent if every operation that reads it, or a view of it, makes memory of its own
and keeps nothing: then, after the run, no state shares the caller's memory. A fetched one may be
given away if it was made in memory of its own and all others only look at it.
"""

from __future__ import annotations

from placewise.ops.fresh import FRESH
from placewise.planning.ownership import VIEWS
from placewise.planning.plan import Plan, Ref, Step, reads


def lendable(plan: Plan) -> tuple[bool, ...]:
    """Return, for each feed, whether it may be lent; the plan's lifetimes must be set."""
    kept: set[int] = set()
    sharing: dict[Ref, set[int]] = {Ref(-1, index): {index} for index in range(len(plan.feeds))}
    for step in plan.steps:
        if len(kept) == len(plan.feeds):
            break
        for ref in _reads(step):
            owners = sharing.get(ref)
            if owners is None or _only_looks(step):
                continue
            if step.op is None or step.op.type not in VIEWS:
                kept |= owners
            else:
                for index in range(step.outputs):
                    sharing.setdefault(Ref(step.number, index), set()).update(owners)
    return tuple(index not in kept for index in range(len(plan.feeds)))


def given_away(plan: Plan) -> tuple[bool, ...]:
    """Return, for each fetch, whether nothing else shares its memory once the plan has run."""
    refs = [each for each in plan.fetches if type(each) is Ref and each.step >= 0]
    alone = {ref for ref in refs if refs.count(ref) == 1 and _only_looks(plan.every[ref.step])}
    for step in plan.steps if alone else ():
        if not _only_looks(step):
            alone.difference_update(_reads(step))
    return tuple(type(each) is Ref and each in alone for each in plan.fetches)


def _only_looks(step: Step) -> bool:
    if step.expression is not None:
        return False
    return step.source is not None if step.op is None else step.op.type in FRESH


def _reads(step: Step) -> list[Ref]:
    found = reads(step)
    for part in getattr(step, "parts", ()):
        found.extend(part.uses)
    return found
