"""A function called while another graph is written: its operations are written there once more."""

from __future__ import annotations

from typing import Any

from placewise.core.tensor import Tensor
from placewise.graph.effects import acts
from placewise.graph.graph import Graph
from placewise.graph.operation import Operation
from placewise.graph.program_order import awaited_operations
from placewise.graph.recorder import inferred_shapes
from placewise.graph.relocation import Relocated
from placewise.graph.subgraphs import Block
from placewise.graph.tensor import GraphTensor
from placewise.ops.array.shape import identity


class Inliner:
    """Copies operations into a graph, whatever scopes are in force there."""

    def __init__(self, target: Graph, scope: str) -> None:
        self.target = target
        self.scope = scope
        self.tensors: dict[int, Any] = {}
        self.operations: dict[int, Operation] = {}
        self.blocks: dict[int, Block] = {}
        self.names: dict[str, str] = {}
        self.order: dict[int, list[Operation]] = {}  # what an operation waits for, besides

    def bind(self, inner: GraphTensor, value: Tensor) -> None:
        """Let a tensor of the function be `value` of the target."""
        self.tensors[id(inner)] = value

    def copy_needed(self, graph: Graph, ends: list[Any], inputs: list[GraphTensor]) -> None:
        """Write what `ends` depend on, no further than what is given."""
        if graph.has_overrides:  # a program's own gradient may read anything
            self.copy([op for op in graph.get_operations() if op.block is None])
        else:
            self.copy(dependencies(ends, inputs))

    def copy_in_order(self, operations: list[Operation]) -> None:
        """Write operations with control inputs that keep their order, for other programs."""
        self.order = awaited_operations(operations)
        self.copy(operations)

    def copy(self, operations: list[Operation]) -> None:
        """Write operations, which are in order and not inside of blocks."""
        for op in operations:
            if not (op.outputs and all(id(output) in self.tensors for output in op.outputs)):
                self._copy(op)

    def tensor(self, tensor: Tensor) -> Any:
        """Return what a tensor of the function is in the target."""
        return self.tensors[id(tensor)]

    def _copy(self, op: Operation) -> None:
        if op.blocks:
            blocks = [self._block(block) for block in op.blocks]
        spread = tuple(
            [self.tensors[id(t)] for t in item] if type(item) is list else self.tensors[id(item)]
            for item in op.spread
        )
        target = self.target
        scopes = target.scopes
        control = [
            self.operations[waited_for.id]
            for waited_for in [*op.control, *self.order.get(op.id, ())]
            if waited_for.id in self.operations
        ]
        name = target.unique_name(f"{self.scope}{op.name}")
        self.names[op.name] = name
        devices = (*scopes.devices, op.device) if op.device else scopes.devices
        with target._changed(control=(*scopes.control, *control), devices=devices):
            operation = target.add(
                op.declaration,
                name,
                spread,
                op.attrs,
                self._described(op, spread),
                op.origin,
            )
        if op.colocation:
            operation.colocation = (
                *operation.colocation,
                *[f"loc:@{self.names.get(group[5:], group[5:])}" for group in op.colocation],
            )
        operation.__dict__.update({k: v for k, v in op.__dict__.items() if k not in _OWN})
        if op.gradient_override is not None:
            operation.gradient_override = Relocated(op.gradient_override, self.tensors, op.graph)
            target.has_overrides = True
        self.operations[op.id] = operation
        for inner, outer in zip(op.outputs, operation.outputs, strict=True):
            self.tensors.setdefault(id(inner), outer)
        if op.blocks:
            operation.blocks = tuple(blocks)
            operation.extras = [
                (self.blocks[id(home)], None if what is None else self.tensors[id(what)])
                for home, what in op.extras
            ]
            for block in blocks:
                block.owner = operation

    def _described(self, op: Operation, spread: tuple[Any, ...]) -> list[tuple[Any, Any]]:
        """Return (dtype, shape) of each output; more may be known of it than in the trace."""
        described = [(output._dtype, output._dims) for output in op.outputs]
        # Shapes in loops and branches are those that all their iterations and arms agreed on.
        if op.block is not None or op.blocks or all(_is_known(dims) for _, dims in described):
            return described
        inferred = inferred_shapes(op, spread)
        if inferred is None:
            return described
        pairs = zip(described, inferred, strict=True)
        return [(dtype, _merged(dims, other)) for (dtype, dims), other in pairs]

    def _block(self, block: Block) -> Block:
        result = Block(self.target, block.repeats)
        self.blocks[id(block)] = result
        with result.entered():
            for op in block.operations:
                self._copy(op)
        result.parameters = [None if p is None else self.tensors[id(p)] for p in block.parameters]
        result.outputs = [self.tensors[id(tensor)] for tensor in block.outputs]
        acted = [self.operations[op.id] for op in block.operations if acts(op)]
        if acted and result.outputs and not self.target.runs_effects:
            # A graph of TensorFlow 1 runs nothing that no result depends on.
            with result.entered(), self.target._changed(control=tuple(acted)):
                result.outputs = [identity(output) for output in result.outputs]
        if block.position is not None:
            result.position = self.tensors.get(id(block.position))
        return result


def dependencies(ends: list[Any], inputs: list[GraphTensor]) -> list[Operation]:
    """Return all operations that `ends` depend on, in order, no further than what is given."""
    known = {id(tensor) for tensor in inputs}
    needed: dict[int, Operation] = {}
    waiting = [
        end if isinstance(end, Operation) else end.op
        for end in ends
        if isinstance(end, Operation) or id(end) not in known
    ]
    while waiting:
        op = waiting.pop()
        if op.id not in needed:
            needed[op.id] = op
            waiting.extend(op.control)
            waiting.extend(tensor.op for tensor in op.inputs if id(tensor) not in known)
    return [needed[number] for number in sorted(needed)]


def _is_known(dims: Any) -> bool:
    return dims is not None and None not in dims


def _merged(dims: Any, inferred: Any) -> Any:
    """Return what two shapes of one tensor say together; the first, if they contradict."""
    if dims is None or inferred is None:
        return inferred if dims is None else dims
    if len(dims) != len(inferred):
        return dims
    return tuple([b if a is None else a for a, b in zip(dims, inferred, strict=True)])


_OWN = frozenset({"block", "blocks", "extras", "known"})
