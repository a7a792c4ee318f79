"""A traced graph once more, with nothing known of its arguments' shapes.

TensorFlow runs a trace on tensors of other shapes than it was traced for: what the trace read of
shapes stays as it was, and each op decides for itself. A plan relies on the shapes of its graph, so
that such calls need a graph that knows none.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.functions.func_graph import FuncGraph
from placewise.functions.inline import Inliner
from placewise.graph.operation import Operation
from placewise.graph.recorder import inferred_shapes
from placewise.graph.tensor import GraphTensor

_SCALAR = (dtypes.resource, dtypes.variant)


def without_shapes(
    graph: FuncGraph, outputs: list[GraphTensor], effects: list[Operation]
) -> tuple[FuncGraph, list[GraphTensor]]:
    """Return a copy of a function's graph that takes arguments of any shape, and its outputs."""
    result = FuncGraph(graph.name, None)
    inputs = [*graph.inputs, *graph.internal_captures]
    with result.as_default():
        copier = _Copier(result, "")
        for tensor in graph.inputs:
            dims = tensor._dims if tensor.dtype in _SCALAR else None
            argument = result.argument(tensor.dtype, dims, tensor.op.name)
            argument.op.__dict__.update(
                {key: tensor.op.__dict__.get(key) for key in ("handle_dtype", "handle_shape")}
            )
            result.inputs.append(argument)
            copier.bind(tensor, argument)
        for outer, held in graph.captures:
            copier.bind(held, result.capture(outer))
        for outer, held in graph.constants.values():  # gradient tapes ask for these by identity
            copier.bind(held, result.capture(outer))
        copier.copy_needed(graph, [*outputs, *effects], inputs)
        copied = [copier.tensor(tensor) for tensor in outputs]
    result.accessed = graph.accessed
    return result, copied


class _Copier(Inliner):
    """Copies operations, and infers shapes anew where those of the inputs are not the same."""

    def _described(self, op: Operation, spread: tuple[Any, ...]) -> list[tuple[Any, Any]]:
        described = [(output._dtype, output._dims) for output in op.outputs]
        if op.block is None and not op.blocks:
            copies = [self.tensors[id(tensor)] for tensor in op.inputs]
            pairs = zip(op.inputs, copies, strict=True)
            if all(mine._dims == copy._dims for mine, copy in pairs):
                return described
            inferred = inferred_shapes(op, spread)
            if inferred is not None:
                return [(dtype, dims) for (dtype, _), dims in zip(described, inferred, strict=True)]
        # Loops and branches agreed on shapes that follow from the arguments'.
        return [(dtype, dims if dtype in _SCALAR else None) for dtype, dims in described]
