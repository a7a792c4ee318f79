"""A recording in Chrome's trace format, which Perfetto and chrome://tracing show.

A process per device with a track per thread that ran ops there, a process with a track per link,
arrows from the op that made a value to its copy and on to the op that read it, and a counter of
the memory in use per device.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from placewise.profiler.memory_curve import HOST
from placewise.profiler.recording import Recording, called

Event = dict[str, Any]
_PROGRAM, _COPIES, _FIRST_DEVICE = 1, 2, 10


def to_json(recording: Recording) -> str:
    """Return the trace as JSON text."""
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": list(events(recording))})


def to_gzip(recording: Recording) -> bytes:
    """Return the trace as a file that viewers read as it is."""
    return gzip.compress(to_json(recording).encode())


def events(
    recording: Recording, zero: int | None = None, first_process: int = 0
) -> Iterator[Event]:
    """Yield the events of a trace.

    `zero`: the moment that times count from, by default the beginning of the recording.
    `first_process`: added to the numbers of processes, for traces that have others too.
    """
    tracks = _Tracks(recording, recording.began if zero is None else zero)
    for event in _events(recording, tracks):
        event["pid"] += first_process
        yield event


def _events(recording: Recording, tracks: _Tracks) -> Iterator[Event]:
    yield from tracks.names()
    yield from _runs(recording, tracks)
    yield from _ops(recording, tracks)
    yield from _copies(recording, tracks)
    yield from _memory(recording, tracks)


class _Tracks:
    """The numbers of processes and threads in a trace."""

    def __init__(self, recording: Recording, zero: int) -> None:
        self._zero = zero
        nodes, memory = recording.nodes, recording.memory
        devices = {nodes[op.node].device for op in recording.ops} | (set(memory) - {HOST})
        self.devices = {name: _FIRST_DEVICE + number for number, name in enumerate(sorted(devices))}
        self.links: dict[tuple[str, str], int] = {}
        for copy in recording.copies:
            link = copy.copy.source, copy.copy.target
            self.links.setdefault(link, len(self.links) + 1)
        self.threads = {recording.main_thread: 1}
        self._used: set[tuple[int, int]] = set()
        for op in recording.ops:
            number = self.threads.setdefault(op.thread, len(self.threads) + 1)
            self._used.add((self.devices[nodes[op.node].device], number))
        for run in recording.runs:
            number = self.threads.setdefault(run.thread, len(self.threads) + 1)
            self._used.add((_PROGRAM, number))

    def micros(self, moment: int) -> float:
        return (moment - self._zero) / 1000

    def names(self) -> Iterator[Event]:
        yield _named("process_name", _PROGRAM, 0, "program")
        yield _named("process_name", _COPIES, 0, "copies")
        for device, pid in self.devices.items():
            yield _named("process_name", pid, 0, called(device))
        for (source, target), tid in self.links.items():
            yield _named("thread_name", _COPIES, tid, f"{called(source)} → {called(target)}")
        for pid, tid in sorted(self._used):
            yield _named("thread_name", pid, tid, "ops" if tid == 1 else f"ops of thread {tid}")


def _named(kind: str, pid: int, tid: int, name: str) -> Event:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}


def _span(tracks: _Tracks, pid: int, tid: int, start: int, finish: int) -> Event:
    return {
        "ph": "X",
        "pid": pid,
        "tid": tid,
        "ts": tracks.micros(start),
        "dur": max(finish - start, 1) / 1000,
    }


def _runs(recording: Recording, tracks: _Tracks) -> Iterator[Event]:
    for run in recording.runs:
        group = recording.groups[run.group]
        span = _span(tracks, _PROGRAM, tracks.threads[run.thread], run.start, run.finish)
        args = {"line": group.line, "number": run.number, "ops recorded": run.is_detailed}
        yield {**span, "name": f"{group.label} #{run.number}", "cat": "run", "args": args}


def _ops(recording: Recording, tracks: _Tracks) -> Iterator[Event]:
    for op in recording.ops:
        node = recording.nodes[op.node]
        pid, tid = tracks.devices[node.device], tracks.threads[op.thread]
        args = {
            "name": node.name,
            "line": node.line,
            "requested": node.requested,
            "reason": node.reason,
            "inputs": list(node.inputs),
            "outputs": list(node.outputs),
        }
        if node.fused:
            args["fused"] = list(node.fused)
        span = _span(tracks, pid, tid, op.start, op.finish)
        yield {**span, "name": node.op, "cat": "op", "args": args}


def _copies(recording: Recording, tracks: _Tracks) -> Iterator[Event]:
    for number, copy in enumerate(recording.copies):
        tid = tracks.links[copy.copy.source, copy.copy.target]
        facts = copy.copy
        args = {"bytes": facts.bytes, "kind": facts.kind, "for": facts.op, "tensor": facts.tensor}
        span = _span(tracks, _COPIES, tid, copy.start, copy.finish)
        yield {**span, "name": f"{facts.kind} {facts.tensor}".strip(), "cat": "copy", "args": args}
        middle = (span["ts"], _COPIES, tid)
        if copy.maker >= 0:
            yield from _arrow(2 * number, _end(recording, tracks, copy.maker, True), middle)
        if copy.reader >= 0:
            reader = _end(recording, tracks, copy.reader, False)
            yield from _arrow(2 * number + 1, middle, reader)


def _end(
    recording: Recording, tracks: _Tracks, number: int, is_maker: bool
) -> tuple[float, int, int]:
    """Return where an arrow begins or ends: inside of the op, so that viewers bind it to it."""
    op = recording.ops[number]
    device = recording.nodes[op.node].device
    moment = max(op.start, op.finish - 1) if is_maker else op.start
    return tracks.micros(moment), tracks.devices[device], tracks.threads[op.thread]


def _arrow(
    number: int, begin: tuple[float, int, int], end: tuple[float, int, int]
) -> Iterator[Event]:
    common = {"name": "copy", "cat": "copy", "id": number}
    yield {**common, "ph": "s", "ts": begin[0], "pid": begin[1], "tid": begin[2]}
    yield {**common, "ph": "f", "bp": "e", "ts": end[0], "pid": end[1], "tid": end[2]}


def _memory(recording: Recording, tracks: _Tracks) -> Iterator[Event]:
    for device, samples in recording.memory.items():
        pid = _PROGRAM if device == HOST else tracks.devices[device]
        name = "resident memory" if device == HOST else "memory in use"
        for sample in samples:
            args = {"bytes": sample.nbytes}
            yield {
                "ph": "C",
                "pid": pid,
                "name": name,
                "ts": tracks.micros(sample.time),
                "args": args,
            }
