"""Pass 3: which tensors are read at all; of loops and branches, nothing else is computed."""

from __future__ import annotations

from typing import Any

from placewise.planning.draft import Draft
from placewise.planning.lowering.blocks import needed_in


def find_used(draft: Draft) -> None:
    """Find the ids of all tensors that operations or fetches read.

    Needs: `draft.operations` (prune). Guarantees: `draft.used` is None for a graph without branches
    and loops; else an output of one of these that is not in it need not be computed.
    """
    if any(op.blocks for op in draft.operations):
        draft.used = set()
        _note_used(draft.used, draft.operations, draft.results)


def _note_used(used: set[int], operations: list[Any], results: list[Any]) -> None:
    used.update(map(id, results))
    # Readers before what they read: when a loop is reached, all that reads it has been seen, and
    # it is known which of its outputs are wanted.
    for op in reversed(operations):
        if op.blocks:
            _note_used_in_blocks(used, op)
        else:
            used.update(map(id, op.inputs))


def _note_used_in_blocks(used: set[int], op: Any) -> None:
    """Note what the blocks of an operation read, except for what only unread outputs need."""
    is_loop = op.type.endswith("While")
    # A loop reads all first values and its limit; a branch only what selects the block. The other
    # inputs are captured tensors, which the operations of the blocks read themselves.
    used.update(map(id, [*op.spread[0], *op.spread[2]] if is_loop else op.spread[:1]))
    regular = len(op.outputs) - len(op.extras)
    for block in op.blocks:
        ends = list(block.outputs)
        # Extra outputs are values that gradients want to see again. Most graphs are differentiated
        # without running all gradients, so they count only if read.
        ends += [
            tensor
            for output, (home, tensor) in zip(op.outputs[regular:], op.extras, strict=True)
            if home is block and tensor is not None and id(output) in used
        ]
        _note_used(used, needed_in(block, ends, not op.outputs), ends)
