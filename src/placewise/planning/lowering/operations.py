"""One operation becomes a step, or the value of another: the entry of lowering.

Whether it needs a step at all is asked in order: it may be a constant, state, pass its input on, be
done with NumPy, repeat a step there is, or have constant inputs only.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.graph.operation import Operation
from placewise.ops import graph_only
from placewise.planning.draft import Draft
from placewise.planning.lowering import (
    broadcast_sums,
    device_memory,
    folding,
    identities,
    numbers,
)
from placewise.planning.lowering.branches import add_branch
from placewise.planning.lowering.copies import copy_to, on_device, read_on_device
from placewise.planning.lowering.loops import add_loop
from placewise.planning.plan import Host, Number, Read, Ref, Step
from placewise.planning.scalars.expressions import finds_scalar

_CONSTANT = graph_only.const.op


def lower_operation(draft: Draft, op: Operation) -> None:
    """Give the outputs of an operation their values, with the steps that takes."""
    declaration, outputs = op.declaration, op.outputs
    device = draft.placement[op]
    # Its outputs are fed, bound, or lowered already. Asking for the first one alone answers that
    # for nearly every operation.
    if (
        outputs
        and id(outputs[0]) in draft.refs
        and all(id(output) in draft.refs for output in outputs)
    ):
        return
    if declaration is _CONSTANT:
        value, dtype = op.attrs["value"], op.attrs["dtype"]
        draft.refs[id(outputs[0])] = draft.known_constant(value, device, dtype)
        return
    if declaration.stateful and declaration.makes_state:
        # A variable or queue: the session puts its own handle in when the plan is emitted.
        ref = draft.add_constant(None, device, outputs[0].dtype)
        draft.plan.handles[ref] = op
        draft.refs[id(outputs[0])] = ref
        return
    if op.blocks:
        # What the blocks may assign must not be taken for known, inside them nor afterwards.
        draft.variable_reads.forget_changed(draft, op)
        if op.type.endswith("While"):
            add_loop(draft, op, device)
        else:
            add_branch(draft, op, device)
        draft.variable_reads.forget_changed(draft, op)
        return
    kind = declaration.name
    # The tests stand here, and not in the functions, because nearly all operations fail them.
    if declaration.result == "input" or kind in identities.MAYBE_IDENTITIES:
        if identities.pass_through(draft, op, device):
            return
        if kind == "Reshape" and broadcast_sums.add(draft, op, device):
            return
    if kind == "HistoryItem":
        numbers.add_history_item(draft, op, device)
    elif outputs and id(outputs[0]) in draft.numpy_tensors:
        if finds_scalar(op):
            _add_kernel_call(draft, op, declaration, device)
            numbers.convert(draft, outputs[0])
        else:
            numbers.add(draft, op, device)
    else:
        known = draft.variable_reads.again(draft, op, device) if declaration.stateful else None
        if known is None:
            _add_kernel_call(draft, op, declaration, device)
        else:
            draft.refs[id(outputs[0])] = known


def _add_kernel_call(draft: Draft, op: Operation, declaration: Any, device: Any) -> None:
    inputs = [
        input_of(draft, arg, item, device, declaration)
        for arg, item in zip(declaration.inputs, op.spread, strict=True)
    ]
    kernel = folding.kernel_of(op, declaration, device)
    if device.has_own_memory:
        inputs, kernel = device_memory.in_one_memory(draft, op, inputs, kernel, device)
    key = None
    if not declaration.stateful and declaration.outputs:
        key = _key(op, inputs, device)
        same = draft.step_by_key.get(key) if key is not None else None
        if same is not None:
            for index, output in enumerate(op.outputs):
                draft.refs.setdefault(id(output), Ref(same, index))
            return
        if inputs and not op.control and folding.fold(draft, op, inputs, device):
            return
    number = draft.next_number()
    is_list = len(declaration.outputs) != 1 or declaration.outputs[0].is_list
    draft.add_step(Step(number, op, kernel, inputs, op.attrs, device, len(op.outputs), is_list))
    for index, output in enumerate(op.outputs):
        draft.define(output, Ref(number, index), device)
    if key is not None:
        draft.step_by_key[key] = number


def input_of(draft: Draft, arg: Any, item: Any, device: Any, declaration: Any) -> Any:
    """Return how a step reads an input: as a value on its device, on the host, or as a handle."""
    if type(item) is list:
        return [input_of(draft, arg, tensor, device, declaration) for tensor in item]
    ref, dtype = draft.refs[id(item)], item._dtype
    if dtype is dtypes.resource or arg.name in declaration.refs:
        return ref  # the handle itself, wherever it is
    is_on_host = arg.name in declaration.host
    if device.has_own_memory and arg.name in declaration.host_or_device:
        # A value not known now may be in the device's memory; reading it would wait for the GPU.
        is_on_host = ref in draft.known_values
    if dtype._is_ref or id(item) in draft.lazy:  # draft.is_read, without the call
        if is_on_host:
            return Host(copy_to(draft, ref, draft.client, Read(ref)))
        return read_on_device(draft, item, ref, device)
    if is_on_host:
        return Number(ref, True) if ref in draft.number_refs else Host(ref)
    return on_device(draft, ref, device)


def _key(op: Operation, inputs: list[Any], device: Any) -> Any:
    """Return what makes two steps the same; None if that is not known."""
    attrs: Any = ()
    if op.attrs:
        attrs = tuple(sorted([(name, _hashable(value)) for name, value in op.attrs.items()]))
    # Control inputs are part of it: a step may be merged only with one that waits for the same.
    parts: list[Any] = [op.declaration, device, op.control, attrs]
    for item in inputs:
        if type(item) is list:
            if Read in map(type, item):
                return None
            item = tuple(item)
        elif type(item) is Read:
            return None  # the variable may hold something else by then
        parts.append(item)
    try:
        key = tuple(parts)
        hash(key)
    except TypeError:
        return None  # an attribute that is an array or a message
    return key


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
