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
        times = (span.place, span.start, span.finish)
        if isinstance(event, OpEvent):
            about = (event.op, event.work.kind, event.name, event.line, span.bound, 0)
        else:
            line = lines.get(event.number, "")
            about = (event.reader, event.kind, event.tensor, line, span.bound, event.nbytes)
        spans.append(SpanForecast(*times, *about))
    return tuple(spans)


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
