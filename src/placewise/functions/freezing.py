"""`convert_variables_to_constants_v2`: a function whose variables have become constants."""

from __future__ import annotations

from typing import Any

from placewise.functions.concrete import ConcreteFunction
from placewise.functions.func_graph import FuncGraph
from placewise.functions.inline import Inliner
from placewise.graph.operation import Operation
from placewise.ops.array.creation import constant
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import identity
from placewise.ops.flow.context import eager_scope
from placewise.ops.state.resource import read_variable
from placewise.ops.values import EagerTensor, Handle

_READS = frozenset({"ReadVariableOp", "ResourceGather"})


def convert_variables_to_constants_v2(
    func: ConcreteFunction, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> ConcreteFunction:
    """Return a function of the same arguments that holds its variables' values as constants.

    It returns the list of its output tensors, also if there is one only. Operations keep their
    names; an operation that reads a variable becomes an Identity of the constant. Tables and other
    resources stay captured. `lower_control_flow`, `aggressive_inlining`: accepted; called functions
    are always written out.
    """
    graph = FuncGraph(func.graph.name, None)
    with graph.as_default():
        freezer = _Freezer(graph)
        for tensor in func.graph.inputs:
            argument = graph.argument(tensor.dtype, tensor._dims, tensor.op.name)
            graph.inputs.append(argument)
            freezer.bind(tensor, argument)
        for outer, held in func.graph.captures:
            freezer.bind_capture(outer, held)
        freezer.copy_needed(func.graph, func.outputs, func.inputs)
        # TensorFlow's frozen functions return a list of tensors, whatever the function returned.
        outputs = [freezer.tensor(tensor) for tensor in func.outputs]
    return ConcreteFunction(graph, outputs, call=func._call_form)


class _Freezer(Inliner):
    """Copies operations, and writes constants where they read variables."""

    def __init__(self, target: FuncGraph) -> None:
        super().__init__(target, "")
        # By the id of a variable's handle in the function: the constant, and the handle outside.
        self._values: dict[int, Any] = {}
        self._handles: dict[int, Any] = {}

    def bind_capture(self, outer: Any, held: Any) -> None:
        """Take up what the function captured: a variable, a tensor or another resource."""
        handle = outer._value if isinstance(outer, EagerTensor) else None
        with self._at_root():
            if isinstance(handle, Handle) and handle.kind == "Var":
                with eager_scope():
                    value = read_variable(outer, dtype=handle.dtype).numpy()
                self._values[id(held)] = constant(value, handle.dtype, name=held.op.name)
                # What writes the variable still needs the handle.
                self._handles[id(held)] = outer
            elif isinstance(outer, EagerTensor) and held.dtype.is_numpy_compatible:
                self.bind(held, constant(outer.numpy(), held.dtype, name=held.op.name))
            else:
                self.bind(held, self.target.capture(outer))  # type: ignore[attr-defined]  # a FuncGraph

    def _copy(self, op: Operation) -> None:
        if op.type not in _READS or id(op.inputs[0]) not in self._values:
            self._capture_handles(op)
            super()._copy(op)
            return
        value = self._values[id(op.inputs[0])]
        with self.target._changed(name=""):
            if op.type == "ReadVariableOp":
                result = identity(value, name=op.name)
            else:
                batch_dims = op.attrs.get("batch_dims", 0)
                indices = self.tensors[id(op.inputs[1])]
                result = gather(
                    value, indices, axis=batch_dims, batch_dims=batch_dims, name=op.name
                )
        self.operations[op.id] = result.op
        self.tensors[id(op.outputs[0])] = result

    def _capture_handles(self, op: Operation) -> None:
        """Let an operation that is copied have the handles it needs, captured.

        A branch or loop that only reads a variable gets the constant in the handle's place.
        """
        for tensor in op.inputs:
            if id(tensor) not in self._values:
                continue
            if op.blocks and _is_only_read(op, tensor):
                self.tensors[id(tensor)] = self._values[id(tensor)]
            else:
                outer = self._handles[id(tensor)]
                self.tensors[id(tensor)] = self.target.capture(outer)  # type: ignore[attr-defined]  # a FuncGraph

    def _at_root(self) -> Any:
        return self.target._changed(name="", devices=(), control=(), colocate=(), block=None)


def _is_only_read(op: Operation, handle: Any) -> bool:
    """Return True if nothing inside an operation's blocks writes a variable."""
    users = [
        inner
        for block in op.blocks
        for inner in block.operations
        if any(tensor is handle for tensor in inner.inputs)
    ]
    return all(
        _is_only_read(user, handle) if user.blocks else user.type in _READS for user in users
    )
