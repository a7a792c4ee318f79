"""`tf.compat.v1.profiler.profile` and `Profiler`: a graph by name scopes, or by types of ops."""

from __future__ import annotations

import sys
from typing import Any

from placewise import messages
from placewise.core.errors import hint
from placewise.graph.defaults import get_default_graph
from placewise.profiler.model import views
from placewise.profiler.model.measures import measured_operations
from placewise.profiler.model.options import ProfileOptionBuilder

_VIEWS = {"scope": views.by_scope, "op": views.by_type}


def profile(
    graph: Any = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Any = 0,
) -> Any:
    """Return the parameters, float operations, time and memory of a graph's parts, and print them.

    `graph`: by default the default graph.
    `run_meta`: RunMetadata of a traced run, for time, memory, and shapes only known when it runs.
    `cmd`: 'scope' returns a GraphNodeProto with a child for each name scope, 'op' a
    MultiGraphNodeProto with the types of ops.
    `options`: from `ProfileOptionBuilder`; it says what is measured and where the report goes. 0
    means the builder's defaults.

    Raises ValueError for another `cmd` or `output`.

    >>> with tf.Graph().as_default() as graph:
    ...     product = tf.matmul(tf.ones([2, 3]), tf.ones([3, 4]))
    >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
    >>> options = builder(builder.float_operation()).with_empty_output().build()
    >>> tf.compat.v1.profiler.profile(graph, options=options).total_float_ops
    48
    """
    if op_log is not None:
        raise ValueError(
            hint("op_log is not supported.", "float operations are counted from the graph itself")
        )
    profiler = Profiler(graph)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    return profiler._profile(cmd, options or ProfileOptionBuilder().build())


class Profiler:
    """A graph and the traced steps it ran, to look at in several ways.

    `graph`: by default the default graph. `add_step(step, run_meta)` adds a traced step; the
    `profile_...` methods take options from `ProfileOptionBuilder`.
    """

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        if op_log is not None:
            raise ValueError(hint("op_log is not supported.", "leave it out"))
        self._graph = get_default_graph() if graph is None else graph
        self._steps: dict[int, Any] = {}

    def add_step(self, step: int, run_meta: Any) -> None:
        """Add the RunMetadata of a traced step."""
        copy = messages.RunMetadata()
        copy.ParseFromString(run_meta.SerializeToString())
        self._steps[step] = copy

    def profile_name_scope(self, options: dict[str, Any]) -> Any:
        """Return a GraphNodeProto with a child for each name scope."""
        return self._profile("scope", options)

    def profile_operations(self, options: dict[str, Any]) -> Any:
        """Return a MultiGraphNodeProto with the types of ops."""
        return self._profile("op", options)

    def _profile(self, cmd: str, options: dict[str, Any]) -> Any:
        if cmd not in _VIEWS:
            raise ValueError(
                hint(f"Invalid cmd: {cmd!r}.", "'scope' shows name scopes, 'op' types of ops")
            )
        step = options.get("step", -1)
        steps = self._steps.values() if step < 0 else [self._steps[step]]
        operations = measured_operations(self._graph, steps)
        result, lines = _VIEWS[cmd](operations, options)
        _write(views.report(options, cmd, lines), options.get("output", "stdout"))
        return result


def _write(text: str, output: str) -> None:
    kind, _, arguments = output.partition(":")
    if kind == "stdout":
        sys.stdout.write(text)
    elif kind == "file":
        with open(arguments.removeprefix("outfile="), "w") as file:
            file.write(text)
    elif kind != "none":
        raise ValueError(
            hint(
                f"Unknown output: {output!r}.",
                "it is 'stdout', 'none' or 'file:outfile=...'; for a timeline see "
                "`placewise run --trace`",
            )
        )
