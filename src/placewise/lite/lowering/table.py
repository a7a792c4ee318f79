"""The table of lowerings, and what each of them is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from placewise.core.errors import InvalidArgumentError
from placewise.graph.operation import Operation
from placewise.lite.errors import ConverterError, unsupported
from placewise.lite.frozen_graph import FrozenGraph
from placewise.lite.subgraph import Step, Subgraph, Value, constant

Lowering = Callable[["Place"], Any]
LOWERINGS: dict[str, Lowering] = {}
# Several operations that one operator computes: a function that returns the operands of the last
# of them, or None, and the function that lowers it.
Matcher = Callable[[Operation], list[Any] | None]
PATTERNS: list[tuple[Matcher, Lowering]] = []


def lowers(*kinds: str) -> Callable[[Lowering], Lowering]:
    """Add a function to the table, for operations of these types."""

    def register(function: Lowering) -> Lowering:
        LOWERINGS.update(dict.fromkeys(kinds, function))
        return function

    return register


class Place:
    """An operation that is lowered: its operands as values, and the subgraph to add to."""

    def __init__(self, op: Operation, inputs: list[Value], subgraph: Subgraph) -> None:
        self.op, self.inputs, self.subgraph = op, inputs, subgraph
        self.outputs = [value_like(tensor) for tensor in op.outputs]

    def attr(self, name: str) -> Any:
        """Return an attribute; text as str."""
        value = self.op.get_attr(name)
        return value.decode() if isinstance(value, bytes) else value

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None] | None = None,
        like: Value | None = None,
        options: str = "",
        **fields: Any,
    ) -> Value:
        """Add an operator; without `inputs` it reads the operation's own."""
        operands = self.inputs if inputs is None else inputs
        return self.subgraph.add(kind, operands, like or self.outputs[0], options, **fields)

    def add_several(
        self, kind: str, inputs: Sequence[Value], options: str, **fields: Any
    ) -> list[Any]:
        """Add an operator with all outputs of the operation."""
        self.subgraph.steps.append(Step(kind, list(inputs), self.outputs, options, fields))
        return self.outputs

    def number(self, content: Any, dtype: str | None = None) -> Value:
        """Return a constant of the operation's dtype, or of `dtype`."""
        return constant(content, f"{self.op.name}/const", dtype or self.inputs[0].dtype)

    def int32(self, index: int) -> Value:
        """Return an operand that TensorFlow Lite wants as int32."""
        value = self.inputs[index]
        if value.dtype == "int32":
            return value
        if value.content is not None:
            return constant(value.content, value.name, np.int32)
        like = Value(f"{value.name}/int32", "int32", value.shape)
        return self.add("CAST", [value], like, "CastOptions")

    def known(self, index: int) -> np.ndarray[Any, Any]:
        """Return the content of an operand that must be a constant."""
        content = self.inputs[index].content
        if content is None:
            raise self.unsupported(f"its input {index} must be a constant")
        return content

    def unsupported(self, why: str = "") -> ConverterError:
        """Return the error that says this operation cannot be converted."""
        return unsupported(self.op.type, self.op.name, why)


def value_like(tensor: Any) -> Value:
    """Return a value with the name, dtype and static shape of a tensor."""
    dims = tensor.shape.as_list() if tensor.shape.rank is not None else []
    shape = tuple(-1 if size is None else size for size in dims)
    return Value(tensor.op.name, tensor.dtype.name, shape)


def lower(frozen: FrozenGraph, subgraph: Subgraph, values: dict[int, Value]) -> None:
    """Add the operators of a frozen graph; `values` has its arguments and gets the rest."""
    for op, operands, lowering in _needed(frozen):
        if lowering is None:
            raise unsupported(op.type, op.name, _ADVICE.get(op.type, ""))
        inputs = [_operand(frozen, tensor, values) for tensor in operands]
        results = lowering(Place(op, inputs, subgraph))
        results = results if isinstance(results, list) else [results]
        for tensor, value in zip(op.outputs, results, strict=False):
            values[id(tensor)] = value


def _needed(frozen: FrozenGraph) -> list[tuple[Operation, list[Any], Lowering | None]]:
    """Return the operations that results need, in order; of a pattern only its last."""
    wanted = {tensor.op.id for tensor in frozen.results.values()}
    needed = []
    for op in reversed(frozen.operations):
        if op.id not in wanted:
            continue
        operands, lowering = list(op.inputs), LOWERINGS.get(op.type)
        for matches, lowering_of_pattern in PATTERNS:
            matched = matches(op)
            if matched is not None:
                operands, lowering = matched, lowering_of_pattern
        wanted.update(tensor.op.id for tensor in operands)
        needed.append((op, operands, lowering))
    return needed[::-1]


def _operand(frozen: FrozenGraph, tensor: Any, values: dict[int, Value]) -> Value:
    if id(tensor) not in values:
        content = frozen.content(tensor)
        if content is None:
            raise InvalidArgumentError(None, None, f"{tensor.name} has no value at conversion")
        values[id(tensor)] = constant(content, tensor.op.name)
    return values[id(tensor)]


_ADVICE = {
    "PyFunc": "Python cannot run in a TensorFlow Lite model: use ops",
    "EagerPyFunc": "Python cannot run in a TensorFlow Lite model: use ops",
}
