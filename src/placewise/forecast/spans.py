"""The timeline of a step as plain data: what runs where, from when to when, and at which line."""

from __future__ import annotations

from placewise.cost.timeline import Timeline
from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.forecast.forecast import SpanForecast


def spans_of(trace: Trace, timeline: Timeline) -> tuple[SpanForecast, ...]:
    """Return what takes time in a step, in order of its start; views take none and are left out."""
    events = {event.number: event for event in trace.events}
    lines = _reader_lines(trace)
    shown = [span for span in timeline.spans if span.finish > span.start]
    places = {span.number: place for place, span in enumerate(shown)}
    spans = []
    for span in shown:
        event = events[span.number]
        op, kind, name, line, nbytes = _about(event, lines)
        requested, reason, fell_back = "", "", False
        if isinstance(event, OpEvent):
            requested, reason, fell_back = event.requested, event.reason, event.fell_back
        spans.append(
            SpanForecast(
                *(span.place, span.start, span.finish, op, kind, name, line, span.bound),
                nbytes=nbytes,
                requested=requested,
                reason=reason,
                fell_back=fell_back,
                inputs=_sources(event, events, places),
            )
        )
    return tuple(spans)


def _about(event: OpEvent | CopyEvent, lines: dict[int, str]) -> tuple[str, str, str, str, int]:
    """Return the op, kind, name, line and bytes of an event."""
    if isinstance(event, OpEvent):
        return event.op, event.work.kind, event.name, event.line, 0
    return event.reader, event.kind, event.tensor, lines.get(event.number, ""), event.nbytes


def _sources(
    event: OpEvent | CopyEvent, events: dict[int, OpEvent | CopyEvent], places: dict[int, int]
) -> tuple[int, ...]:
    """Return the spans whose results an event reads, through views, which have none."""
    sources: dict[int, None] = {}
    waiting, seen = list(event.inputs), set(event.inputs)
    while waiting:
        number = waiting.pop()
        if number in places:
            sources[places[number]] = None
        elif number in events:
            further = [one for one in events[number].inputs if one not in seen]
            seen.update(further)
            waiting += further
    return tuple(sorted(sources))


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
