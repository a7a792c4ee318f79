"""First values computed from other variables: safe whichever is initialized first.

The part of the graph that reads reference variables is written down once more, with their
`initialized_value()` in place of their value.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only


def _is_kept(op: Operation) -> bool:
    """Return True for what is left as it is: constants, blocks, and what only reads a handle."""
    declaration = op.declaration
    if op.blocks or declaration is graph_only.const.op:
        return True
    return declaration.effects == "reads" and all(
        arg.dtype is dtypes.resource or arg.name in declaration.refs for arg in declaration.inputs
    )


def guarded(value: Tensor, name: str) -> Any:
    """Return a tensor like `value` that needs no reference variable to have a value already."""
    if not isinstance(value, GraphTensor) or not _reads_references(value.op):
        return value
    return _Copy(name).tensor(value)


def _reads_references(root: Operation) -> bool:
    seen: set[int] = set()
    waiting = [root]
    result = False
    while waiting:
        op = waiting.pop()
        if op.id in seen or _is_kept(op):
            continue
        seen.add(op.id)
        result = result or op.type == "VariableV2"
        waiting.extend(tensor.op for tensor in op.inputs)
        if any(tensor.op.id >= op.id for tensor in op.inputs):
            return False  # a loop: TensorFlow leaves those alone
    return result


class _Copy:
    """Rewrites tensors; remembers what it has done for each operation."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.done: dict[int, Any] = {}
        self.values: dict[int, Any] = {}

    def tensor(self, tensor: GraphTensor) -> Any:
        op = tensor.op
        if _is_kept(op):
            return tensor
        if op.type == "VariableV2":
            return self._value_of(tensor)
        if op.id not in self.done:
            self.done[op.id] = self._operation(op)
        return self.done[op.id].outputs[tensor.value_index]

    def _value_of(self, holder: GraphTensor) -> Any:
        if holder.op.id not in self.values:
            self.values[holder.op.id] = _initialized_value(holder)
        return self.values[holder.op.id]

    def _operation(self, op: Operation) -> Operation:
        spread = tuple(
            [self.tensor(one) for one in item] if type(item) is list else self.tensor(item)
            for item in op.spread
        )
        if all(
            new is old
            for new_item, old_item in zip(spread, op.spread, strict=True)
            for new, old in zip(_listed(new_item), _listed(old_item), strict=True)
        ):
            return op
        graph = op.graph
        with graph._lock:
            name = graph._names.unique(f"{op.name}_{self.name}")
        outputs = [(output.dtype.base_dtype, output._dims) for output in op.outputs]
        copy_of_op = graph.add(op.declaration, name, spread, dict(op.attrs), outputs, op.origin)
        copy_of_op.colocation, copy_of_op.device = op.colocation, op.device
        copied: Operation = copy_of_op
        return copied


def _listed(item: Any) -> list[Any]:
    return item if type(item) is list else [item]


def _initialized_value(holder: GraphTensor) -> Any:
    graph = holder.op.graph
    for key in ("variables", "local_variables"):
        for variable in graph.get_collection_ref(key):
            if variable.name == holder.name:
                return variable.initialized_value()
    return holder
