"""Long chains of small operations outside of loops: done on NumPy's arrays, as loops do theirs.

Torch takes about a microsecond for an addition of two numbers, NumPy a third of that. Worth it only
where few values go from one to the other.
"""

from __future__ import annotations

from typing import Any

from placewise.planning import branches_scalars as scalars

_CROSSING = 3  # operations that must gain for each value that is turned
_FIXED = 8


def find(builder: Any, operations: list[Any], fetches: list[Any]) -> None:
    """Take down which tensors of a plan are better arrays of NumPy's than torch's."""
    found = _Chains(builder)
    for op in operations:
        if op.inputs:
            found.take(op)
        elif op.outputs and scalars.is_constant(op.outputs[0]):
            found.constant.add(id(op.outputs[0]))
    if len(found.group) < _FIXED:
        return
    for op in operations:
        found.leave(op)
    for each in fetches:
        found.cross(each)
    builder.numbers |= found.worth_it()


class _Chains:
    """Groups of connected operations that NumPy could do, and what would be turned for each."""

    def __init__(self, builder: Any) -> None:
        self.placement, self.fed = builder.placement, builder.refs
        self.group: dict[int, int] = {}  # tensor → a tensor of its group, or itself
        self.crossing: set[tuple[int, int]] = set()
        self.constant: set[int] = set()
        self.changing: set[int] = set()  # what passes on the content of a reference

    def take(self, op: Any) -> None:
        """Take in an operation, which comes after those it reads."""
        if len(op.outputs) != 1:
            return
        output, inputs = op.outputs[0], op.inputs
        made, group = id(output), self.group
        outside = [each for each in inputs if id(each) not in group]
        if outside and not self._can_use(op, output, outside, len(inputs)):
            return
        if not scalars.is_expression(op) or not scalars.is_small(output) or made in self.fed:
            return
        if self.placement[op].kind != "CPU":
            return
        group[made] = made
        for each in inputs:
            number = id(each)
            if number in group:
                group[self._root(number)] = made
            elif number not in self.constant:
                self.crossing.add((number, made))

    def _can_use(self, op: Any, output: Any, outside: list[Any], count: int) -> bool:
        """Return True if what an operation reads of others than these may be turned."""
        if len(outside) == count and all(id(each) in self.constant for each in outside):
            self.constant.add(id(output))
            return False
        for each in outside:
            if each._dtype._is_ref or id(each) in self.changing:
                if op.declaration.name in scalars.SAME:
                    self.changing.add(id(output))
                return False
        return all(map(scalars.is_small, outside))

    def leave(self, op: Any) -> None:
        """Take in what an operation outside of the groups reads of them."""
        if not (len(op.outputs) == 1 and id(op.outputs[0]) in self.group):
            for each in op.inputs:
                self.cross(each)

    def cross(self, element: Any) -> None:
        """Take in that a value must be a tensor."""
        if id(element) in self.group:
            self.crossing.add((0, id(element)))

    def _root(self, one: int) -> int:
        while (other := self.group[one]) != one:
            self.group[one] = self.group[other]
            one = self.group[one]
        return one

    def worth_it(self) -> set[int]:
        """Return the tensors of the groups that gain."""
        gain: dict[int, int] = {}
        roots = {one: self._root(one) for one in self.group}
        for root in roots.values():
            gain[root] = gain.get(root, -_FIXED) + 1
        for source, root in {(source, roots[user]) for source, user in self.crossing}:
            gain[root] -= _CROSSING if source else 0
        for user in {user for source, user in self.crossing if not source}:
            gain[roots[user]] -= _CROSSING
        return {one for one, root in roots.items() if gain[root] >= 0}
