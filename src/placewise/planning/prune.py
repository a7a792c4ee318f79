"""Which operations a call needs: those its fetches depend on, no further than what is fed."""

from __future__ import annotations

from typing import Any

from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.planning.fusing import inputs_of


def needed(fetches: list[Any], feeds: list[GraphTensor]) -> list[Operation]:
    """Return the operations to run, every one after what it depends on."""
    fed = {id(tensor) for tensor in feeds}
    found: dict[int, Operation] = {}
    waiting = [
        element if isinstance(element, Operation) else element.op
        for element in fetches
        if isinstance(element, Operation) or id(element) not in fed
    ]
    while waiting:
        op = waiting.pop()
        if op.id in found:
            continue
        found[op.id] = op
        waiting.extend(op.control)
        waiting.extend(tensor.op for tensor in inputs_of(op, fed) if id(tensor) not in fed)
    ordered = [found[number] for number in sorted(found)]
    return ordered if _is_ordered(ordered, fed) else _sorted(ordered, fed)


def _before(op: Operation, fed: set[int]) -> list[Operation]:
    data = [tensor.op for tensor in inputs_of(op, fed) if id(tensor) not in fed]
    return [*data, *op.control]


def _is_ordered(ops: list[Operation], fed: set[int]) -> bool:
    """Return True if creation order is good: it is, unless an edge was added afterwards."""
    return all(other.id < op.id for op in ops for other in _before(op, fed))


def _sorted(ops: list[Operation], fed: set[int]) -> list[Operation]:
    """Return the operations with each after its inputs, by creation where there is a choice."""
    done: set[int] = set()
    result: list[Operation] = []
    for root in ops:
        stack: list[tuple[Operation, bool]] = [(root, False)]
        while stack:
            op, ready = stack.pop()
            if op.id in done:
                continue
            if ready:
                done.add(op.id)
                result.append(op)
            else:
                stack.append((op, True))
                later = sorted(_before(op, fed), key=lambda each: -each.id)
                stack.extend((each, False) for each in later if each.id not in done)
    return result
