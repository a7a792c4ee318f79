"""Steps on numbers: scalars and small arrays that a plan computes with NumPy.

`scalars` decides which tensors these are. A number becomes a tensor where a kernel reads it, and
the other way round; what comes from outside of a loop is converted once, before the loop.
"""

from __future__ import annotations

from typing import Any

from placewise.planning.draft import Draft
from placewise.planning.plan import CONSTANT, Host, Number, Ref, Step
from placewise.planning.scalars.expressions import expression_of, passes_on, uses_kernel


def add(draft: Draft, op: Any, device: Any) -> None:
    """Add an operation on numbers."""
    output, kind = op.outputs[0], op.declaration.name
    if passes_on(op):
        draft.refs[id(output)] = draft.refs[id(op.inputs[0])]
        return
    refs, number_refs = draft.refs, draft.number_refs
    items = []
    for tensor in op.inputs:
        item: Any = number_refs.get(refs[id(tensor)])
        if item is None:
            item = as_number(draft, tensor)
            if output._dims and item.ref.step == CONSTANT:
                # NumPy takes half as long for an array of rank zero beside an array as for its own
                # scalar.
                item = Host(item.ref)
        items.append(item)
    key = (kind, op.control, *items)
    same = draft.step_by_key.get(key)
    if same is not None:
        draft.refs[id(output)] = Ref(same)
        return
    draft.step_by_key[key] = number = draft.next_number()
    step = Step(number, op, None, items, {}, device, 1)
    if uses_kernel(op):
        step.kernel = op.declaration.kernels[None]
        step.expression = f"number(KERNEL({', '.join(['tensor({})'] * len(items))}))"
    elif op.declaration.inputs[0].is_list:
        step.expression = expression_of(op).format("{}, " * len(items))
    else:
        step.expression = expression_of(op)
    draft.add_step(step)
    _define_number(draft, output, Ref(number), device)


def add_history_item(draft: Draft, op: Any, device: Any) -> None:
    """Add the look-up of a value in a loop's history; it is a number if numbers were kept."""
    history = draft.refs[id(op.inputs[0])]
    index = draft.refs[id(op.inputs[1])]
    step = Step(draft.next_number(), op, None, [history, index], {}, device, 1)
    step.expression = "{}.value[{}]"
    draft.add_step(step)
    ref = Ref(step.number)
    depth = draft.history_depths.get(history, 0)
    if depth == 2:
        _define_number(draft, op.outputs[0], ref, device)
        return
    # The look-up happens in Python, but what it finds stays on the device that the loop kept it on.
    home = draft.history_homes.get(history, device)
    draft.define(op.outputs[0], ref, home)
    draft.history_homes[ref] = home
    if depth > 2:
        draft.history_depths[ref] = depth - 1


def _define_number(draft: Draft, tensor: Any, ref: Ref, device: Any) -> None:
    draft.define(tensor, ref, device)
    draft.number_refs[ref] = Number(ref)


def as_number(draft: Draft, tensor: Any) -> Number:
    """Return a tensor as a number: as it is, as a constant, or converted."""
    ref = draft.refs[id(tensor)]
    number: Number | None = draft.number_refs.get(ref)
    if number is None and ref in draft.known_values:
        return Number(ref)
    return number or draft.number_refs[_converted(draft, ref, "number")]


def convert(draft: Draft, tensor: Any) -> None:
    """Let a tensor that a kernel gives be a number for all who read it."""
    draft.refs[id(tensor)] = _converted(draft, draft.refs[id(tensor)], "number")


def as_tensor(draft: Draft, ref: Ref) -> Ref:
    """Return a number as the content of a tensor."""
    return _converted(draft, ref, "tensor")


def _converted(draft: Draft, ref: Ref, kind: str) -> Ref:
    converted: Ref | None = draft.copies.get((ref, kind))
    if converted is None:
        step = Step(draft.next_number(), None, None, [ref], {}, draft.homes[ref], 1)
        step.expression = kind + "({})"
        converted = draft.add_outside_loops(ref, step)
        draft.remember_copy((ref, kind), step)
        if kind == "number":
            draft.number_refs[converted] = Number(converted)
    return converted
