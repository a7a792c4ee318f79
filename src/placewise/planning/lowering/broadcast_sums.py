"""The end of a broadcast's gradient, Reshape(Sum(…)), becomes one step; see `rules.broadcast_sums`.

Prune has left the Sum and what computes its axes out of the operations, so this must succeed for
each Reshape that `rules.broadcast_sums.inputs_of` recognised.
"""

from __future__ import annotations

from typing import Any

from placewise.graph.operation import Operation
from placewise.planning.draft import Draft
from placewise.planning.lowering.copies import on_device
from placewise.planning.plan import Combined, Host, Number, Ref, Step
from placewise.planning.rules import broadcast_sums

_SUM_BACK = Combined("SumBack")


def add(draft: Draft, op: Operation, device: Any) -> bool:
    """Add the one call that sums a gradient back over a broadcast, if a Reshape ends that."""
    match = broadcast_sums.summed_back(op, draft.fed)
    if match is None:
        return False
    gradient, shape, axes = match
    if axes is not None:
        kernel = broadcast_sums.sum_over(*axes)
        source = on_device(draft, draft.refs[id(gradient)], device)
        if kernel is None:  # nothing was broadcast
            draft.refs[id(op.outputs[0])] = source
        else:
            _add_step(draft, op, kernel, [source], device, _SUM_BACK)
        return True
    if id(shape) not in draft.refs:
        return False
    ref = draft.refs[id(shape)]
    size = Number(ref, True) if ref in draft.number_refs else Host(ref)
    inputs = [on_device(draft, draft.refs[id(gradient)], device), size]
    _add_step(draft, op, broadcast_sums.sum_back, inputs, device, None)
    return True


def _add_step(
    draft: Draft, op: Operation, kernel: Any, inputs: list[Any], device: Any, combined: Any
) -> None:
    number = draft.next_number()
    draft.add_step(Step(number, op, kernel, inputs, {}, device, 1, combined=combined))
    draft.define(op.outputs[0], Ref(number), device)
