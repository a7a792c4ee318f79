"""Plans for devices with memory of their own: what a step reads is brought into one memory.

Called by the builder while it adds steps. What dtypes tell is decided here, once. Whether an
integer is on the host or on the device is often known only when the plan runs: the kernel of the
step then looks (`ops.residence.on_device`).
"""

from __future__ import annotations

import functools
from typing import Any

from placewise.core import dtypes
from placewise.graph.operation import Operation
from placewise.memory.transfer import place
from placewise.ops.residence import may_be_on_host, needs_gathering, on_device, relocated
from placewise.ops.values import TORCH, from_numpy
from placewise.planning.plan import Ref, Step

_RESIDENT = "resident"  # marks, among the builder's copies, values fetched into a device's memory


def in_one_memory(
    builder: Any, op: Operation, inputs: list[Any], kernel: Any, device: Any
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
        return inputs, kernel
    if any(kind in TORCH and not may_be_on_host(kind) for kind in kinds):
        inputs = [resident(builder, item, device) for item in inputs]
    return inputs, on_device(declaration, kernel, device)


def resident(builder: Any, item: Any, device: Any) -> Any:
    """Return a value that may be in host memory in the memory of a device."""
    if type(item) is list:
        return [resident(builder, one, device) for one in item]
    if type(item) is not Ref or not may_be_on_host(builder.dtype[item].base_dtype):
        return item
    key = (item, device, _RESIDENT)
    found: Ref | None = builder.copied.get(key)
    if found is not None:
        return found
    if item in builder.host_of:
        found = builder._constant(from_numpy(builder.host_of[item]), device, builder.dtype[item])
        builder.plan.resident.add(found)
        builder.copied[key] = found
        return found
    fetch = functools.partial(place, target=device.torch_device)
    step = Step(builder.next_number(), None, fetch, [item], {}, device, 1)
    found = builder._outside_loops(item, step)
    builder.levels[builder.level_of(step)][1][key] = found
    return found


def reachable(builder: Any, ref: Ref, device: Any) -> Ref:
    """Return what is kept on the host, or may be, such that another device can read it."""
    dtype = builder.dtype[ref].base_dtype
    is_moved = dtype is dtypes.variant or may_be_on_host(dtype)
    if not builder.where[ref].has_own_memory or not is_moved:
        return ref
    fetch = functools.partial(relocated, target=device.torch_device)
    step = Step(builder.next_number(), None, fetch, [ref], {}, device, 1)
    found: Ref = builder._outside_loops(ref, step)
    return found
