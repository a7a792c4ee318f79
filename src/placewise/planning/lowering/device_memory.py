"""Devices with memory of their own: the inputs of a step are brought into one memory.

Decided here, once, as far as dtypes determine it. Whether an integer is on the host or on the
device is often known only when the plan runs: the step's kernel then looks
(`ops.residence.on_device`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.graph.operation import Operation
from placewise.memory.transfer import place
from placewise.ops.contentless import without_contents
from placewise.ops.residence import may_be_on_host, needs_gathering, on_device, relocated
from placewise.ops.values import TORCH, from_numpy
from placewise.planning.draft import Draft
from placewise.planning.plan import Ref, Step

if TYPE_CHECKING:
    from placewise.devices.device import Device


_RESIDENT = "resident"  # marks, among the draft's copies, values fetched into a device's memory


def in_one_memory(
    draft: Draft, op: Operation, inputs: list[Any], kernel: Any, device: Any
) -> tuple[list[Any], Any]:
    """Return inputs and kernel of a step such that all it reads is in one memory.

    Beside an input that is surely on the device, those that may be on the host are fetched there,
    once for all who read them. Otherwise it is seen when the step runs.
    """
    declaration = op.declaration
    kinds = [
        tensor._dtype.base_dtype
        for arg, item in zip(declaration.inputs, op.spread, strict=True)
        if arg.name not in declaration.host
        for tensor in (item if type(item) is list else [item])
    ]
    if not needs_gathering(kinds):
        is_plain = device.has_contents
        return inputs, kernel if is_plain else without_contents(declaration, kernel, device)
    # One input is surely on the device: then the kernel runs there, and the others have to come.
    if any(kind in TORCH and not may_be_on_host(kind) for kind in kinds):
        inputs = [resident(draft, item, device) for item in inputs]
    return inputs, on_device(declaration, kernel, device)


def resident(draft: Draft, item: Any, device: Any) -> Any:
    """Return a value that may be in host memory in the memory of a device."""
    if type(item) is list:
        return [resident(draft, argument, device) for argument in item]
    if type(item) is not Ref or not may_be_on_host(draft.dtypes[item].base_dtype):
        return item
    key = (item, device, _RESIDENT)
    copy: Ref | None = draft.copies.get(key)
    if copy is not None:
        return copy
    if item in draft.known_values:
        copy = draft.add_constant(from_numpy(draft.known_values[item]), device, draft.dtypes[item])
        draft.plan.resident.add(copy)
        draft.copies[key] = copy
        return copy
    # `place` returns what is there already as it is, so the step is nearly free where it is not
    # needed.
    fetch = functools.partial(place, target=device.torch_device)
    step = Step(draft.next_number(), None, fetch, [item], {}, device, 1)
    copy = draft.add_outside_loops(item, step)
    draft.remember_copy(key, step)
    return copy


def reachable(draft: Draft, ref: Ref, device: Device) -> Ref:
    """Return what is kept on the host, or may be, such that another device can read it."""
    dtype = draft.dtypes[ref].base_dtype
    is_moved = dtype is dtypes.variant or may_be_on_host(dtype)
    if not draft.homes[ref].has_own_memory or not is_moved:
        return ref
    fetch = functools.partial(relocated, target=device.torch_device)
    step = Step(draft.next_number(), None, fetch, [ref], {}, device, 1)
    return draft.add_outside_loops(ref, step)
