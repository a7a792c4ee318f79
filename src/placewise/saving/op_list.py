"""Op declarations as OpDef messages: what a meta graph says about the ops it uses."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.graph.op_def import op_def
from placewise.ops.declare import REGISTRY


def stripped_op_list(graph_def: Any) -> Any:
    """Return the OpDefs of the ops that a GraphDef uses, by name."""
    used = {node.op for node in graph_def.node}
    for function in graph_def.library.function:
        used.update(node.op for node in function.node_def)
    made = messages.OpList()
    made.op.extend(op_def(REGISTRY[name]) for name in sorted(used) if name in REGISTRY)
    return made
