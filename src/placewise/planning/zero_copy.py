"""Which values pass between a plan and its caller without a copy.

A fed array may be used as it is if every operation that reads it, or a view of it, computes into
memory of its own and keeps nothing: then, after the run, no state shares the caller's memory. A
fetched value may be returned as it is if it was computed into memory of its own and nothing else
keeps that.
"""

from __future__ import annotations

from placewise.planning.plan import FED, Plan, Ref, Step, reads


def uncopied_feeds(plan: Plan) -> tuple[bool, ...]:
    """Return, for each feed, whether it need not be copied; the plan's lifetimes must be set."""
    kept: set[int] = set()  # feeds whose memory something may still use after the run
    sharing: dict[Ref, set[int]] = {Ref(FED, index): {index} for index in range(len(plan.feeds))}
    for step in plan.steps:
        if len(kept) == len(plan.feeds):
            break
        for ref in _reads(step):
            feeds = sharing.get(ref)
            if feeds is None or _makes_memory(step):
                continue
            if step.op is None or not step.op.declaration.makes_views:
                kept |= feeds  # an assignment, a queue, a branch: who knows
            else:
                for index in range(step.outputs):
                    sharing.setdefault(Ref(step.number, index), set()).update(feeds)
    return tuple(index not in kept for index in range(len(plan.feeds)))


def uncopied_fetches(plan: Plan) -> tuple[bool, ...]:
    """Return, for each fetch, whether nothing else shares its memory once the plan has run."""
    refs = [item for item in plan.fetches if type(item) is Ref and item.step >= 0]
    # Fetched twice, two arrays would be one: who sets an element of the first would set both.
    alone = {ref for ref in refs if refs.count(ref) == 1 and _makes_memory(plan.every[ref.step])}
    for step in plan.steps if alone else ():
        if not _makes_memory(step):
            alone.difference_update(_reads(step))
    return tuple(type(item) is Ref and item in alone for item in plan.fetches)


def _makes_memory(step: Step) -> bool:
    """Return True if a step computes into memory of its own and keeps nothing that it reads."""
    if step.expression is not None:
        return False
    return step.source is not None if step.op is None else step.op.declaration.makes_memory


def _reads(step: Step) -> list[Ref]:
    refs = reads(step)
    for part in getattr(step, "parts", ()):
        refs.extend(part.uses)
    return refs
