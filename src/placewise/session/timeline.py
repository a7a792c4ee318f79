"""`Timeline`: the step stats of a run as a trace that Chrome and Perfetto show."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class AllocationMaximum(NamedTuple):
    """When an allocator held the most bytes, how many, and for which operations."""

    timestamp: int
    num_bytes: int
    tensors: set[str]


class ChromeTrace:
    """Events in Chrome's trace format."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self._events = events

    def format_to_string(self, pretty: bool = False) -> str:
        """Return the events as JSON text."""
        return json.dumps({"traceEvents": self._events}, indent=4 if pretty else None)


class StepStatsAnalysis(NamedTuple):
    """What `Timeline.analyze_step_stats` returns."""

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class Timeline:
    """Turns StepStats into Chrome's trace format: a row per device, an event per operation."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._graph = graph

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """Return the trace as JSON text."""
        return self._trace(show_dataflow, show_memory).format_to_string(pretty=True)

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """Return the trace, and for each allocator when it held the most bytes.

        `op_time` is accepted for old programs: ops are shown from start to end in any case.
        """
        if op_time not in ("schedule", "gpu", "all"):
            raise ValueError(f"op_time is 'schedule', 'gpu' or 'all', received {op_time!r}")
        maximums: dict[str, AllocationMaximum] = {}
        for device in self._step_stats.dev_stats:
            for node in device.node_stats:
                for used in node.memory:
                    most = maximums.get(used.allocator_name)
                    size = used.peak_bytes or used.total_bytes
                    if most is None or size > most.num_bytes:
                        maximums[used.allocator_name] = AllocationMaximum(
                            node.all_start_micros, size, {node.node_name}
                        )
        return StepStatsAnalysis(self._trace(show_dataflow, show_memory), maximums)

    def _trace(self, show_dataflow: bool, show_memory: bool) -> ChromeTrace:
        events: list[dict[str, Any]] = []
        producers: dict[str, tuple[int, int, int]] = {}
        later: list[tuple[str, int, int, int]] = []
        for number, device in enumerate(self._step_stats.dev_stats):
            pid = 2 * number + 1
            events.append(_process(f"{device.device} Compute", pid))
            events.append(_process(f"{device.device} Tensors", pid + 1))
            for node in device.node_stats:
                op, inputs = _read_label(node.timeline_label)
                duration = max(node.all_end_rel_micros, 1)
                events.append(
                    {
                        "name": op or node.node_name,
                        "cat": "Op",
                        "ph": "X",
                        "pid": pid,
                        "tid": 0,
                        "ts": node.all_start_micros,
                        "dur": duration,
                        "args": {
                            "name": node.node_name,
                            "op": op,
                            **{f"input{i}": name for i, name in enumerate(inputs)},
                        },
                    }
                )
                producers[node.node_name] = (pid, node.all_start_micros + duration, len(producers))
                later += [(name, pid, node.all_start_micros, 0) for name in inputs]
                if show_memory:
                    events += _memory(node, pid + 1)
        if show_dataflow:
            events += _flows(producers, later)
        return ChromeTrace(events)


def _process(name: str, pid: int) -> dict[str, Any]:
    return {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}


def _read_label(label: str) -> tuple[str, list[str]]:
    _, _, call = label.partition(" = ")
    op, _, rest = call.partition("(")
    names = [name.strip().lstrip("^") for name in rest.rstrip(")").split(",") if name.strip()]
    return op, names


def _memory(node: Any, pid: int) -> list[dict[str, Any]]:
    total = sum(used.total_bytes for used in node.memory)
    return [
        {
            "name": node.node_name,
            "cat": "Tensor",
            "ph": "C",
            "pid": pid,
            "tid": 0,
            "ts": node.all_start_micros,
            "args": {"bytes": total},
        }
    ]


def _flows(producers: dict[str, tuple[int, int, int]], later: list[Any]) -> list[dict[str, Any]]:
    """Return arrows from where a value was made to where it was used."""
    events: list[dict[str, Any]] = []
    for name, pid, start, _ in later:
        if name not in producers:
            continue
        source, end, number = producers[name]
        common = {"name": name, "cat": "DataFlow", "tid": 0, "id": number}
        events.append({**common, "ph": "s", "pid": source, "ts": end})
        events.append({**common, "ph": "t", "pid": pid, "ts": start})
    return events
