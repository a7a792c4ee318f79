"""Calls of operators as a TorchScript graph, and that as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from placewise.planning.scripts.recording import NotScripted, Recorded, Slot

_FORMATS = {torch.contiguous_format: 0, torch.preserve_format: 1, torch.channels_last: 2}
# An example is contiguous, what a plan has there may not be.
_RENAMED = {"aten::view": "aten::reshape", "aten::_unsafe_view": "aten::reshape"}


class Graph:
    """A TorchScript graph that grows step by step."""

    def __init__(self, inputs: int) -> None:
        self._graph: Any = torch._C.Graph()
        self._tensor = torch._C.TensorType.get()
        self.inputs = [self._typed(self._graph.addInput()) for _ in range(inputs)]
        self._constants: dict[Any, Any] = {}

    def add(self, recorded: Recorded, inputs: list[Any]) -> list[Any]:
        """Add the calls of a step; return its results as values of the graph."""
        values = dict(enumerate(inputs))
        for call in recorded.calls:
            name = _RENAMED.get(call.operator._schema.name, call.operator._schema.name)
            arguments = [self._argument(item, values) for item in call.args]
            if call.is_list:
                outputs = self._unpacked(name, arguments, len(call.results))
            else:
                node = self._graph.insertNode(
                    self._graph.create(name, arguments, len(call.results))
                )
                outputs = [self._typed(value) for value in node.outputs()]
            values.update(zip(call.results, outputs, strict=True))
        return [values[number] for number in recorded.results]

    def constant(self, tensor: torch.Tensor) -> Any:
        """Return a tensor as a value of the graph."""
        return self._typed(self._graph.insertConstant(tensor))

    def function(self, outputs: list[Any]) -> Callable[..., Any]:
        """Return the graph as a function that returns a tensor, or a tuple of several."""
        if len(outputs) == 1:
            self._graph.registerOutput(outputs[0])
        else:
            node = self._graph.insertNode(self._graph.create("prim::TupleConstruct", outputs, 1))
            node.output().setType(torch._C.TupleType([self._tensor] * len(outputs)))
            self._graph.registerOutput(node.output())
        return _plainly(torch._C._create_function_from_graph("placewise", self._graph))

    def _unpacked(self, name: str, arguments: list[Any], count: int) -> list[Any]:
        node = self._graph.insertNode(self._graph.create(name, arguments, 1))
        node.output().setType(torch._C.ListType.ofTensors())
        unpack = self._graph.create("prim::ListUnpack", [node.output()], count)
        return [self._typed(value) for value in self._graph.insertNode(unpack).outputs()]

    def _argument(self, item: Any, values: dict[int, Any]) -> Any:
        if type(item) is Slot:
            return values[item.number]
        if type(item) is list and any(type(part) is Slot for part in item):
            parts = [self._argument(part, values) for part in item]
            node = self._graph.insertNode(self._graph.create("prim::ListConstruct", parts, 1))
            node.output().setType(torch._C.ListType.ofTensors())
            return node.output()
        return self._constant(item)

    def _constant(self, item: Any) -> Any:
        item = _FORMATS.get(item, item) if isinstance(item, torch.memory_format) else item
        key = (type(item), repr(item))
        if key not in self._constants:
            if item == []:
                raise NotScripted("an empty list has no type")
            self._constants[key] = self._graph.insertConstant(item)
        return self._constants[key]

    def _typed(self, value: Any) -> Any:
        value.setType(self._tensor)
        return value


def _plainly(function: Any) -> Callable[..., Any]:
    """Return a function that lets the interpreter run a graph as it is written.

    By default torch would first watch some runs and then rewrite the graph. No gradient of torch's
    own is taken through a plan: its bookkeeping is a fifth of the time of a small kernel.
    """
    set_optimizing = torch._C._set_graph_executor_optimize
    was_optimizing = torch._C._get_graph_executor_optimize
    below_autograd = torch._C._AutoDispatchBelowADInplaceOrView

    def call(*inputs: Any) -> Any:
        before = was_optimizing()
        set_optimizing(False)
        try:
            with below_autograd():
                return function(*inputs)
        finally:
            set_optimizing(before)

    return call
