"""A capture as the XSpace message that TensorBoard's profile page reads: a plane per device.

Of torch's profiler come the kernels, a line per thread; of the recording come the ops as the
program knows them, with the same facts as in the report: name, line, reason, inputs, outputs.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

from placewise import messages
from placewise.profiler.recording import Recording, called

_HOST = "/host:CPU"
_OPS, _COPIES = 1_000_000, 2_000_000  # ids of lines; those of torch are threads, from 1 on


def to_space(capture: Any, recording: Recording) -> Any:
    """Return torch's events and the recording as one message."""
    space = _Space(messages.XSpace(hostnames=[socket.gethostname()]))
    began = capture.profiler.kineto_results.trace_start_ns()
    for event in capture.events():
        is_host = event.device_type.name == "CPU"
        plane = space.plane(_HOST if is_host else f"/device:GPU:{event.device_index}")
        start = began + int(event.time_range.start * 1000)
        length = int(event.time_range.elapsed_us() * 1_000_000)
        line = plane.line(event.thread, f"thread {event.thread}", began)
        plane.add(line, event.name, start, length)
    _add_ops(space, recording)
    _add_copies(space, recording)
    return space.message


def plane_of(device: str) -> str:
    """Return the plane that shows a device.

    >>> plane_of("/job:localhost/replica:0/task:0/device:GPU:1")
    '/device:GPU:1'
    """
    name = called(device)
    return _HOST if name == "CPU:0" else f"/device:{name}"


def _add_ops(space: _Space, recording: Recording) -> None:
    threads: dict[int, int] = {recording.main_thread: 0}
    for op in recording.ops:
        node = recording.nodes[op.node]
        number = threads.setdefault(op.thread, len(threads))
        plane = space.plane(plane_of(node.device))
        line = plane.line(
            _OPS + number, f"ops{f' {number + 1}' if number else ''}", recording.began_epoch_ns
        )
        facts = {
            "tf_op": f"{node.name}:{node.op}",
            "line": node.line,
            "reason": node.reason,
            "inputs": ", ".join(node.inputs),
            "outputs": ", ".join(node.outputs),
        }
        plane.add(line, node.op, recording.epoch_ns(op.start), (op.finish - op.start) * 1000, facts)


def _add_copies(space: _Space, recording: Recording) -> None:
    links: dict[tuple[str, str], int] = {}
    for item in recording.copies:
        copy = item.copy
        number = links.setdefault((copy.source, copy.target), len(links))
        # The card at one end of the link; between two cards the one that gets it.
        device = copy.source if called(copy.target) == "CPU:0" else copy.target
        plane = space.plane(plane_of(device))
        title = f"copies {called(copy.source)} to {called(copy.target)}"
        line = plane.line(_COPIES + number, title, recording.began_epoch_ns)
        facts: dict[str, str | int] = {
            "bytes": copy.bytes,
            "kind": copy.kind,
            "for": copy.op,
            "tensor": copy.tensor,
        }
        start = recording.epoch_ns(item.start)
        plane.add(
            line,
            f"{copy.kind} {copy.tensor}".strip(),
            start,
            (item.finish - item.start) * 1000,
            facts,
        )


class _Space:
    """The planes of a message by name."""

    def __init__(self, message: Any) -> None:
        self.message = message
        self._planes: dict[str, _Plane] = {}

    def plane(self, name: str) -> _Plane:
        plane = self._planes.get(name)
        if plane is None:
            message = self.message.planes.add(id=len(self._planes), name=name)
            plane = self._planes[name] = _Plane(message)
        return plane


class _Plane:
    """One plane: its lines, and the numbers of names in it."""

    def __init__(self, message: Any) -> None:
        self._message = message
        self._lines: dict[int, Any] = {}
        self._names: dict[str, int] = {}
        self._facts: dict[str, int] = {}

    def line(self, number: int, name: str, began_ns: int) -> Any:
        line = self._lines.get(number)
        if line is None:
            line = self._lines[number] = self._message.lines.add(
                id=number, name=name, timestamp_ns=began_ns
            )
        return line

    def add(
        self,
        line: Any,
        name: str,
        start_ns: int,
        length_ps: int,
        facts: Mapping[str, str | int] | None = None,
    ) -> None:
        offset = (start_ns - line.timestamp_ns) * 1000
        event = line.events.add(
            metadata_id=self._number(self._names, self._message.event_metadata, name),
            offset_ps=offset,
            duration_ps=length_ps,
        )
        for key, value in (facts or {}).items():
            if value == "":
                continue
            number = self._number(self._facts, self._message.stat_metadata, key)
            if isinstance(value, int):
                event.stats.add(metadata_id=number, int64_value=value)
            else:
                event.stats.add(metadata_id=number, str_value=value)

    @staticmethod
    def _number(known: dict[str, int], table: Any, name: str) -> int:
        number = known.get(name)
        if number is None:
            number = known[name] = len(known) + 1
            table[number].id, table[number].name = number, name
        return number
