"""Pass 9: results are written over an input that nobody reads afterwards, which saves memory.

Only over a value that a step beside computed into memory of its own, that this step alone reads,
and that has the dtype and shape of the result. Where shapes are not known before the plan runs,
they are compared then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.shapes import Dims
from placewise.planning.draft import Draft
from placewise.planning.plan import Plan, Ref, Step
from placewise.planning.plan_index import PlanIndex

# Combined steps whose results are memory of their own, like those of their operations.
_COMBINED = ("MatMulAdd", "MeanGradMul")


def write_in_place(draft: Draft) -> None:
    """Let steps write over what they are the last to read.

    Needs: the readers of each value, with fetches, and steps as the rules leave them (combine): a
    rule may read an input of a step that it replaces. Guarantees: no value that is read twice,
    fetched or shared is written over.
    """
    plan = draft.plan
    if not any(
        step.expression is None and step.op is not None and step.op.declaration.in_place
        for step in plan.every
    ):
        return  # before the index is made, which costs as much as the rest
    index = draft.index
    for steps in index.lists:
        for step in steps:
            if step.op is None or step.expression is not None or step.combined is not None:
                continue
            kernels = step.op.declaration.in_place
            if kernels:
                _write_over_an_input(plan, index, step, kernels)


def _write_over_an_input(
    plan: Plan, index: PlanIndex, step: Step, kernels: tuple[Any, ...]
) -> None:
    """Let a step write over one of its inputs; best over one that surely has the result's shape."""
    inputs = step.op.inputs
    possible = []
    for position, kernel in enumerate(kernels):
        if kernel is None or not _may_write(plan, index, step, position):
            continue
        if position == 0 and step.op.declaration.keeps_shape:
            step.kernel = kernel
            return
        own, other = inputs[position]._dims, inputs[1 - position]._dims
        if _keeps_shape(own, other):
            step.kernel = kernel
            return
        if _may_keep_shape(own, other):
            possible.append(kernel)
    if possible:
        step.kernel = _in_place_if_alike(step.kernel, possible[0])


def _may_write(plan: Plan, index: PlanIndex, step: Step, position: int) -> bool:
    """Return whether nobody else has, or will read, an input that is of the result's dtype."""
    operand, result = step.op.inputs[position], step.op.outputs[0]
    if result.dtype not in dtypes.FLOATS or operand.dtype is not result.dtype:
        return False
    return _is_exclusive(plan, index, step, step.inputs[position])


def _is_exclusive(plan: Plan, index: PlanIndex, step: Step, item: Any) -> bool:
    """Return whether a value that a step reads was computed beside it, and nobody else has it."""
    # Not constants and feeds: the next run reads them again, or they are the caller's own.
    if type(item) is not Ref or item.step < 0 or index.count[item] != 1:
        return False
    producer = plan.every[item.step]
    # A value from outside of a loop is read again in the next iteration.
    if index.place[producer.number][0] is not index.place[step.number][0]:
        return False
    if producer.op is None or producer.expression is not None:
        return False
    if producer.combined is not None:
        return producer.combined.name in _COMBINED
    declaration = producer.op.declaration
    if declaration.result in ("input", "reshaped"):
        # The same bytes under another shape: it depends on who else has those.
        return _is_exclusive(plan, index, producer, producer.inputs[0])
    if producer.op.type == "Cast":
        source, target = producer.op.inputs[0].dtype, producer.op.outputs[0].dtype
        # To its own dtype it casts nothing. The real part of complex numbers may be a view of them.
        return source is not target and not source.is_complex
    return bool(declaration.makes_memory)


def _keeps_shape(own: Dims, other: Dims) -> bool:
    """Return whether what two shapes broadcast to is surely the first."""
    if other == ():
        return True
    if own is None or other is None or len(other) > len(own):
        return False
    return all(
        b == 1 or (a is not None and a != 1)
        for a, b in zip(own[len(own) - len(other) :], other, strict=True)
    )


def _may_keep_shape(own: Dims, other: Dims) -> bool:
    """Return whether what two shapes broadcast to may be the first."""
    if own is None or other is None:
        return True
    if len(other) > len(own):
        return False
    return all(
        a is None or b in (None, 1, a)
        for a, b in zip(own[len(own) - len(other) :], other, strict=True)
    )


def _in_place_if_alike(plain: Any, in_place: Any) -> Callable[..., Any]:
    """Return a kernel that writes in place if both inputs turn out to have one shape."""

    def kernel(a: Any, b: Any, **attrs: Any) -> Any:
        return (in_place if a.shape == b.shape else plain)(a, b, **attrs)

    return kernel
