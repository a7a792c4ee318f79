"""Results written over an input that nobody reads afterwards: less memory, and less of it touched.

Only over a value that a step beside made in memory of its own, that this step alone reads, and that
has the dtype and shape of the result. Where shapes are not known before the plan runs, it is seen
then whether they are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.shapes import Dims
from placewise.planning.plan import Plan, Ref, Step

_TYPES = dtypes.FLOATS
# Steps that do more than their operation, and make memory of their own like it.
_COMBINED = ("MatMulAdd", "MeanGradMul")


def write_over(plan: Plan, look: Any, lists: list[list[Step]]) -> None:
    """Let steps write over what they are the last to read."""
    for steps in lists:
        for step in steps:
            if step.op is None or step.expression is not None or step.combined is not None:
                continue
            kernels = step.op.declaration.in_place
            if kernels:
                _write_over_one(plan, look, step, kernels)


def _write_over_one(plan: Plan, look: Any, step: Step, kernels: tuple[Any, ...]) -> None:
    """Let a step write over one of its inputs; best over one that surely has the result's shape."""
    inputs = step.op.inputs
    possible = []
    for index, over in enumerate(kernels):
        if over is None or not _may_write(plan, look, step, index):
            continue
        if index == 0 and step.op.declaration.keeps_shape:
            step.kernel = over
            return
        mine, other = inputs[index]._dims, inputs[1 - index]._dims
        if _keeps_shape(mine, other):
            step.kernel = over
            return
        if _may_keep_shape(mine, other):
            possible.append(over)
    if possible:
        step.kernel = _over_if_it_fits(step.kernel, possible[0])


def _may_write(plan: Plan, look: Any, step: Step, index: int) -> bool:
    """Return whether nobody else has, or will read, an input that is of the result's dtype."""
    given, result = step.op.inputs[index], step.op.outputs[0]
    if result.dtype not in _TYPES or given.dtype is not result.dtype:
        return False
    return _is_own(plan, look, step, step.inputs[index])


def _is_own(plan: Plan, look: Any, step: Step, item: Any) -> bool:
    """Return whether a value that a step reads was made beside it, and nobody else has it."""
    if type(item) is not Ref or item.step < 0 or look.count[item] != 1:
        return False
    made = plan.every[item.step]
    if look.place[made.number][0] is not look.place[step.number][0]:
        return False
    if made.op is None or made.expression is not None:
        return False
    if made.combined is not None:
        return made.combined.name in _COMBINED
    declaration = made.op.declaration
    if declaration.result in ("input", "reshaped"):
        return _is_own(plan, look, made, made.inputs[0])
    if made.op.type == "Cast":
        given, result = made.op.inputs[0].dtype, made.op.outputs[0].dtype
        return given is not result and not given.is_complex  # of those it may see the real part
    return bool(declaration.makes_memory)


def _keeps_shape(mine: Dims, other: Dims) -> bool:
    """Return whether what two shapes broadcast to is surely the first."""
    if other == ():
        return True
    if mine is None or other is None or len(other) > len(mine):
        return False
    return all(
        b == 1 or (a is not None and a != 1)
        for a, b in zip(mine[len(mine) - len(other) :], other, strict=True)
    )


def _may_keep_shape(mine: Dims, other: Dims) -> bool:
    """Return whether what two shapes broadcast to may be the first."""
    if mine is None or other is None:
        return True
    if len(other) > len(mine):
        return False
    return all(
        a is None or b in (None, 1, a)
        for a, b in zip(mine[len(mine) - len(other) :], other, strict=True)
    )


def _over_if_it_fits(plainly: Any, over: Any) -> Callable[..., Any]:
    def kernel(a: Any, b: Any, **attrs: Any) -> Any:
        return (over if a.shape == b.shape else plainly)(a, b, **attrs)

    return kernel
