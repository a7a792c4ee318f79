"""Pass 8: neighbouring steps become one call where torch has one. Goes through the rules.

A rule is found by the operation of a step. It looks at the steps whose results that step reads,
and may rewrite the step to read further back; what nobody reads any more is then left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placewise.planning.draft import Draft
from placewise.planning.plan import Plan, Step, reads
from placewise.planning.plan_index import PlanIndex
from placewise.planning.rules import (
    initial_values,
    known_arguments,
    matmul_bias,
    mean_gradients,
    variable_updates,
)

Rule = Callable[[Step, PlanIndex], bool]  # returns whether it has rewritten the step

RULES: Mapping[str, Rule] = {
    **matmul_bias.RULES,
    **variable_updates.RULES,
    **mean_gradients.RULES,
    **initial_values.RULES,
}
# These rewrite steps that the rules above look for, so they take what is left of them.
LATER_RULES: Mapping[str, Rule] = known_arguments.RULES
_ALL_KINDS = frozenset(RULES) | frozenset(LATER_RULES)


def combine(draft: Draft) -> None:
    """Let torch do in one call what several steps of a plan do.

    Needs: all steps and the fetches, which count as readers (lower, define_fetches). Guarantees: no
    step is left in the plan that nobody reads because of a rule.
    """
    plan = draft.plan
    if draft.exchange is not None and draft.exchange.is_simple:
        return
    if not any(
        step.expression is None and step.op is not None and step.op.declaration.name in _ALL_KINDS
        for step in plan.every
    ):
        return  # before the index is made, which costs as much as the rest
    index = draft.index
    gone: set[int] = set()
    for rules in (RULES, LATER_RULES):
        for steps in index.lists:
            for step in steps:
                rule = None if step.op is None else rules.get(step.op.declaration.name)
                if rule is None or step.expression is not None or step.number in gone:
                    continue
                before = reads(step)
                if rule(step, index):
                    left_out = index.forget(step, before)
                    step.fused += _operations_of(plan, left_out)
                    gone |= left_out
    if gone:
        for steps in index.lists:
            steps[:] = [step for step in steps if step.number not in gone]


def _operations_of(plan: Plan, left_out: set[int]) -> tuple[Any, ...]:
    """Return the operations of steps that another step now does: records still name them."""
    steps = [plan.every[number] for number in sorted(left_out)]
    return tuple(op for step in steps if step.op is not None for op in (*step.fused, step.op))
