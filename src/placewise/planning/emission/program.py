"""What a plan becomes: a function, and what is needed to explain its errors and its memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from placewise.devices.origin import PLAN_FILE
from placewise.memory.resident import register_contents

Value = tuple[int, int]  # what a Ref is: the number of a step, and of its output
FILE = PLAN_FILE


class Maker(NamedTuple):
    """Which operation made a content: what stays known of it as long as the content lives.

    The operation itself would keep its graph, and what that captured, alive as well.
    """

    name: str
    origin: Any


def host_constant_name(ref: Value) -> str:
    """Return the name that a constant has in a plan's source where kernels get it as an array."""
    return f"h{ref[1]}"


class Program(NamedTuple):
    """The compiled plan: a function of the fed contents, its text, and the step of each line."""

    call: Callable[..., Any]
    source: str
    steps: dict[int, Any]  # line → the step that it runs
    names: dict[Value, str]  # of values; another's, if that was freed by then
    feeds: Sequence[Any]  # the tensors that are fed
    constants: dict[str, Any]  # what it has on devices, by name
    is_training_step: bool = False
    is_native: bool = False  # it does nothing but call the native module once


register_contents(
    Program, lambda program: ((value, "Const") for value in program.constants.values())
)
