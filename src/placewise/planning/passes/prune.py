"""Pass 2: which operations a call needs, those its fetches depend on, no further than the feeds."""

from __future__ import annotations

from typing import Any

from placewise.graph.operation import Operation
from placewise.graph.order import in_order
from placewise.graph.tensor import GraphTensor
from placewise.planning.draft import Draft
from placewise.planning.rules.broadcast_sums import inputs_of


def prune(draft: Draft) -> None:
    """List the operations to run.

    Needs: nothing but the request. Guarantees: `draft.operations` has each operation after what it
    depends on, and has no operation that only a fed tensor or a skipped Sum depends on.
    """
    if draft.exchange is not None:
        # Cut out of what the whole run needs: what the part waits for may run on another task.
        draft.operations = list(draft.exchange.operations)
        return
    draft.operations = needed(draft.fetches, draft.feeds)


def needed(fetches: list[Any], feeds: list[GraphTensor]) -> list[Operation]:
    """Return the operations to run, every one after what it depends on."""
    fed = {id(tensor) for tensor in feeds}
    reached: dict[int, Operation] = {}
    waiting = [
        element if isinstance(element, Operation) else element.op
        for element in fetches
        if isinstance(element, Operation) or id(element) not in fed
    ]
    # Creation order is a good order, unless an input was replaced afterwards (`_update_input`).
    # Sorting numbers is far quicker than a walk in depth.
    is_ordered = True
    while waiting:
        op = waiting.pop()
        number = op.id
        if number in reached:
            continue
        reached[number] = op
        # Only a Reshape may be computed from other tensors than its inputs: the call of
        # `inputs_of` would take half of the time of this loop.
        for tensor in inputs_of(op, fed) if op.declaration.name == "Reshape" else op.inputs:
            if id(tensor) not in fed:
                before = tensor.op
                if before.id not in reached:
                    waiting.append(before)
                is_ordered = is_ordered and before.id < number
        for before in op.control:
            waiting.append(before)
            is_ordered = is_ordered and before.id < number
    ordered = [reached[number] for number in sorted(reached)]
    return ordered if is_ordered else in_order(ordered, lambda op: _before(op, fed))


def _before(op: Operation, fed: set[int]) -> list[Operation]:
    data = [tensor.op for tensor in inputs_of(op, fed) if id(tensor) not in fed]
    return [*data, *op.control]
