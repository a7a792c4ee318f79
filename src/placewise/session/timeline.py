"""`Timeline`: the step stats of a run as a trace that Chrome and Perfetto show."""

from __future__ import annotations

import json
from typing import Any


class Timeline:
    """Turns StepStats into Chrome's trace format: a row per device, an event per operation."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._graph = graph

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """Return the trace as JSON text."""
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
        return json.dumps({"traceEvents": events}, indent=4)


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
