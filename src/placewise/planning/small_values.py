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
    possible = [op for op in operations if op.declaration.name in scalars.EXPRESSIONS]
    if len(possible) < _FIXED:
        return
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
        self.group: dict[int, int] = {}  # tensor → a later tensor of its group, or itself
        self.entering: dict[int, list[int]] = {}  # tensor of no group → those made of it
        self.leaving: set[int] = set()
        self.constant: set[int] = set()
        self.changing: set[int] = set()  # what passes on the content of a reference

    def take(self, op: Any) -> None:
        """Take in an operation, which comes after those it reads."""
        outputs, group = op.outputs, self.group
        if len(outputs) != 1 or not self._can_use(op, outputs[0]):
            return
        if not scalars.is_expression(op) or not scalars.is_small(outputs[0]):
            return
        made = id(outputs[0])
        if made in self.fed or not self.placement[op].is_host:
            return
        group[made] = made
        for number in map(id, op.inputs):
            if number in group:
                group[self._root(number)] = made
            elif number not in self.constant:
                self.entering.setdefault(number, []).append(made)

    def _can_use(self, op: Any, output: Any) -> bool:
        """Return True if all that is read is of a group or may be turned, and not all constant."""
        group, entering, constant = self.group, self.entering, self.constant
        fits, is_constant = True, True
        for each in op.inputs:
            number = id(each)
            if number in group or number in entering:
                is_constant = False
                continue
            if number not in constant:
                is_constant = False
                if each._dtype._is_ref or number in self.changing:
                    if op.declaration.name in scalars.SAME:
                        self.changing.add(id(output))
                    return False
            fits = fits and scalars.is_small(each)
        if is_constant:
            constant.add(id(output))
        return fits and not is_constant

    def leave(self, op: Any) -> None:
        """Take in what an operation outside of the groups reads of them."""
        outputs = op.outputs
        if len(outputs) != 1 or id(outputs[0]) not in self.group:
            for each in op.inputs:
                self.cross(each)

    def cross(self, element: Any) -> None:
        """Take in that a value must be a tensor."""
        if id(element) in self.group:
            self.leaving.add(id(element))

    def _root(self, one: int) -> int:
        while (other := self.group[one]) != one:
            self.group[one] = self.group[other]
            one = self.group[one]
        return one

    def worth_it(self) -> set[int]:
        """Return the tensors of the groups that gain."""
        gain: dict[int, int] = {}
        roots: dict[int, int] = {}
        for one in reversed(self.group):
            root = roots[one] = roots.get(self.group[one], one)
            gain[root] = gain.get(root, -_FIXED) + 1
        for users in self.entering.values():
            for root in {roots[user] for user in users}:
                gain[root] -= _CROSSING
        for one in self.leaving:
            gain[roots[one]] -= _CROSSING
        return {one for one, root in roots.items() if gain[root] >= 0}
