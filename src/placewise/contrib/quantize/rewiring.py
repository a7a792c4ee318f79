"""Finding and replacing what operations of a graph read."""

from __future__ import annotations

from typing import Any

# Operations that hand their input on, as it is or arranged otherwise.
PASSING = frozenset(
    {"Identity", "Reshape", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "AvgPool"}
)
ADDING = frozenset({"Add", "AddV2"})
RECTIFYING = frozenset({"Relu", "Relu6"})
LAYERS = frozenset({"Conv2D", "DepthwiseConv2dNative", "MatMul"})


class Consumers:
    """Which operations read each tensor of a graph, by creation; kept while edges change."""

    def __init__(self, graph: Any) -> None:
        self._of: dict[int, dict[int, Any]] = {}
        for operation in graph.get_operations():
            self._note(operation)

    def _note(self, operation: Any) -> None:
        for tensor in operation.inputs:
            self._of.setdefault(id(tensor), {})[operation.id] = operation

    def of(self, tensor: Any) -> list[Any]:
        """Return the operations that read a tensor."""
        return list(self._of.get(id(tensor), {}).values())

    def reroute(self, old: Any, new: Any, readers: list[Any]) -> None:
        """Let `readers` read `new` wherever they read `old`."""
        for operation in readers:
            for index, tensor in enumerate(operation.inputs):
                if tensor is old:
                    operation._update_input(index, new)
            self._of.get(id(old), {}).pop(operation.id, None)
            self._note(operation)


def is_variable(tensor: Any) -> bool:
    """Return whether a tensor is the value of a variable, or of a partitioned one."""
    operation = tensor.op
    if operation.type == "ReadVariableOp":
        return True
    if operation.type == "ConcatV2":
        return all(is_variable(part) for part in operation.inputs[:-1])
    return operation.type == "Identity" and operation.inputs[0].op.type in (
        "Variable",
        "VariableV2",
        "ReadVariableOp",
    )


def context_of(operation: Any) -> str:
    """Return the scope of an operation's name, without the slash."""
    scope: str = operation.name.rpartition("/")[0]
    return scope
