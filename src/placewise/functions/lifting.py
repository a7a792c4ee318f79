"""Values that a function computes while it is traced, wanted now: what its variables begin with."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.functions.executing import Executor
from placewise.graph.tensor import GraphTensor


def computed_now(value: Any) -> Any:
    """Return `value` with every symbolic tensor replaced by what it is."""
    leaves = nest.flatten(value)
    if not any(isinstance(leaf, GraphTensor) for leaf in leaves):
        return value
    return (
        nest.pack_sequence_as(
            value, [_computed(leaf) if isinstance(leaf, GraphTensor) else leaf for leaf in leaves]
        )
        if nest.is_nested(value)
        else _computed(value)
    )


def _computed(tensor: GraphTensor) -> Any:
    from placewise.ops.flow.surroundings import init_scope

    graph = tensor.op.graph
    arguments = {id(each) for each in graph.inputs}
    waiting, seen = [tensor], set()
    while waiting:
        each = waiting.pop()
        if id(each) in arguments:
            raise ValueError(
                f"A tf.Variable made inside a tf.function begins with {tensor!r}, which depends "
                f"on the argument '{each.op.name}'. Make the variable outside of the function, or "
                "give it a value that does not depend on the arguments."
            )
        if each.op.id not in seen:
            seen.add(each.op.id)
            waiting.extend(each.op.inputs)
    with init_scope():
        (made,) = Executor(graph, [], [tensor], []).run([])
    return made
