"""Which operations of a graph a training step runs: not those that initialise, save or restore.

A session's first run is mostly that of the initialisers, and the placement it gets stays. So the
step is found in the graph as a whole: what the updates of variables depend on. Where there are
none, it is what the operations depend on that nobody reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_UPDATE = re.compile(r"Assign(Add|Sub)?VariableOp|Resource(Sparse)?Apply|ResourceScatter")


def in_step(operations: Sequence[Any]) -> set[Any]:
    """Return the operations that a step runs; `operations` are in order."""
    has_reader: set[Any] = set()
    for op in operations:
        has_reader.update(tensor.op for tensor in op.inputs)
        has_reader.update(op.control)
    prepares = _preparing(operations)
    step: set[Any] = set()
    waiting = [op for op in operations if _updates(op) and op not in prepares]
    if not waiting:
        waiting = [
            op
            for op in operations
            if op not in has_reader and op not in prepares and op.block is None
        ]
    while waiting:
        op = waiting.pop()
        if op in step:
            continue
        step.add(op)
        waiting.extend(tensor.op for tensor in op.inputs)
        waiting.extend(op.control)
        for block in op.blocks:
            waiting.extend(block.operations)
    return step


def _updates(op: Any) -> bool:
    """Return whether an operation changes what a variable holds."""
    declaration = op.declaration
    if not declaration.stateful or declaration.makes_state or declaration.effects == "reads":
        return False
    if declaration.refs:
        return True
    return bool(op.inputs) and _UPDATE.match(op.type) is not None


def _preparing(operations: Sequence[Any]) -> set[Any]:
    """Return the operations that end in a variable's first value, a file, or nothing else."""
    depends: dict[Any, bool] = {}  # whether a variable's content plays a part in an operation
    prepares: set[Any] = set()
    for op in operations:
        declared = op.declaration
        reads = [
            tensor.op
            for position, tensor in enumerate(op.inputs)
            if not (declared.assigns and position == 0)
        ]
        depends[op] = declared.makes_state or any(depends.get(other) for other in reads)
        if declared.checkpoints == "saves":
            prepares.add(op)
        elif declared.assigns:
            if not depends[op] or _is_restored(reads):
                prepares.add(op)
        elif (declared.result == "input" or not op.outputs) and (op.control or op.inputs):
            before = [*op.control, *reads]
            if all(other in prepares or _is_text(other) for other in before) and any(
                other in prepares for other in before
            ):
                prepares.add(op)
    return prepares


def _is_restored(reads: Sequence[Any]) -> bool:
    while reads:
        declared = reads[0].declaration
        if declared.checkpoints == "restores":
            return True
        if declared.result != "input":
            return False
        reads = [tensor.op for tensor in reads[0].inputs]
    return False


def _is_text(op: Any) -> bool:
    return bool(op.outputs) and op.outputs[0].dtype.name == "string"
