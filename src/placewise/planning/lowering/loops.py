"""While becomes a Loop: Python's `while` over local variables of the plan.

A loop's variables are the loop's own outputs: the body assigns to them. Of a loop, only what is
asked for is computed, with what that depends on in any iteration.
"""

from __future__ import annotations

from typing import Any

from placewise.graph.subgraphs import ARGUMENT
from placewise.ops.values import HOST_KEPT
from placewise.planning.draft import Draft
from placewise.planning.lowering.blocks import build_part, end_item, needed_in, python_item
from placewise.planning.plan import Loop, Number, Part, Ref
from placewise.planning.scalars import loops as scalar_loops


def add_loop(draft: Draft, op: Any, device: Any) -> None:
    """Add the step of a loop."""
    # The analysis of an outermost loop takes in those inside it.
    if not any(level.repeats for level in draft.levels):
        draft.numpy_tensors |= scalar_loops.find(draft, op)
    test, body = op.blocks
    first, _, limits = op.spread
    step = Loop(draft.next_number(), op, None, [], {}, device, len(op.outputs))
    draft.plan.every.append(step)  # takes the number; placed behind what the blocks move out
    live = [k for k, output in enumerate(op.outputs) if draft.is_wanted(output)]
    histories = _choose_histories(step, op, live)
    # Variables must have their values before the test and the body, which read them, are lowered.
    tested = needed_in(test, test.outputs)
    step.carried = _carried(op, {k for k in live if k < len(first)}, tested, histories)
    for k in step.carried:
        _begin(draft, step, op, k)
    if limits:
        step.limit = python_item(draft, limits[0])
        step.inputs.append(step.limit)
    counted = set() if step.count is None else {step.count}
    step.live = sorted({*step.carried, *step.histories} | counted)
    part = Part(True)
    build_part(draft, part, tested)
    with draft.inside(part):
        part.results = [python_item(draft, test.outputs[0])]
    step.parts.append(part)
    step.parts.append(_build_body(draft, step, body, histories))
    for k in live:
        if k >= len(first):
            draft.define(op.outputs[k], Ref(step.number, k), device)
    draft.place_step(step)


def _choose_histories(step: Loop, op: Any, live: list[int]) -> list[Any]:
    """Note which further outputs of a loop are wanted; return the tensors whose values it keeps.

    Gradients of a loop read the values of each iteration, and how many there were.
    """
    variables = len(op.spread[0])
    histories = []
    for k in live:
        if k >= variables:
            tensor = op.extras[k - variables][1]
            if tensor is None:
                step.count = k
            else:
                step.histories.append(k)
                histories.append(tensor)
    return histories


def _build_body(draft: Draft, step: Loop, body: Any, histories: list[Any]) -> Part:
    """Return the part that computes the next values of the variables, and those to keep."""
    part = Part(True)
    ends = [body.outputs[k] for k in step.carried]
    build_part(draft, part, needed_in(body, [*ends, *histories]))
    outputs = [Ref(step.number, k) for k in step.carried]
    with draft.inside(part):
        part.results = [
            end_item(draft, tensor, output, draft.homes[output])
            for tensor, output in zip(ends, outputs, strict=True)
        ]
    for tensor, k in zip(histories, step.histories, strict=True):
        ref, history = draft.refs[id(tensor)], Ref(step.number, k)
        # The values stay where they were computed, also those of a history inside a history.
        draft.history_homes[history] = draft.history_homes.get(ref, draft.homes[ref])
        if ref in draft.number_refs:
            draft.history_depths[history] = 2
        elif ref in draft.history_depths:
            draft.history_depths[history] = draft.history_depths[ref] + 1
        part.results.append(python_item(draft, tensor))
    return part


def _carried(op: Any, asked: set[int], tested: list[Any], histories: list[Any]) -> list[int]:
    """Return the variables of a loop that the test or what is asked for depends on."""
    test, body = op.blocks
    numbers = {
        id(tensor): k
        for block in (test, body)
        for k, tensor in enumerate(block.parameters)
        if tensor is not None
    }

    def reached(operations: list[Any]) -> set[int]:
        return {numbers[id(op.outputs[0])] for op in operations if op.declaration is ARGUMENT}

    # A variable's next value may depend on others, theirs on further ones: until nothing is added.
    carried = asked | reached(tested)
    while True:
        ends = [body.outputs[k] for k in sorted(carried)]
        more = reached(needed_in(body, [*ends, *histories]))
        if more <= carried:
            return sorted(carried)
        carried |= more


def _begin(draft: Draft, step: Loop, op: Any, k: int) -> None:
    """Let a variable begin, on the device where its values are computed."""
    tensor, ref = op.spread[0][k], Ref(step.number, k)
    home = _home(draft, tensor, op.blocks[1].outputs[k])
    if id(op.blocks[1].parameters[k]) in draft.numpy_tensors:
        draft.number_refs[ref] = Number(ref)
    step.inputs.append(end_item(draft, tensor, ref, home))
    draft.define(op.outputs[k], ref, home)
    # Test and body read the variable under the name of the loop's output.
    for block in op.blocks:
        if (parameter := block.parameters[k]) is not None:
            draft.refs[id(parameter)] = ref


def _home(draft: Draft, first: Any, following: Any) -> Any:
    """Return the home of a loop variable: that of its first value, if the body computes no other.

    A first value that is fed comes from the host. If the variable stayed there, each iteration
    would bring what it computed back, and fetch it again.
    """
    home = draft.homes[draft.refs[id(first)]]
    if following.op.declaration is ARGUMENT or first.dtype.base_dtype in HOST_KEPT:
        return home
    return draft.placement.get(following.op, home)
