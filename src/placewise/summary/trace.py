"""tf.summary.trace_on, trace_export, trace_off: the graphs of the functions that ran, and times."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.log import get_logger
from placewise.core.runtime import State, runtime
from placewise.core.scope import watch
from placewise.functions.call_log import call_log
from placewise.graph.graph_def import to_node_def
from placewise.ops.flow.context import executing_eagerly
from placewise.profiler import capture
from placewise.summary.records import write

if TYPE_CHECKING:
    from placewise.functions.function_types import ConcreteFunction


_lock = threading.Lock()


@dataclass(slots=True)
class Tracing(State):
    """The trace that is on; None where there is none."""

    trace: Trace | None = None


_tracing = runtime.state(Tracing)


class Trace:
    """What runs while it is on: each function once, in the order of their first calls."""

    def __init__(self, graph: bool, profiler: bool, outdir: Any) -> None:
        self.graph, self.profiler, self.outdir = graph, profiler, outdir
        self.functions: dict[int, Any] = {}

    def saw(self, concrete: ConcreteFunction) -> None:
        """Note a function that runs."""
        self.functions.setdefault(id(concrete), concrete)

    def ran(self, *_: object) -> None:
        """Be told of single ops, which a graph does not show."""

    def begin(self) -> None:
        """Start to look."""
        call_log.listeners.append(self.saw)
        watch.after_op.append(self.ran)
        watch.refresh()

    def end(self) -> None:
        """Look no more."""
        call_log.listeners.remove(self.saw)
        watch.after_op.remove(self.ran)
        watch.refresh()

    def metadata(self) -> Any:
        """Return the graphs as RunMetadata: as written, and as placed on each device."""
        told = messages.RunMetadata()
        for concrete in self.functions.values():
            graphs = told.function_graphs.add()
            written = concrete.graph.as_graph_def(add_shapes=True)
            _set_devices(written, concrete)
            graphs.pre_optimization_graph.CopyFrom(written)
            for placed in _placed(concrete):
                graphs.partition_graphs.append(placed)
                graphs.post_optimization_graph.node.extend(placed.node)
                told.partition_graphs.append(placed)
        return told


def _set_devices(graph: Any, concrete: Any) -> None:
    """Let nodes say where they ran: TensorBoard colours the graph as written, by this field."""
    devices = {
        step.op.name: step.device.name
        for runner in concrete.executor.runners()
        for step in runner.plan.every
        if step.op is not None
    }
    for node in graph.node:
        node.device = devices.get(node.name, node.device)


def _placed(concrete: Any) -> list[Any]:
    """Return what runs on each device, as GraphDefs."""
    found: dict[str, Any] = {}
    for runner in concrete.executor.runners():
        for step in runner.plan.every:
            if step.op is None or step.op.blocks:
                continue
            graph = found.setdefault(step.device.name, messages.GraphDef())
            node = to_node_def(step.op)
            node.device = step.device.name
            graph.node.append(node)
    return list(found.values())


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Begin to note the functions that run, and with `profiler` also how long kernels take."""
    if not executing_eagerly():
        get_logger().warning("Cannot enable trace inside a tf.function.")
        return
    with _lock:
        if _tracing.trace is not None:
            get_logger().warning("Trace already enabled")
            return
        if profiler and profiler_outdir is None:
            get_logger().warning(
                "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled."
            )
        made = Trace(graph, profiler and profiler_outdir is not None, profiler_outdir)
        if made.profiler:
            capture.start(profiler_outdir)
        if graph:
            made.begin()
        _tracing.trace = made


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Write what was noted since `trace_on`, and end it."""
    if not executing_eagerly():
        get_logger().warning("Cannot export trace inside a tf.function.")
        return
    with _lock:
        found = _tracing.trace
        if found is None:
            raise ValueError("Must enable trace before export through tf.summary.trace_on.")
        _tracing.trace = None
    if found.graph:
        found.end()
        kind = "graph_run_metadata" if found.profiler else "graph_run_metadata_graph"
        metadata = messages.SummaryMetadata(
            plugin_data=messages.SummaryMetadata.PluginData(plugin_name=kind, content=b"1")
        )
        write(name, found.metadata().SerializeToString(), step, metadata)
    if found.profiler:
        capture.stop()


def trace_off() -> None:
    """End what `trace_on` began, and write nothing."""
    with _lock:
        found, _tracing.trace = _tracing.trace, None
    if found is None:
        return
    if found.graph:
        found.end()
    if found.profiler:
        capture.stop(save=False)
