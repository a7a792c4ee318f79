"""Whether a plan is a training step: it changes a trainable variable, and does not just set it."""

from __future__ import annotations

from typing import Any

from placewise.graph.collections import GraphKeys
from placewise.ops.values import Handle
from placewise.planning.plan import Plan, Ref, Step, reads, ref_of


def is_training_step(plan: Plan, handles: dict[Ref, Any]) -> bool:
    """Return whether a run of the plan updates a trainable variable from what it was.

    `handles` are the session's state for `plan.handles`. A plan that only sets variables (one that
    initializes or restores them) is no step, nor is one that changes metrics or counters only.
    """
    updated: set[Ref] = set()
    assigned: set[Ref] = set()
    read: set[Ref] = set()
    for step in plan.every:
        refs = reads(step)
        target = _target(step)
        if target is not None:
            (assigned if step.op.declaration.assigns else updated).add(target)
            refs = refs[1:]
        read.update(refs)
    names: set[str] | None = None
    for ref in updated | (assigned & read):
        handle = handles.get(ref, plan.constants.get(ref))
        named = getattr(handle, "named", None) if type(handle) is Handle else None
        if named is None:
            continue
        if named.trainable is None and names is None:
            names = _trainable_names(plan)
        if named.trainable or (named.trainable is None and named.name in (names or ())):
            return True
    return False


def _target(step: Step) -> Ref | None:
    """Return the handle that a step changes; None if it changes none."""
    op = step.op
    if op is None or not step.inputs or type(step.inputs[0]) is list:
        return None
    declared = op.declaration
    if not declared.stateful or declared.effects == "reads":
        return None
    return ref_of(step.inputs[0])


def _trainable_names(plan: Plan) -> set[str]:
    """Return the names of a graph's trainable variables, as TensorFlow 1 keeps them."""
    graphs = {id(step.op.graph): step.op.graph for step in plan.every if step.op is not None}
    return {
        variable.name.partition(":")[0]
        for graph in graphs.values()
        if hasattr(graph, "get_collection")
        for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    }
