"""What must run before an operation because the program says so, though no value connects them.

Here functions run their operations in program order. A GraphDef has no such order: whoever reads
one, TensorFlow above all, may run at once what nothing connects. So what is written for others
gets control inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise.core import dtypes
from placewise.graph.effects import acts
from placewise.graph.operation import Operation


def awaited_operations(operations: Sequence[Operation]) -> dict[int, list[Operation]]:
    """Return the operations that each one waits for, by its number.

    `operations` are those of one body, in program order. A write to a piece of state waits for the
    reads and the write before it, a read for the write before it. What acts on no piece of state,
    as printing does, waits for the one before it.
    """
    found: dict[int, list[Operation]] = {}
    writes: dict[int, Operation] = {}
    reads: dict[int, list[Operation]] = {}
    last: Operation | None = None  # of those without state
    for op in operations:
        state = _state_of(op)
        awaited: list[Operation] = []
        if not acts(op):
            for key in state:
                reads.setdefault(key, []).append(op)
                awaited += [writes[key]] if key in writes else []
        elif state:
            for key in state:
                awaited += reads.pop(key, [])
                awaited += [writes[key]] if key in writes else []
                writes[key] = op
        else:
            awaited += [] if last is None else [last]
            last = op
        if awaited:
            found[op.id] = list({other.id: other for other in awaited if other is not op}.values())
    return found


def _state_of(op: Operation) -> list[int]:
    """Return the resources that an operation, or one in its blocks, is given."""
    return list(dict.fromkeys(id(tensor) for tensor in _inputs(op) if _is_state(tensor)))


def _inputs(op: Operation) -> list[Any]:
    inner = [tensor for block in op.blocks for one in block.operations for tensor in _inputs(one)]
    return [*op.inputs, *inner]


def _is_state(tensor: Any) -> bool:
    return tensor.dtype.base_dtype is dtypes.resource or tensor.dtype._is_ref
