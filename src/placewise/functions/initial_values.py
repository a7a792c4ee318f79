"""Values that a function computes while it is traced, wanted now: what its variables begin with."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.functions.execution import Executor
from placewise.functions.inline import dependencies
from placewise.graph.tensor import GraphTensor
from placewise.ops.flow.context import eager_scope
from placewise.ops.values import EagerTensor


def computed_now(value: Any, known: dict[int, Any]) -> Any:
    """Return `value` with every symbolic tensor replaced by what it is.

    `given` are the placeholders of the function with the arguments of the call that traces it.
    """
    if isinstance(value, GraphTensor):
        # A graph around the function runs later: the variable is made in it, and so is the value.
        return _computed(value, known) if value.op.graph.building_function else value
    if not nest.is_nested(value):
        return value
    return nest.map_structure(lambda leaf: computed_now(leaf, known), value)


def _computed(tensor: GraphTensor, known: dict[int, Any]) -> Any:
    graph = tensor.op.graph
    reached = {op.id for op in dependencies([tensor], [])}
    read = [pair for pair in known.values() if pair[0].op.id in reached]
    for placeholder, argument in read:
        if not isinstance(argument, EagerTensor):
            raise ValueError(
                f"A tf.Variable made inside a tf.function begins with {tensor!r}, which depends "
                f"on the argument '{placeholder.op.name}', of which there is no value yet. Call "
                "the function before you ask for a concrete one, or make the variable outside."
            )
    with eager_scope():
        executor = Executor(graph, [placeholder for placeholder, _ in read], [tensor], [])
        (result,) = executor.run([argument for _, argument in read])
    return result
