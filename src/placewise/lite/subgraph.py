"""What is converted: values, and the operators of TensorFlow Lite between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(eq=False)
class Value:
    """A tensor of a subgraph; `content` is what a constant holds. An unknown dimension is -1."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    content: np.ndarray[Any, Any] | None = None
    scales: np.ndarray[Any, Any] | None = None
    scale_axis: int = 0
    is_state: bool = False


@dataclass(eq=False)
class Step:
    """An operator: its builtin name, operands, and the fields of its options."""

    kind: str
    inputs: list[Value | None]
    outputs: list[Value]
    options: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Subgraph:
    """One function: inputs and outputs by the names of its signature, and steps in order."""

    name: str
    inputs: dict[str, Value] = field(default_factory=dict)
    outputs: dict[str, Value] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        like: Value,
        options: str = "",
        **fields: Any,
    ) -> Value:
        """Add an operator with one output, and return the output: named and shaped `like`."""
        output = Value(like.name, like.dtype, like.shape)
        self.steps.append(Step(kind, list(inputs), [output], options, fields))
        return output

    def consumers(self) -> dict[int, list[Step]]:
        """Return the steps that read each value, by the value's id."""
        readers: dict[int, list[Step]] = {}
        for step in self.steps:
            for value in step.inputs:
                if value is not None:
                    readers.setdefault(id(value), []).append(step)
        return readers


def constant(content: Any, name: str, dtype: Any = None) -> Value:
    """Return a constant."""
    array = np.asarray(content, dtype=dtype)
    return Value(name, array.dtype.name, array.shape, array)
