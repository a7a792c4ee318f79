"""The data of a page from a recording. Tables are by column: they are smaller and load faster."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from placewise.profiler.memory_curve import HOST
from placewise.profiler.recording import Recording, called
from placewise.reports.device_facts import DeviceFacts
from placewise.reports.texts import TextTable

_MOST_SAMPLES = 4000  # of a memory curve
_MOST_RUNS = 4000  # durations; detailed runs always


def run_data(
    recording: Recording,
    devices: Sequence[DeviceFacts],
    *,
    program: str = "",
    error: str = "",
) -> dict[str, Any]:
    """Return what a page shows of a run. `error`: what ended the program, empty if nothing did."""
    texts = TextTable()
    micros = _Clock(recording.began)
    names = {fact.name: number for number, fact in enumerate(devices)}
    return {
        "kind": "run",
        "title": program or "this process",
        "started": _date(recording.began_epoch_ns),
        "seconds": (recording.ended - recording.began) / 1e9,
        "python": platform.python_version(),
        "host": f"{platform.system()} {platform.machine()}",
        "command": " ".join(sys.argv),
        "error": error,
        "notes": recording.notes,
        "devices": [fact.to_json() for fact in devices],
        "nodes": _nodes(recording, names, texts),
        "ops": _ops(recording, micros),
        "copies": _copies(recording, names, texts, micros),
        "groups": _groups(recording),
        "runs": _runs(recording, micros),
        "memory": _memory(recording, micros),
        "texts": texts.texts,
    }


def _date(nanoseconds: int) -> str:
    moment = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


class _Clock:
    """Microseconds since the recording began, to a tenth."""

    def __init__(self, began: int) -> None:
        self._began = began

    def __call__(self, moment: int) -> float:
        return round((moment - self._began) / 1000, 1)


def _nodes(recording: Recording, devices: dict[str, int], texts: TextTable) -> dict[str, Any]:
    nodes = recording.nodes
    return {
        "op": [texts.number(node.op) for node in nodes],
        "name": [node.name for node in nodes],
        "device": [devices.get(node.device, -1) for node in nodes],
        "requested": [texts.number(node.requested) for node in nodes],
        "reason": [texts.number(node.reason) for node in nodes],
        "line": [texts.number(node.line) for node in nodes],
        "fell": [int(node.fell_back) for node in nodes],
        "state": [int(node.is_state) for node in nodes],
        "group": [node.group for node in nodes],
        "inputs": [[texts.number(text) for text in node.inputs] for node in nodes],
        "outputs": [[texts.number(text) for text in node.outputs] for node in nodes],
        "fused": [list(node.fused) for node in nodes],
        "sources": [sorted(node.sources) for node in nodes],
        "count": [node.count for node in nodes],
        "total": [round(node.total_ns / 1000, 1) for node in nodes],
    }


def _ops(recording: Recording, micros: _Clock) -> dict[str, Any]:
    ops = recording.ops
    threads: dict[int, int] = {recording.main_thread: 0}
    return {
        "node": [op.node for op in ops],
        "start": [micros(op.start) for op in ops],
        "length": [round((op.finish - op.start) / 1000, 1) for op in ops],
        "run": [op.run for op in ops],
        "thread": [threads.setdefault(op.thread, len(threads)) for op in ops],
    }


def _copies(
    recording: Recording, devices: dict[str, int], texts: TextTable, micros: _Clock
) -> dict[str, Any]:
    copies = recording.copies
    return {
        "source": [devices.get(copy.copy.source, -1) for copy in copies],
        "target": [devices.get(copy.copy.target, -1) for copy in copies],
        "start": [micros(copy.start) for copy in copies],
        "length": [round((copy.finish - copy.start) / 1000, 1) for copy in copies],
        "bytes": [copy.copy.bytes for copy in copies],
        "kind": [texts.number(copy.copy.kind) for copy in copies],
        "tensor": [texts.number(copy.copy.tensor) for copy in copies],
        "reader": [texts.number(copy.copy.op) for copy in copies],
        "maker_op": [copy.maker for copy in copies],
        "reader_op": [copy.reader for copy in copies],
        "run": [copy.run for copy in copies],
    }


def _groups(recording: Recording) -> list[dict[str, Any]]:
    return [
        {
            "kind": group.kind,
            "label": group.label,
            "line": group.line,
            "count": group.count,
            "total": group.total_ns / 1000,
            "shortest": group.shortest_ns / 1000,
            "longest": group.longest_ns / 1000,
        }
        for group in recording.groups
    ]


def _runs(recording: Recording, micros: _Clock) -> dict[str, Any]:
    runs = recording.runs
    # Ops refer to runs by number: detailed ones stay, of the others every n-th.
    stride = len(runs) // _MOST_RUNS + 1
    kept = [n for n, run in enumerate(runs) if run.is_detailed or n % stride == 0]
    return {
        "id": kept,
        "group": [runs[n].group for n in kept],
        "number": [runs[n].number for n in kept],
        "start": [micros(runs[n].start) for n in kept],
        "length": [round((runs[n].finish - runs[n].start) / 1000, 1) for n in kept],
        "detailed": [int(runs[n].is_detailed) for n in kept],
        "failed": [int(runs[n].failed) for n in kept],
    }


def _memory(recording: Recording, micros: _Clock) -> list[dict[str, Any]]:
    curves = []
    for device, samples in sorted(recording.memory.items()):
        stride = len(samples) // _MOST_SAMPLES + 1
        # Of the samples between two that are kept the largest is shown: a peak must not vanish.
        kept = [
            max(samples[n : n + stride], key=lambda sample: sample.nbytes)
            for n in range(0, len(samples), stride)
        ]
        curves.append(
            {
                "device": "host" if device == HOST else called(device),
                "time": [micros(sample.time) for sample in kept],
                "bytes": [sample.nbytes for sample in kept],
            }
        )
    return curves
