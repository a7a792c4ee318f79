"""Pass 7: steps whose results nobody reads are left out.

A gradient asks for the shape of a tensor, which is known: then the tensor, for which the graph was
searched, is not needed after all. TensorFlow's optimizer leaves such operations out as well.
"""

from __future__ import annotations

from placewise.graph.operation import Operation
from placewise.planning.draft import Draft
from placewise.planning.plan import Choice, Loop, Ref, Step, outputs_of, reads, ref_of


def drop_unread(draft: Draft) -> None:
    """Leave steps out that compute for nobody.

    Needs: all steps and the fetches, which count as readers (lower, define_fetches). Guarantees: no
    step is left out that does more than compute, or that the caller or another operation asks to
    be run.
    """
    if draft.exchange is not None:
        return  # another task may read it
    asked = {id(item) for item in draft.fetches if isinstance(item, Operation)}
    asked.update(id(before) for op in draft.operations for before in op.control)
    read = {ref_of(item) for item in draft.plan.fetches}
    _drop(draft.plan.steps, read, asked)


def _drop(steps: list[Step], read: set[Ref], asked: set[int]) -> None:
    """Leave steps out of a list; `read` becomes what those that stay read, too."""
    gone: set[int] = set()
    for step in reversed(steps):
        if _only_computes(step) and id(step.op) not in asked and read.isdisjoint(outputs_of(step)):
            gone.add(step.number)
            continue
        read.update(reads(step))
        if isinstance(step, (Choice, Loop)):
            for part in step.parts:
                read.update(part.result_refs())
                _drop(part.steps, read, asked)
    if gone:
        steps[:] = [step for step in steps if step.number not in gone]


def _only_computes(step: Step) -> bool:
    """Return whether a step computes and does nothing else.

    Checks of values, which do more, state nothing of their results.
    """
    if type(step) is not Step or step.op is None or step.expression is not None:
        return False
    declaration = step.op.declaration
    return declaration.result != "any" and not declaration.stateful and not step.op.blocks
