"""Which tensors of loops are numbers: scalars and small arrays that NumPy computes.

A counter, a comparison or a step size costs a few dozen nanoseconds that way, where the same op on
a tensor takes a microsecond or two; small arrays gain less.
"""

from __future__ import annotations

from typing import Any

from placewise.graph.subgraphs import Block
from placewise.planning.draft import Draft
from placewise.planning.scalars.expressions import (
    finds_scalar,
    is_constant,
    is_expression,
    is_small,
    passes_on,
    uses_kernel,
)


def find(draft: Draft, loop: Any) -> set[int]:
    """Return the ids of the tensors of a loop, and of those inside it, that are numbers."""
    # tanh of a number costs two conversions, a number out of a list one. In a loop of scalars that
    # is less than to compute all of them with torch; in others it is more. So both are tried.
    tried = [_Analysis(draft, takes_kernels) for takes_kernels in (False, True)]
    for analysis in tried:
        analysis.visit_loop(loop)
    return max(tried, key=_Analysis.gain).numbers


class _Analysis:
    """The tensors of a loop that can be numbers; with `takes_kernels` also results of kernels."""

    def __init__(self, draft: Draft, takes_kernels: bool) -> None:
        self.draft, self.takes_kernels = draft, takes_kernels
        self.numbers: set[int] = set()  # ids of tensors
        self.depths: dict[int, int] = {}  # of histories inside histories, as in the draft
        self.converted: set[int] = set()  # results of kernels: these cost conversions

    def visit_loop(self, op: Any) -> None:
        """Take in a loop: a variable is a number if what the body makes of it is one."""
        test, body = op.blocks
        candidates = {
            k
            for k, parameter in enumerate(body.parameters)
            if is_small(parameter) and self._is_on_host(parameter.op)
        }
        before = set(self.numbers)
        # Assume that all small variables are numbers, and see what follows. Those whose next value
        # is then none are dropped, which may cost others theirs: until all that is assumed holds.
        while True:
            self.numbers = before | {
                id(block.parameters[k])
                for block in (test, body)
                for k in candidates
                if block.parameters[k] is not None
            }
            self._visit_block(test, body)
            self._visit_block(body, body)
            lost = {k for k in candidates if not self._can_be(body.outputs[k], body)}
            if not lost:
                break
            candidates -= lost
        self.numbers |= {id(op.outputs[k]) for k in candidates}

    def _is_on_host(self, op: Any) -> bool:
        return bool(self.draft.placement[op].is_host)

    def _can_be(self, tensor: Any, loop: Block) -> bool:
        """Return True if a tensor is a number in a loop, or can be made one before it."""
        if id(tensor) in self.numbers:
            return True
        if not is_small(tensor) or self.draft.is_read(tensor):
            return False
        # From outside of the loop it is converted once. A tensor computed by torch in the loop
        # would be converted in each iteration, which takes longer than is gained.
        home = tensor.op.block
        return is_constant(tensor) or home is None or home.encloses(loop.parent)

    def _visit_block(self, block: Block, loop: Block) -> None:
        for op in block.operations:
            if op.blocks:
                if op.blocks[0].repeats:
                    self.visit_loop(op)
                else:
                    self._visit_branch(op, loop)
            elif op.type == "HistoryItem":
                depth = self._depth(op.inputs[0])
                if depth == 2:
                    self.numbers.add(id(op.outputs[0]))
                elif depth > 2:
                    self.depths[id(op.outputs[0])] = depth - 1
            elif self._is_number(op, loop):
                self.numbers.add(id(op.outputs[0]))

    def _depth(self, history: Any) -> int:
        """Return how deep lists of numbers are nested in a history, 0 if it holds tensors."""
        known = self.depths.get(id(history))
        if known is not None:
            return known
        ref: Any = self.draft.refs.get(id(history))
        return self.draft.history_depths.get(ref, 0)

    def _visit_branch(self, op: Any, loop: Block) -> None:
        for block in op.blocks:
            self._visit_block(block, loop)
        regular = len(op.outputs) - len(op.extras)
        for k, output in enumerate(op.outputs):
            if k < regular:
                ends = [block.outputs[k] for block in op.blocks]
            else:
                ends = [op.extras[k - regular][1]]
            # A number in one block and a tensor in the other cannot have one name.
            if is_small(output) and all(self._can_be(end, loop) for end in ends):
                self.numbers.add(id(output))

    def _is_number(self, op: Any, loop: Block) -> bool:
        if passes_on(op):
            return id(op.inputs[0]) in self.numbers and self._is_on_host(op)
        if self.takes_kernels and finds_scalar(op):
            self.converted.add(id(op.outputs[0]))
            return self._is_on_host(op)
        if self.takes_kernels and uses_kernel(op):
            if op.inputs[0].dtype not in op.declaration.scalar.types:
                return False
            self.converted.add(id(op.outputs[0]))
        elif not is_expression(op):
            return False
        # Without a number among its inputs it does not depend on the loop's numbers: left to torch.
        if not any(id(tensor) in self.numbers for tensor in op.inputs):
            return False
        return (
            all(self._can_be(tensor, loop) for tensor in op.inputs)
            and is_small(op.outputs[0])
            and self._is_on_host(op)
        )

    def gain(self) -> int:
        """Return how many operations gain, less those that lose."""
        return len(self.numbers) - 2 * len(self.converted & self.numbers)
