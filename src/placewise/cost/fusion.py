"""What XLA leaves of a trace: chains of elementwise ops become one kernel.

An op that is computed element by element is merged into its only reader of the same device, if that
is elementwise, a reduction or a normalization: what passes between them never reaches memory.
Products and convolutions stay calls of the libraries. A merged op is left in the trace as a view.
"""

from __future__ import annotations

from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.ops.work import Work

_MERGED = ("elementwise", "random")
_READERS = ("elementwise", "reduction", "normalization")


def fuse(trace: Trace) -> Trace:
    """Return the trace of the same step compiled with XLA."""
    readers: dict[int, list[OpEvent | CopyEvent]] = {}
    for event in trace.events:
        for source in event.inputs:
            readers.setdefault(source, []).append(event)
    works = {event.number: event.work for event in trace.events if isinstance(event, OpEvent)}
    for event in trace.events:
        if not isinstance(event, OpEvent) or works[event.number].kind not in _MERGED:
            continue
        reader = _only_reader(event, readers)
        if reader is None or works[reader.number].kind not in _READERS:
            continue
        made, taken = works[event.number], works[reader.number]
        if made.written_bytes > taken.read_bytes:  # it is read only in part
            continue
        works[reader.number] = taken._replace(
            flops=taken.flops + made.flops,
            read_bytes=taken.read_bytes - made.written_bytes + made.read_bytes,
        )
        works[event.number] = Work("view", 0.0, 0, 0, made.dtype, 0)
    events = [
        _with_work(event, works[event.number]) if isinstance(event, OpEvent) else event
        for event in trace.events
    ]
    return Trace(events, trace.batch)


def _only_reader(event: OpEvent, readers: dict[int, list[OpEvent | CopyEvent]]) -> OpEvent | None:
    """Return the one op of the same device that reads an event's result, through views too."""
    number = event.number
    while True:
        reading = readers.get(number, [])
        if len(reading) != 1 or not isinstance(reading[0], OpEvent):
            return None
        reader = reading[0]
        if reader.device != event.device:
            return None
        if reader.work.kind != "view":
            return reader
        number = reader.number


def _with_work(event: OpEvent, work: Work) -> OpEvent:
    if work is event.work:
        return event
    return OpEvent(
        event.number,
        event.op,
        event.name,
        event.device,
        work,
        event.inputs,
        event.line,
        event.requested,
        event.reason,
        event.fell_back,
        event.is_eager,
    )
