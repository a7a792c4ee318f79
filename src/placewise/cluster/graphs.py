"""The graph of a session on its master, which grows as the session sends more nodes."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core.errors import InvalidArgumentError
from placewise.graph.graph import Graph
from placewise.graph.import_graph_def import Importer
from placewise.graph.node_checks import check_nodes
from placewise.ops.registry import load_everything


class GrowingGraph:
    """A graph that is read from GraphDefs; later ones refer to nodes of those before."""

    def __init__(self) -> None:
        load_everything()
        self.graph = Graph()
        self._importer = Importer(self.graph, {}, "", {})

    def extend(self, raw: bytes) -> None:
        """Add the nodes of a GraphDef; if one is wrong, none is added."""
        graph_def = messages.GraphDef()
        try:
            graph_def.ParseFromString(raw)
        except Exception:  # protobuf's DecodeError
            raise InvalidArgumentError(None, None, "A malformed GraphDef was received.") from None
        importer = self._importer
        before = self.graph.version, dict(importer.operations), dict(importer.values)
        try:
            with self.graph.as_default():
                self._add(graph_def)
        except Exception as problem:
            version, importer.operations, importer.values = before
            self.graph.forget_since(version)
            if isinstance(problem, (ValueError, KeyError, TypeError, IndexError)):
                raise InvalidArgumentError(None, None, str(problem)) from None
            raise

    def _add(self, graph_def: Any) -> None:
        importer = self._importer
        check_nodes(graph_def.node, _Known(importer))
        for function in graph_def.library.function:
            importer.library[function.signature.name] = function
        importer.reserve(graph_def.node)
        with self.graph._changed(name="", gradients=""):
            for node in graph_def.node:
                importer.add(node)
        importer.follow_groups(graph_def.node)
        forget_origins(self.graph)


def forget_origins(graph: Graph) -> None:
    """Let no operation of a graph that arrived claim a line of this process's program.

    The session knows the lines; it adds them to errors.
    """
    for op in graph._operations:
        op.origin = None


class _Known:
    """The inputs that nodes of earlier GraphDefs answer."""

    def __init__(self, importer: Importer) -> None:
        self._importer = importer

    def __contains__(self, text: object) -> bool:
        if not isinstance(text, str):
            return False
        if text.startswith("^"):
            return text[1:] in self._importer.operations
        node, _, index = text.rpartition(":")
        return index.isdigit() and int(index) < len(self._importer.values.get(node, ()))

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return len(self._importer.operations)
