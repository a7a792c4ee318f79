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
    """Return the graph that ops are added to in this thread.

    That is the graph of the innermost `with graph.as_default()`, or one of the whole process, which
    is made when it is first asked for.

    >>> with tf.Graph().as_default() as graph:
    ...     tf.compat.v1.get_default_graph() is graph
    True
    """
    graph = current.interpreter.graph
    return graph if graph is not None else process_graph()


def process_graph() -> Graph:
    """Return the graph of the whole process, made when it is first asked for."""
    if _default.graph is None:
        _default.graph = Graph()
    return _default.graph


def get_name_scope() -> str:
    """Return the prefix that names get here, without the last slash; eager ops have one too."""
    if current.interpreter.graph is None:
        return current.name_scope.rstrip("/")
    return get_default_graph().get_name_scope()


def reset_default_graph() -> None:
    """Begin a new default graph, and forget the old one.

    Tensors, variables and sessions of the old graph do not work with the new one. Raises
    AssertionError inside a `with graph.as_default()` block.

    >>> before = tf.compat.v1.get_default_graph()
    >>> tf.compat.v1.reset_default_graph()
    >>> tf.compat.v1.get_default_graph() is before
    False
    """
    inside = current.interpreter.graph
    if inside is not None and inside is not process_graph():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    graph_mode = era.base is not None
    _default.graph = Graph()
    if graph_mode:
        disable_eager_execution()


def disable_eager_execution() -> None:
    """Let ops be written into the default graph from now on, as in TensorFlow 1.

    Call it before anything else. `enable_eager_execution` undoes it.

    >>> tf.compat.v1.disable_eager_execution()
    >>> tf.executing_eagerly()
    False
    """
    recorder = Recorder(process_graph())
    era.base = recorder
    current.interpreter = recorder
    current.fast = None
    era.dimensions_are_objects = True
    process_graph().tensor_equality = False


def enable_eager_execution() -> None:
    """Let ops run at once from now on, as in TensorFlow 2."""
    era.base = None
    current.interpreter = Scope.eager
    era.dimensions_are_objects = False


def container(container_name: str) -> Any:
    """Return a context in which ops of the default graph keep their state in a container."""
    return get_default_graph().container(container_name)


def enable_tensor_equality() -> None:
    """Let `==` of tensors and variables compare elements, as in TensorFlow 2."""
    era.compares_tensors = True
    process_graph().tensor_equality = True


def disable_tensor_equality() -> None:
    """Let `==` of tensors and variables be identity, as in TensorFlow 1; they can be hashed."""
    era.compares_tensors = False
    process_graph().tensor_equality = False
