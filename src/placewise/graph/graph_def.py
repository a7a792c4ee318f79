"""Graphs as GraphDef messages: written out, and read in again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise import messages
from placewise.core.foreign_words import read_as
from placewise.graph.defaults import get_default_graph
from placewise.graph.function_defs import Library, Scope, to_node_def, write
from placewise.graph.graph import Graph
from placewise.graph.import_graph_def import Importer, load_ops_of
from placewise.graph.node_checks import check_nodes, full
from placewise.graph.program_order import awaited_operations

PRODUCER = 134
_LAST_WITHOUT_UNKNOWN_SHAPES = 21

__all__ = ["import_graph_def", "to_graph_def", "to_node_def"]


def versions() -> Any:
    """Return the versions of the GraphDefs written here."""
    return messages.VersionDef(producer=PRODUCER)


def to_graph_def(graph: Graph, from_version: int | None = None, add_shapes: bool = False) -> Any:
    """Return the operations of a graph as a GraphDef; blocks are functions of its library."""
    graph_def = messages.GraphDef()
    graph_def.versions.CopyFrom(versions())
    start = 0 if from_version is None else from_version
    operations = graph.get_operations()
    scope = Scope(Library(graph_def, {op.name for op in operations}), graph_def.node, None)
    if graph.runs_effects:  # of a function, whose order is that of the program
        scope.order = awaited_operations([op for op in operations if op.block is None])
    for op in operations[start:]:
        if op.block is None:
            write(scope, op, add_shapes)
    graph_def.library.function.extend(added.function_def for added in graph.library.values())
    return graph_def


def import_graph_def(
    graph_def: Any,
    input_map: dict[str, Any] | None = None,
    return_elements: Sequence[Any] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> Any:
    """Add the nodes of a GraphDef to the default graph, under a name prefix.

    Returns the `return_elements` (names of operations or tensors), or None.
    """
    if not isinstance(graph_def, messages.GraphDef):
        raise TypeError(
            f"Argument `graph_def` must be a GraphDef proto. Received: {type(graph_def).__name__}."
        )
    load_ops_of(graph_def)
    graph = get_default_graph()
    prefix = "import" if name is None else name
    prefix = graph.unique_name(prefix.rstrip("/")) + "/" if prefix else ""
    mapped = {full(_text(key)): value for key, value in (input_map or {}).items()}
    library = {item.signature.name: item for item in graph_def.library.function}
    check_nodes(graph_def.node, mapped)
    importer = Importer(graph, library, prefix, mapped)
    importer.has_old_placeholders = graph_def.versions.producer <= _LAST_WITHOUT_UNKNOWN_SHAPES
    importer.outer_devices = graph.scopes.devices
    importer.reserve(graph_def.node)
    with graph._changed(name="", gradients=""), read_as("The GraphDef"):
        importer.add_all(graph_def.node)
    importer.follow_groups(graph_def.node)
    unknown = set(mapped) - importer.used
    if unknown:
        raise ValueError(
            "Attempted to map inputs that were not found in graph_def: "
            f"[{', '.join(sorted(unknown))}]"
        )
    if return_elements is None:
        return None
    return [_element(importer, _text(element)) for element in return_elements]


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _element(importer: Importer, text: str) -> Any:
    if ":" in text:
        name, _, index = text.rpartition(":")
        if int(index) < len(importer.values.get(name, ())):
            return importer.values[name][int(index)]
    elif text in importer.operations:
        return importer.operations[text]
    raise ValueError(f"Requested return_element {text!r} not found in graph_def.")
