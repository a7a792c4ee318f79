"""Pass 11: each step frees what nobody reads after it."""

from __future__ import annotations

from placewise.planning.draft import Draft
from placewise.planning.plan import (
    CONSTANT,
    Choice,
    Loop,
    Part,
    Ref,
    Step,
    outputs_of,
    reads,
    ref_of,
)


def set_lifetimes(draft: Draft) -> None:
    """Fill `Step.frees`, `Part.uses` and `Part.drops`.

    Needs: the final steps in their final order; any later change of a step would free too early.
    Guarantees: each value but constants is freed once, after its last reader, in the block that
    computes it.
    """
    plan = draft.plan
    _free(plan.steps, {ref_of(item) for item in plan.fetches}, None)


def _read_by(step: Step) -> list[Ref]:
    refs = reads(step)
    if isinstance(step, (Choice, Loop)):
        for part in step.parts:
            part.uses = _free(part.steps, set(part.result_refs()), part)
            refs.extend(part.uses)
    return refs


def _free(steps: list[Step], kept: set[Ref], part: Part | None) -> set[Ref]:
    """Free values after their last use, inside a part only its own; return what it reads.

    A part must not free a value from outside: a loop reads it in the next iteration again, and the
    other branch would have to free it as well. The step that owns the part frees it.
    """
    own = set() if part is None else {ref for step in steps for ref in outputs_of(step)}
    later = set(kept)  # what is read after the step at hand; the walk is from the end
    for step in reversed(steps):
        frees: list[Ref] = []
        for ref in _read_by(step):
            if ref not in later:
                later.add(ref)
                if ref.step != CONSTANT and (part is None or ref in own):
                    frees.append(ref)
        # Results that nobody reads go at once. Nearly all steps have one result: no list for those.
        if type(step) is not Step or step.outputs != 1:
            frees += [ref for ref in outputs_of(step) if ref not in later]
        elif (step.number, 0) not in later:
            frees.append(Ref(step.number))
        if frees:
            step.frees = sorted(frees) if len(frees) > 1 else frees
    if part is not None:
        # What a part ends with is also known by the name of the owner's output by then.
        part.drops = sorted(own & kept)
    return later - own
