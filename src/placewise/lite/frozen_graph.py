"""A function written anew without variables: constants folded, shapes inferred again."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.scope import current
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.func_graph import FuncGraph
from placewise.functions.inline import dependencies
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.lite.errors import unsupported
from placewise.ops.array.creation import constant
from placewise.ops.flow.context import eager_scope


class FrozenGraph:
    """The operations that a function's outputs need, and the contents that are known."""

    def __init__(self, function: ConcreteFunction) -> None:
        self._written: dict[int, Any] = {}
        # By id, eager tensors and what they are in the new graph. They are kept here, or an id
        # could be used again.
        self._constants: dict[int, tuple[Any, Any]] = {}
        self._contents: dict[int, Any] = {}
        captures = function.captured_inputs
        count = len(function.inputs) - len(captures)
        for inner, outer in zip(function.inputs[count:], captures, strict=True):
            self._written[id(inner)] = outer
        self.graph = FuncGraph("frozen", None)
        with self.graph.as_default():
            self.arguments = [self._argument(tensor) for tensor in function.inputs[:count]]
            for op in dependencies(list(function.outputs), list(function.inputs)):
                self._write(op)
            self.results = {id(t): self._in_graph(self._written[id(t)]) for t in function.outputs}
        ends = list(self.results.values())
        self.operations = [
            op for op in dependencies(ends, self.arguments) if op.type not in ("Const", "_Arg")
        ]

    def content(self, tensor: Any) -> np.ndarray[Any, Any] | None:
        """Return what a tensor holds whatever is fed, or None."""
        value = self._contents.get(id(tensor))
        return None if value is None else np.asarray(value.numpy())

    def _argument(self, tensor: GraphTensor) -> Any:
        argument = self.graph.argument(tensor.dtype, tensor._dims, tensor.op.name)
        self._written[id(tensor)] = argument
        return argument

    def _write(self, op: Operation) -> None:
        if op.type == "Placeholder":
            return
        if op.blocks:
            raise unsupported(op.type, op.name, _BLOCK_ADVICE)
        inputs = [self._spread(item) for item in op.spread]
        flat = [self._written[id(tensor)] for tensor in op.inputs]
        if op.type == "Shape" and flat[0].shape.is_fully_defined():
            dtype = op.outputs[0].dtype.as_numpy_dtype
            with eager_scope():
                results = [constant(np.array(flat[0].shape.as_list(), dtype))]
        elif _folds(op) and not any(isinstance(tensor, GraphTensor) for tensor in flat):
            with eager_scope():
                results = _run(op, inputs, None)
        else:
            results = _run(op, [self._in_graph(item) for item in inputs], op.name)
        for output, result in zip(op.outputs, results, strict=True):
            self._written[id(output)] = result

    def _spread(self, item: Any) -> Any:
        if type(item) is list:
            return [self._written[id(tensor)] for tensor in item]
        return self._written[id(item)]

    def _in_graph(self, item: Any) -> Any:
        """Return an operand of the new graph: what is known becomes a constant there."""
        if type(item) is list:
            return [self._in_graph(tensor) for tensor in item]
        if isinstance(item, GraphTensor):
            return item
        if id(item) not in self._constants:
            written = constant(item.numpy())
            self._constants[id(item)] = (item, written)
            self._contents[id(written)] = item
        return self._constants[id(item)][1]


_READS = frozenset({"ReadVariableOp", "ResourceGather"})
_BLOCK_ADVICE = "a loop or branch is not converted; recurrent layers are with unroll=True"


def _folds(op: Operation) -> bool:
    return op.type in _READS or not op.declaration.stateful


def _run(op: Operation, inputs: list[Any], name: str | None) -> list[Any]:
    outputs = current.interpreter.run(op.declaration, tuple(inputs), dict(op.attrs), name)
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
