"""From the names of variables to the keys of a checkpoint of objects."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.ops.checkpoint.formats import opened
from placewise.saving.saveable import SaveableObject

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


def object_graph(checkpoint: Any) -> Any:
    """Return the TrackableObjectGraph of an opened checkpoint, or None if it has none."""
    if not checkpoint.has(OBJECT_GRAPH):
        return None
    return messages.TrackableObjectGraph.FromString(checkpoint.read(OBJECT_GRAPH)[()])


def full_names(prefix: str) -> dict[str, str] | None:
    """Return variable name → key for a checkpoint of objects; None for one by names."""
    with opened(prefix) as checkpoint:
        graph = object_graph(checkpoint)
    if graph is None:
        return None
    return {
        attribute.full_name: attribute.checkpoint_key
        for node in graph.nodes
        for attribute in node.attributes
    }


def renamed(saveables: list[SaveableObject], keys: dict[str, str]) -> dict[str, Any] | None:
    """Return what to save by key of the checkpoint; None if it lacks one."""
    made = {}
    for each in saveables:
        if each.name not in keys:
            return None
        made[keys[each.name]] = each.op
    return made
