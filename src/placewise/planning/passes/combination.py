"""Neighbouring steps become one call where torch has one: the pass that goes through the rules.

A rule is found by the operation of a step. It looks at the steps whose results that step reads,
and may rewrite the step to read further back; what nobody reads any more is then left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from placewise.ops.values import to_numpy
from placewise.planning.passes.early_sums import sum_early
from placewise.planning.passes.in_place import KINDS, write_over
from placewise.planning.plan import Host, Plan, Read, Ref, Step, reads, ref_of
from placewise.planning.rules import (
    initial_values,
    known_arguments,
    matmul_bias,
    mean_gradients,
    variable_updates,
)

Rule = Callable[[Step, "PlanIndex"], bool]

RULES: Mapping[str, Rule] = {
    **matmul_bias.RULES,
    **variable_updates.RULES,
    **mean_gradients.RULES,
    **initial_values.RULES,
}
LATER: Mapping[str, Rule] = known_arguments.RULES  # what is left of those the rules look for

_ALL = frozenset(RULES) | frozenset(LATER) | KINDS | {"AddN"}
_FAR = 64  # a step is not moved over more than that


def lists_of_steps(plan: Plan) -> list[list[Step]]:
    """Return the steps of a plan and those of each part of a branch or loop in it."""
    nested = [part.steps for step in plan.every for part in getattr(step, "parts", ())]
    return [plan.steps, *nested]


class PlanIndex:
    """Who reads what in a plan, and where each step stands."""

    def __init__(self, plan: Plan, lists: list[list[Step]]) -> None:
        self.plan = plan
        self.place: dict[int, tuple[list[Step], int]] = {}
        read = [ref_of(each) for each in plan.fetches]
        for steps in lists:
            for position, step in enumerate(steps):
                self.place[step.number] = steps, position
                read += reads(step)
                for part in getattr(step, "parts", ()):
                    read += part.result_refs()
        self.count: Counter[Ref] = Counter(read)

    def maker(self, item: Any, step: Step, kind: str) -> Step | None:
        """Return the step of type `kind` that made a value `step` reads, if it stands beside it."""
        ref = ref_of(item)
        if ref.step < 0:
            return None
        made: Step = self.plan.every[ref.step]
        if made.op is None or made.op.type != kind or made.expression is not None:
            return None
        here = self.place.get(step.number)
        there = self.place.get(made.number)
        if here is None or there is None or here[0] is not there[0]:
            return None
        return made if made.device is step.device else None

    def only_maker(self, item: Any, step: Step, kind: str) -> Step | None:
        """Return the same, if nobody else reads the value and it can be made as late as `step`."""
        made = self.maker(item, step, kind)
        if made is None or self.count[ref_of(item)] != 1 or made.outputs != 1:
            return None
        return made if self._can_wait(made, step) else None

    def host(self, item: Any) -> Any:
        """Return the constant array that an argument read on the host is; None if it is not one."""
        known = self.plan.constants.get(item.ref) if type(item) is Host else None
        return None if known is None else to_numpy(known)

    def _can_wait(self, made: Step, step: Step) -> bool:
        """Return True if nothing between two steps changes what the first one reads."""
        if not any(type(item) is Read for item in made.inputs):
            return True
        steps, start = self.place[made.number]
        end = self.place[step.number][1]
        return end - start < _FAR and not any(
            each.op is not None and (each.op.declaration.stateful or each.op.blocks)
            for each in steps[start + 1 : end]
        )

    def is_changed(self, read: Step, step: Step) -> bool:
        """Return True if the variable that a step reads may be another by the time of `step`."""
        steps, start = self.place[read.number]
        end = self.place[step.number][1]
        return end - start > _FAR or any(
            each.op.blocks or (each.op.declaration.stateful and read.inputs[0] in reads(each))
            for each in steps[start + 1 : end]
            if each.op is not None
        )

    def forget(self, step: Step, before: list[Ref]) -> set[int]:
        """Take in that a step was rewritten; return the numbers of those not needed any more."""
        self.count.update(reads(step))
        waiting, gone = before, set()
        while waiting:
            ref = waiting.pop()
            self.count[ref] -= 1
            made = None if ref.step < 0 else self.plan.every[ref.step]
            if made is None or not self._is_idle(made):
                continue
            gone.add(made.number)
            waiting.extend(reads(made))
        return gone

    def _is_idle(self, step: Step) -> bool:
        if hasattr(step, "parts") or _acts(step):
            return False
        return not any(self.count[Ref(step.number, k)] for k in range(step.outputs))


def _acts(step: Step) -> bool:
    """Return True if a step does more than make what others read."""
    op = step.op
    return op is not None and bool(op.declaration.stateful) and op.type != "ReadVariableOp"


def _done_along(plan: Plan, left_out: set[int]) -> tuple[Any, ...]:
    """Return the operations of steps that another step now does."""
    steps = [plan.every[number] for number in sorted(left_out)]
    return tuple(op for step in steps if step.op is not None for op in (*step.fused, step.op))


def combine(plan: Plan) -> None:
    """Let torch do in one call what several steps of a plan do."""
    if not any(
        step.expression is None and step.op is not None and step.op.declaration.name in _ALL
        for step in plan.every
    ):
        return
    lists = lists_of_steps(plan)
    look = PlanIndex(plan, lists)
    gone: set[int] = set()
    for rules in (RULES, LATER):
        for steps in lists:
            for step in steps:
                rule = None if step.op is None else rules.get(step.op.declaration.name)
                if rule is None or step.expression is not None or step.number in gone:
                    continue
                before = reads(step)
                if rule(step, look):
                    left_out = look.forget(step, before)
                    step.fused += _done_along(plan, left_out)
                    gone |= left_out
    if gone:
        for steps in lists:
            steps[:] = [step for step in steps if step.number not in gone]
    write_over(plan, look, lists)
    sum_early(plan, look)
