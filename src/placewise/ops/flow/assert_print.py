"""The ops `Assert` and `Print` of graphs, which write values in their own, older way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from placewise.core.errors import invalid
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed, same_shape
from placewise.ops.flow.tensor_text import flat_text
from placewise.ops.values import Content
from placewise.ops.work import view_work

if TYPE_CHECKING:
    import torch


assert_op = define(
    "Assert(condition: bool, data: [T] >= 1; summarize: int = 3)",
    stateful=True,
    differentiable=False,
    doc="Raise InvalidArgumentError, showing `data`, unless `condition` is true.",
    work=view_work,
)
assert_op.shape(lambda condition, data, **_: [])


def _shown(data: list[Any], summarize: int) -> list[bytes]:
    return [b"[" + flat_text(each, summarize) + b"]" for each in data]


@assert_op.kernel
def assert_kernel(condition: torch.Tensor, data: list[Any], *, summarize: int) -> None:
    if not data:
        raise invalid("Length for attr 'T' of 0 must be at least minimum 1")
    if condition.dim():
        raise invalid(f"In[0] should be a scalar: {bracketed(condition.shape)}")
    if not bool(condition):
        text = b" ".join(_shown(data, summarize)).decode("utf-8", "backslashreplace")
        raise invalid(f"assertion failed: {text}")


print_op = define(
    "Print(input: T, data: [U]; message: string = '', first_n: int = -1, summarize: int = 3)"
    " -> output: T",
    stateful=True,
    devices=("CPU",),
    doc="Return `input`, and write `data` to standard error.",
)
print_op.shape(same_shape)


@print_op.kernel
def print_kernel(
    input: Content, data: list[Any], *, message: str, first_n: int, summarize: int
) -> Any:
    left = getattr(first_n, "left", first_n)  # a count that goes down, where one was asked for
    if left:
        if left > 0:
            first_n.left = left - 1  # type: ignore[attr-defined]
        text = b"".join(_shown(data, summarize)).decode("utf-8", "backslashreplace")
        sys.stderr.write(f"{message}{text}\n")
    return input


@print_op.gradient
def print_gradient(call: Call, dy: Tensor) -> Any:
    return dy, [None] * len(call.inputs[1])
