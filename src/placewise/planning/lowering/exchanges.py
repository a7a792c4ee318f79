"""Sends and receives of a part of a graph: steps between those of its operations."""

from __future__ import annotations

from typing import Any

from placewise.graph.tensor import GraphTensor
from placewise.planning.draft import Draft
from placewise.planning.exchange import START, Exchange
from placewise.planning.lowering.operations import input_of, lower_operation
from placewise.planning.plan import Ref, Step


def lower_part(draft: Draft, exchange: Exchange) -> None:
    """Make the steps of all operations of a part, with its sends and receives in their places."""
    _lower_sends(draft, exchange, START)
    for op in draft.operations:
        for receive, tensor in exchange.before.get(op.id, ()):
            _lower_receive(draft, receive, tensor)
        lower_operation(draft, op)
        _lower_sends(draft, exchange, op.id)


def _lower_receive(draft: Draft, op: Any, tensor: GraphTensor | None) -> None:
    kernel, device = op.exchange
    number = draft.next_number()
    draft.add_step(Step(number, op, kernel, [], {}, device, 1))
    ref = Ref(number)
    draft.define(op.outputs[0], ref, device)
    if tensor is not None:
        draft.refs[id(tensor)] = ref


def _lower_sends(draft: Draft, exchange: Exchange, after: int) -> None:
    sends: list[Any] = exchange.after.get(after, [])
    for op in sends:
        kernel, device = op.exchange
        declared = zip(op.declaration.inputs, op.spread, strict=True)
        inputs = [input_of(draft, arg, item, device, op.declaration) for arg, item in declared]
        draft.add_step(Step(draft.next_number(), op, kernel, inputs, {}, device, 0))
