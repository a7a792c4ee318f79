"""What lowering branches and loops has in common: the operations of their blocks, and their ends.

The steps of a block are built like all others, but what is computed in it is known in it alone.
Only what is asked for is computed of them.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.graph.effects import acts
from placewise.graph.subgraphs import Block
from placewise.planning.draft import Draft
from placewise.planning.lowering import numbers
from placewise.planning.lowering.copies import on_device
from placewise.planning.plan import Number, Part, Read, Ref


def needed_in(block: Block, tensors: list[Any], effects: bool = False) -> list[Any]:
    """Return the operations of a block that tensors depend on, and those that act, in order.

    With `effects`, all stateful ones: the owner has no outputs and runs for what its blocks do.
    """
    waiting = [tensor.op for tensor in tensors if tensor.op.block is block]
    # A function runs all that acts, as TensorFlow's automatic control dependencies do. In a graph
    # of TF1, what nothing depends on does not run.
    if block.graph.runs_effects:
        waiting += [op for op in block.operations if acts(op)]
    elif effects:
        waiting += [op for op in block.operations if op.declaration.stateful]
    reached: dict[int, Any] = {}
    while waiting:
        op = waiting.pop()
        if op.id not in reached:
            reached[op.id] = op
            waiting.extend(before for before in op.control if before.block is block)
            waiting.extend(tensor.op for tensor in op.inputs if tensor.op.block is block)
    return [reached[number] for number in sorted(reached)]


def build_part(draft: Draft, part: Part, operations: list[Any]) -> None:
    """Lower operations into a part."""
    with draft.inside(part):
        for op in operations:
            draft.lower(op)


def python_item(draft: Draft, tensor: Any) -> Any:
    """Return a value that Python reads itself, wherever and in whatever form it is."""
    ref = draft.refs[id(tensor)]
    if draft.is_read(tensor):
        return Read(ref)
    return Number(ref) if ref in draft.number_refs else ref


def end_item(draft: Draft, tensor: Any, output: Ref, device: Any) -> Any:
    """Return what a block ends with, in the form and on the device of the output it becomes.

    All blocks of a branch, and the first and all later values of a loop variable, must end alike:
    who reads the output cannot know which of them it came from.
    """
    if output in draft.number_refs:
        return numbers.as_number(draft, tensor)
    ref = draft.refs[id(tensor)]
    if draft.is_read(tensor):
        return Read(ref)
    # A handle is the same object for all devices.
    return ref if tensor.dtype is dtypes.resource else on_device(draft, ref, device)
