"""What training programs write to event files besides summaries: graphs, session logs, rates.

The supervisor and the hooks of a monitored session write the same events, so both call this.
"""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core.log import get_logger
from placewise.saving.meta_graph import export_meta_graph


def write_session_log(
    writer: Any, status: str, step: Any = None, checkpoint_path: str = ""
) -> None:
    """Write that a session has the status `START`, `STOP` or `CHECKPOINT`."""
    log = messages.SessionLog(
        status=messages.SessionLog.SessionStatus.Value(status), checkpoint_path=checkpoint_path
    )
    writer.add_session_log(log, step)


def write_program(writer: Any, graph: Any, saver: Any) -> None:
    """Write a graph, and the meta graph that restores it with `saver` (None without one)."""
    writer.add_graph(graph)
    meta_graph = export_meta_graph(
        graph=graph,
        graph_def=graph.as_graph_def(add_shapes=True),
        saver_def=saver.saver_def if saver else None,
    )
    writer.add_meta_graph(meta_graph)


def report_rate(writer: Any, tag: str, steps: int, seconds: float, step: int) -> None:
    """Log how many steps a second were taken, and write it if there is a writer."""
    rate = steps / seconds if seconds else float("inf")
    if writer is not None:
        value = messages.Summary.Value(tag=tag, simple_value=rate)
        writer.add_summary(messages.Summary(value=[value]), step)
    get_logger().info("%s: %g", tag, rate)
