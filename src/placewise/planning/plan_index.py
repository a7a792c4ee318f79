"""Who reads each value of a plan, and where each step stands: what the rules look up.

`forget` keeps the counts up to date. Positions are exact until the combination pass takes steps out
of the lists. From then on only the list that a step stands in may be used.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from placewise.ops.values import to_numpy
from placewise.planning.plan import Host, Plan, Read, Ref, Step, reads, ref_of

_MAX_DISTANCE = 64  # steps between two that a rule joins: looking further would be quadratic


class PlanIndex:
    """Who reads what in a plan, and where each step stands."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.lists = plan.lists_of_steps()
        self.place: dict[int, tuple[list[Step], int]] = {}  # step number → its list and position
        read = [ref_of(item) for item in plan.fetches]
        for steps in self.lists:
            for position, step in enumerate(steps):
                self.place[step.number] = steps, position
                read += reads(step)
                for part in getattr(step, "parts", ()):
                    read += part.result_refs()
        self.count: Counter[Ref] = Counter(read)  # how many times each value is read

    def maker(self, item: Any, step: Step, kind: str) -> Step | None:
        """Return the step of type `kind` that made a value `step` reads, if it stands beside it.

        Beside means in the same list of steps, on the same device. A value from outside of a loop
        must not be computed again in each iteration.
        """
        ref = ref_of(item)
        if ref.step < 0:
            return None
        producer: Step = self.plan.every[ref.step]
        if producer.op is None or producer.op.type != kind or producer.expression is not None:
            return None
        here = self.place.get(step.number)
        there = self.place.get(producer.number)
        if here is None or there is None or here[0] is not there[0]:
            return None
        return producer if producer.device is step.device else None

    def only_maker(self, item: Any, step: Step, kind: str) -> Step | None:
        """Return the same, if nobody else reads the value and it can be made as late as `step`."""
        producer = self.maker(item, step, kind)
        if producer is None or self.count[ref_of(item)] != 1 or producer.outputs != 1:
            return None
        return producer if self._can_wait(producer, step) else None

    def host(self, item: Any) -> Any:
        """Return the constant array that an argument read on the host is; None if it is not one."""
        content = self.plan.constants.get(item.ref) if type(item) is Host else None
        return None if content is None else to_numpy(content)

    def _can_wait(self, producer: Step, step: Step) -> bool:
        """Return True if nothing between two steps changes what the first one reads."""
        # Only a variable's content (Read) can change in between; all other values are written once.
        if not any(type(item) is Read for item in producer.inputs):
            return True
        steps, start = self.place[producer.number]
        end = self.place[step.number][1]
        return end - start < _MAX_DISTANCE and not any(
            between.op is not None and (between.op.declaration.stateful or between.op.blocks)
            for between in steps[start + 1 : end]
        )

    def is_changed(self, read: Step, step: Step) -> bool:
        """Return True if the variable that a step reads may be another by the time of `step`."""
        steps, start = self.place[read.number]
        end = self.place[step.number][1]
        return end - start > _MAX_DISTANCE or any(
            between.op.blocks
            or (between.op.declaration.stateful and read.inputs[0] in reads(between))
            for between in steps[start + 1 : end]
            if between.op is not None
        )

    def forget(self, step: Step, before: list[Ref]) -> set[int]:
        """Update the counts for a rewritten step that read `before`; return steps nobody reads."""
        self.count.update(reads(step))
        waiting, unread = before, set()
        while waiting:
            ref = waiting.pop()
            self.count[ref] -= 1
            producer = None if ref.step < 0 else self.plan.every[ref.step]
            if producer is None or not self._is_unread(producer):
                continue
            unread.add(producer.number)
            waiting.extend(reads(producer))
        return unread

    def _is_unread(self, step: Step) -> bool:
        if hasattr(step, "parts") or _has_effect(step):
            return False
        return not any(self.count[Ref(step.number, k)] for k in range(step.outputs))


def _has_effect(step: Step) -> bool:
    """Return True if a step does more than compute what others read."""
    op = step.op
    if op is None or not op.declaration.stateful:
        return False
    return bool(op.declaration.effects != "reads")
