"""Values brought to the device that reads them: as they are, as a constant, or by one copy."""

from __future__ import annotations

from typing import Any

from placewise.graph.tensor import GraphTensor
from placewise.ops.values import HOST_KEPT, from_numpy
from placewise.planning.draft import Draft
from placewise.planning.lowering import device_memory, numbers
from placewise.planning.plan import Read, Ref, Step


def on_device(draft: Draft, ref: Ref, device: Any) -> Ref:
    """Return a value on a device: itself, or the one copy made of it."""
    if ref in draft.number_refs or ref in draft.history_depths:
        ref = numbers.as_tensor(draft, ref)
    if draft.homes[ref] is device:
        return ref
    copy = draft.copies.get((ref, device))
    if copy is None:
        if ref in draft.known_values:  # a constant is made where it is needed
            value = draft.known_values[ref]
            copy = draft.add_constant(from_numpy(value), device, draft.dtypes[ref])
            draft.known_values[copy] = value
        elif draft.dtypes[ref].base_dtype in HOST_KEPT:
            copy = device_memory.reachable(draft, ref, device)
        else:
            return copy_to(draft, ref, device, ref)
        draft.copies[ref, device] = copy
    return copy


def read_on_device(draft: Draft, tensor: GraphTensor, ref: Ref, device: Any) -> Any:
    """Return what a variable holds, on a device; elsewhere than it is, one copy per tensor.

    Per tensor and not per variable: two tensors may be reads before and after an assignment.
    """
    if draft.homes[ref] is device or draft.dtypes[ref].base_dtype in HOST_KEPT:
        return Read(ref)
    key: Any = (id(tensor), device)
    if key not in draft.copies:
        draft.copies[key] = copy_to(draft, ref, device, Read(ref))
    return draft.copies[key]


def copy_to(draft: Draft, ref: Ref, device: Any, item: Any) -> Ref:
    """Add the copy of a value to a device; `item` is the value itself, or a variable's content."""
    number = draft.next_number()
    step = Step(number, None, None, [item], {}, device, 1, source=draft.homes[ref])
    copy = draft.add_outside_loops(ref, step)
    if item is ref:  # a variable's content may have changed by the next copy
        draft.remember_copy((ref, device), step)
    return copy
