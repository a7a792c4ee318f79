"""Operations that change nothing: their results are their inputs, or copies of them.

Identity and its like always; a Reshape to the same shape, a Mul by 1, a Sum of a scalar, a Tile or
a Transpose that leaves all as it is, where that is known before the plan runs.
"""

from __future__ import annotations

from typing import Any

from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops.values import HOST_KEPT
from placewise.planning.draft import Draft
from placewise.planning.lowering.copies import on_device, read_on_device
from placewise.planning.plan import ref_of

_COPYING = ("Identity", "IdentityN")  # what a program copies to a device with
MAYBE_IDENTITIES = frozenset({"Reshape", "Mul", "Sum", "Tile", "Transpose"})


def pass_through(draft: Draft, op: Operation, device: Any) -> bool:
    """Let the results of an operation be its inputs, if it changes nothing; return whether.

    For operations whose `result` is "input", and those in MAYBE_IDENTITIES.
    """
    if op.declaration.result == "input":
        return _pass_on(draft, op, device, op.inputs)
    return _pass_on_unchanged(draft, op, device)


def _pass_on_unchanged(draft: Draft, op: Operation, device: Any) -> bool:
    output = op.outputs[0]
    if op.type == "Reshape" and op.keeps_shape:
        return _pass_on_first(draft, op, device)
    if op.control or id(output) in draft.numpy_tensors:
        return False
    kept = _unchanged_input(draft, op)
    # The result of these is new memory in TensorFlow: unlike that of an Identity, it does not
    # follow a variable that is assigned to later.
    return kept is not None and not draft.is_read(kept) and _pass_on(draft, op, device, (kept,))


def _unchanged_input(draft: Draft, op: Operation) -> GraphTensor | None:
    """Return the input that the result of an operation is equal to, None if there is none."""
    value = op.inputs[0]
    if op.type == "Mul":
        first, second = op.inputs
        dims = op.outputs[0]._dims
        is_known = dims is not None and None not in dims
        if _is_one(draft, second, is_known and first._dims == dims):
            return first
        return second if _is_one(draft, first, is_known and second._dims == dims) else None
    if op.type == "Transpose":
        return value if _is_in_order(draft, op.inputs[1]) else None
    if op.type == "Sum":
        return value if value._dims == () else None
    dims = value._dims  # Reshape, Tile
    is_same = dims is not None and None not in dims and dims == op.outputs[0]._dims
    return value if is_same else None


def _pass_on_first(draft: Draft, op: Operation, device: Any) -> bool:
    """Pass on the first input of an operation whose others were pruned: it cannot become a step."""
    value = op.inputs[0]
    if not _pass_on(draft, op, device, (value,)):
        item = read_on_device(draft, value, draft.refs[id(value)], device)
        draft.refs[id(op.outputs[0])] = ref_of(item)
    return True


def _is_one(draft: Draft, tensor: GraphTensor, keeps_shape: bool) -> bool:
    """Return True for a constant 1, and for ones that leave the shape of the other input."""
    value = draft.known_values.get(draft.refs[id(tensor)])
    if value is None or value.dtype == object or not (keeps_shape or value.ndim == 0):
        return False
    return bool((value == 1).all())


def _is_in_order(draft: Draft, permutation: GraphTensor) -> bool:
    """Return True for constants 0, 1, 2, …: a transpose by them changes nothing."""
    value = draft.known_values.get(draft.refs[id(permutation)])
    return value is not None and value.tolist() == list(range(value.size))


def _pass_on(draft: Draft, op: Operation, device: Any, inputs: tuple[GraphTensor, ...]) -> bool:
    """Let outputs be the inputs themselves, or the copies of them on the device asked for."""
    sources = [draft.refs[id(tensor)] for tensor in inputs]
    for index, source in enumerate(sources):
        if draft.homes[source] is not device:
            # A variable's content must be read when it is this operation's turn, and what stays on
            # the host is not copied: both need a step.
            if draft.is_read(inputs[index]) or draft.dtypes[source].base_dtype in HOST_KEPT:
                return False
            is_new = (source, device) not in draft.copies
            sources[index] = on_device(draft, source, device)
            # What a loop ends with is an Identity too, but nobody asked for that.
            if is_new and op.type in _COPYING and "/Exit" not in op.name:
                draft.plan.asked[sources[index]] = op
    for tensor, output, source in zip(inputs, op.outputs, sources, strict=True):
        if draft.is_read(tensor):
            draft.lazy.add(id(output))
        draft.refs.setdefault(id(output), source)
    return True
