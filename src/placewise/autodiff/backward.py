"""Gradients backwards over the calls of a tape, from the ops' own rules."""

from __future__ import annotations

from typing import Any

from placewise.autodiff.vjp import vjp
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.scope import Scope, current
from placewise.core.tensor import Tensor
from placewise.eager.tape import Call, Tape
from placewise.ops.array.creation import zeros_like
from placewise.ops.indexed_slices import IndexedSlices, joined, to_dense
from placewise.ops.math.add_n import add_n

# Ops whose gradient is the gradient itself: slices stay slices.
_PASS_SLICES = frozenset({"ReadVariableOp", "Identity"})


def backpropagate(
    calls: list[Call], targets: list[Any], sources: list[Any], output_gradients: list[Any]
) -> list[Any]:
    """Return the gradient of the targets for each source; None where nothing connects them."""
    needed = _reached_from(calls, sources)
    gradients: dict[int, list[Any]] = {}
    for target, gradient in zip(targets, output_gradients, strict=True):
        gradients.setdefault(id(target), []).append(gradient)
    kept = {id(source) for source in sources}
    for call in reversed(calls):
        for output in call.outputs:
            if id(output) in gradients:
                break
        else:
            continue
        wanted = tuple([_is_needed(item, needed) for item in call.inputs])
        if True not in wanted:
            continue
        dys = [
            total(gradients[key] if (key := id(output)) in kept else gradients.pop(key))
            if id(output) in gradients
            else None
            for output in call.outputs
        ]
        informed = Call(call.op, call.inputs, call.outputs, call.attrs, wanted)
        _spread(call, wanted, input_gradients(informed, dys), gradients)
    return [total(gradients[id(source)]) if id(source) in gradients else None for source in sources]


def differentiate(tape: Tape, targets: list[Any], sources: list[Any], seeds: list[Any]) -> Any:
    """Return the gradient of targets for each source, over what a tape has seen."""
    over_graph = getattr(tape, "differentiate", None)
    if over_graph is not None:
        return over_graph(targets, sources, seeds)
    gradients_of_inputs = backpropagate(list(tape.calls), targets, sources, seeds)
    own = set(map(id, targets))  # a target that is a source has a gradient, watched or not
    return [
        gradient if id(source) in tape.known or id(source) in own else None
        for source, gradient in zip(sources, gradients_of_inputs, strict=True)
    ]


def _reached_from(calls: list[Call], sources: list[Any]) -> set[int]:
    needed = {id(source) for source in sources}
    for call in calls:
        for item in call.inputs:
            if _is_needed(item, needed):
                needed.update(map(id, call.outputs))
                break
    return needed


def _is_needed(item: TensorLike, needed: set[int]) -> bool:
    if type(item) is list:
        return any(id(one) in needed for one in item)
    return id(item) in needed


def total(several: list[Any]) -> Any:
    """Return the sum of what flowed to one tensor."""
    if len(several) == 1:
        return several[0]
    if all(isinstance(item, IndexedSlices) for item in several):
        return joined(several[::-1])  # in the order the slices were read
    if several[0].dtype is dtypes.variant:
        return add_n(several)
    dense = [to_dense(item) if isinstance(item, IndexedSlices) else item for item in several]
    if current.interpreter is not Scope.eager:
        return add_n(dense)
    total = dense[0]
    for gradient in dense[1:]:
        total = total + gradient
    return total


def input_gradients(call: Call, dys: list[Any]) -> Any:
    rule = call.op.gradient_rule
    if rule is None:
        return vjp(call, dys)
    if len(dys) > 1 and not getattr(rule, "takes_none", False):
        dys = [
            zeros_like(output) if dy is None and _can_differ(output) else dy
            for dy, output in zip(dys, call.outputs, strict=True)
        ]
    elif isinstance(dys[0], IndexedSlices) and call.op.name not in _PASS_SLICES:
        dys = [to_dense(dys[0])]
    gradients_of_inputs = rule(call, *dys)
    return vjp(call, dys) if gradients_of_inputs is NotImplemented else gradients_of_inputs


def _can_differ(tensor: Tensor) -> bool:
    dtype: dtypes.DType = tensor.dtype
    return dtype.is_floating or dtype.is_complex


def _spread(
    call: Call, wanted: tuple[bool, ...], gradients_of_inputs: Any, gradients: dict[int, list[Any]]
) -> None:
    """Add what a rule returned to the gradients of the call's inputs."""
    if (len(call.inputs) == 1 and not isinstance(gradients_of_inputs, (list, tuple))) or (
        len(call.inputs) == 1
        and type(call.inputs[0]) is list
        and (len(gradients_of_inputs) != 1 or not isinstance(gradients_of_inputs[0], (list, tuple)))
    ):
        gradients_of_inputs = (gradients_of_inputs,)
    for item, is_wanted, gradient in zip(call.inputs, wanted, gradients_of_inputs, strict=True):
        if not is_wanted or gradient is None:
            continue
        if type(item) is list:
            for one, its in zip(item, gradient, strict=True):
                if its is not None:
                    gradients.setdefault(id(one), []).append(its)
        else:
            gradients.setdefault(id(item), []).append(gradient)
