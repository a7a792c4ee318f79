"""The default graph of a process, and which world a program starts in: eager or graph."""

from __future__ import annotations

from typing import Any

from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current, era
from placewise.graph.graph import Graph
from placewise.graph.recorder import Recorder


class DefaultGraph(State):
    """The graph that ops go into outside of `with graph.as_default()`; None until one asks."""

    graph: Graph | None = None


_default = runtime.state(DefaultGraph)


def get_default_graph() -> Graph:
    """Return the graph that ops are added to in this thread."""
    graph = current.interpreter.graph
    return graph if graph is not None else _process_graph()


def _process_graph() -> Graph:
    if _default.graph is None:
        _default.graph = Graph()
    return _default.graph


def reset_default_graph() -> None:
    """Begin a new default graph; not inside a `with graph.as_default()` block."""
    inside = current.interpreter.graph
    if inside is not None and inside is not _process_graph():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    graph_mode = era.base is not None
    _default.graph = Graph()
    if graph_mode:
        disable_eager_execution()


def disable_eager_execution() -> None:
    """Let ops be written into the default graph from now on, as in TensorFlow 1."""
    recorder = Recorder(_process_graph())
    era.base = recorder
    current.interpreter = recorder
    current.fast = None
    era.dimensions_are_objects = True
    _process_graph().tensor_equality = False


def enable_eager_execution() -> None:
    """Let ops run at once from now on, as in TensorFlow 2."""
    era.base = None
    current.interpreter = Scope.eager
    era.dimensions_are_objects = False


def container(container_name: str) -> Any:
    """Return a context in which ops of the default graph keep their state in a container."""
    return get_default_graph().container(container_name)
