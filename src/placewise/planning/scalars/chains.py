"""Long chains of small operations outside of loops: computed with NumPy, as loops do theirs.

Torch takes about a microsecond for an addition of two numbers, NumPy a third of that. Worth it only
where few values go from one to the other. Chains on float32 arrays that programs of the native
module (`planning/scripts`) can do are theirs: they take a hundredth.
"""

from __future__ import annotations

from typing import Any

from placewise import native
from placewise.core import dtypes
from placewise.planning.draft import Draft
from placewise.planning.scalars.expressions import (
    has_expression,
    is_constant,
    is_expression,
    is_small,
    passes_on,
)
from placewise.planning.scripts.elementwise import KERNELS

_CONVERSION_COST = 3  # operations that must gain for each value that is converted
_LARGEST_PROGRAM = 3000  # operations
_MIN_OPERATIONS = 8  # that must gain to pay for the use of NumPy in a run at all


def find(draft: Draft) -> set[int]:
    """Return the ids of the tensors of a plan that NumPy computes in less time than torch."""
    operations = draft.operations
    # Most graphs end here: asking for names alone is quicker than what follows.
    if sum(map(has_expression, operations)) < _MIN_OPERATIONS:
        return set()
    chains = _Chains(draft)
    for op in operations:
        if op.inputs:
            chains.visit(op)
        elif op.outputs and is_constant(op.outputs[0]):
            chains.constant.add(id(op.outputs[0]))
    if len(chains.parent) < _MIN_OPERATIONS:
        return set()
    for op in operations:
        chains.note_outside_reader(op)
    for element in draft.results:
        chains.note_leaving(element)
    return chains.gaining()


class _Chains:
    """Groups of connected operations that NumPy could do, and what would be converted for each.

    Groups are joined by union-find: each tensor points to a later one of its group, the last one to
    itself. All tensors are named by their ids.
    """

    def __init__(self, draft: Draft) -> None:
        self.placement, self.fed = draft.placement, draft.refs
        self.parent: dict[int, int] = {}  # tensor → a later tensor of its group, or itself
        self.entering: dict[int, list[int]] = {}  # tensor of no group → those computed from it
        self.leaving: set[int] = set()  # tensors of a group that are read outside of it
        self.constant: set[int] = set()
        self.lazy: set[int] = set()  # tensors that pass on the content of a reference
        self.of_programs: set[int] = set()  # tensors of a group that programs could compute

    def visit(self, op: Any) -> None:
        """Take in an operation, which comes after those it reads."""
        outputs, parent = op.outputs, self.parent
        if len(outputs) != 1 or not self._can_read_all(op, outputs[0]):
            return
        if not is_expression(op) or not is_small(outputs[0]):
            return
        result = id(outputs[0])
        if result in self.fed or not self.placement[op].is_host:
            return
        parent[result] = result
        if native.code is not None and self._is_for_programs(op):
            self.of_programs.add(result)
        for tensor in map(id, op.inputs):
            if tensor in parent:
                parent[self._root(tensor)] = result
            elif tensor not in self.constant:
                self.entering.setdefault(tensor, []).append(result)

    def _is_for_programs(self, op: Any) -> bool:
        dims, dtype = op.outputs[0]._dims, op.outputs[0]._dtype
        is_array = dtype is dtypes.float32 and bool(dims) and None not in dims
        is_counted = self.placement[op].account is not None
        return is_array and not is_counted and op.declaration.kernels.get(None) in KERNELS

    def _can_read_all(self, op: Any, output: Any) -> bool:
        """Return True if all inputs are of a group or may be converted, and not all constant."""
        parent, entering, constant = self.parent, self.entering, self.constant
        fits, all_constant = True, True
        for tensor in op.inputs:
            number = id(tensor)
            if number in parent or number in entering:
                all_constant = False
                continue
            if number not in constant:
                all_constant = False
                # What a TF1 variable holds must be read by the operation itself, at its time.
                if tensor._dtype._is_ref or number in self.lazy:
                    if passes_on(op):
                        self.lazy.add(id(output))
                    return False
            fits = fits and is_small(tensor)
        if all_constant:
            constant.add(id(output))  # it will be folded
        return fits and not all_constant

    def note_outside_reader(self, op: Any) -> None:
        """Take in what an operation outside of the groups reads of them."""
        outputs = op.outputs
        if len(outputs) != 1 or id(outputs[0]) not in self.parent:
            for tensor in op.inputs:
                self.note_leaving(tensor)

    def note_leaving(self, element: Any) -> None:
        """Take in that a value must be a tensor."""
        if id(element) in self.parent:
            self.leaving.add(id(element))

    def _root(self, tensor: int) -> int:
        while (later := self.parent[tensor]) != tensor:
            self.parent[tensor] = self.parent[later]  # halves the path for the next look-up
            tensor = self.parent[tensor]
        return tensor

    def gaining(self) -> set[int]:
        """Return the tensors of the groups that gain."""
        gain: dict[int, int] = {}
        others: set[int] = set()  # groups that programs cannot compute as a whole
        roots: dict[int, int] = {}
        # From the last tensor to the first: parents are later ones, so their roots are known.
        for tensor in reversed(self.parent):
            root = roots[tensor] = roots.get(self.parent[tensor], tensor)
            gain[root] = gain.get(root, -_MIN_OPERATIONS) + 1
            if tensor not in self.of_programs:
                others.add(root)
        for readers in self.entering.values():
            for root in {roots[reader] for reader in readers}:
                gain[root] -= _CONVERSION_COST
        for tensor in self.leaving:
            gain[roots[tensor]] -= _CONVERSION_COST
        others.update(root for root, more in gain.items() if more > _LARGEST_PROGRAM)
        return {t for t, root in roots.items() if gain[root] >= 0 and root in others}
