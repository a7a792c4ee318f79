"""The timeline of a step as plain data: what runs where, from when to when, and at which line."""

from __future__ import annotations

from placewise.cost.timeline import Timeline
from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.forecast.forecast import SpanForecast


def spans_of(trace: Trace, timeline: Timeline) -> tuple[SpanForecast, ...]:
    """Return what takes time in a step, in order of its start; views take none and are left out."""
    events = {event.number: event for event in trace.events}
    lines = _reader_lines(trace)
    spans = []
    for span in timeline.spans:
        if span.finish <= span.start:
            continue
        event = events[span.number]
        op, kind, name, line, nbytes = _about(event, lines)
        spans.append(
            SpanForecast(
                span.place, span.start, span.finish, op, kind, name, line, span.bound, nbytes
            )
        )
    return tuple(spans)


def _about(event: OpEvent | CopyEvent, lines: dict[int, str]) -> tuple[str, str, str, str, int]:
    """Return the op, kind, name, line and bytes of an event."""
    if isinstance(event, OpEvent):
        return event.op, event.work.kind, event.name, event.line, 0
    return event.reader, event.kind, event.tensor, lines.get(event.number, ""), event.nbytes


def _reader_lines(trace: Trace) -> dict[int, str]:
    """Return, by the number of a copy, the line of the first op that reads what it brings."""
    lines: dict[int, str] = {}
    copies = {event.number for event in trace.events if isinstance(event, CopyEvent)}
    for event in trace.events:
        if isinstance(event, OpEvent):
            for number in event.inputs:
                if number in copies:
                    lines.setdefault(number, event.line)
    return lines
