"""Which operations a call needs: those its fetches depend on, no further than what is fed."""

from __future__ import annotations

from typing import Any

from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.planning.rules.broadcast_sums import inputs_of


def needed(fetches: list[Any], feeds: list[GraphTensor]) -> list[Operation]:
    """Return the operations to run, every one after what it depends on."""
    fed = {id(tensor) for tensor in feeds}
    found: dict[int, Operation] = {}
    waiting = [
        element if isinstance(element, Operation) else element.op
        for element in fetches
        if isinstance(element, Operation) or id(element) not in fed
    ]
    is_ordered = True  # creation order is good, unless an edge was added afterwards
    while waiting:
        op = waiting.pop()
        number = op.id
        if number in found:
            continue
        found[number] = op
        for tensor in inputs_of(op, fed) if op.declaration.name == "Reshape" else op.inputs:
            if id(tensor) not in fed:
                before = tensor.op
                if before.id not in found:
                    waiting.append(before)
                is_ordered = is_ordered and before.id < number
        for before in op.control:
            waiting.append(before)
            is_ordered = is_ordered and before.id < number
    ordered = [found[number] for number in sorted(found)]
    return ordered if is_ordered else _sorted(ordered, fed)


def _before(op: Operation, fed: set[int]) -> list[Operation]:
    data = [tensor.op for tensor in inputs_of(op, fed) if id(tensor) not in fed]
    return [*data, *op.control]


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
