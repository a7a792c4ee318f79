"""The data of a page from a plan: the step as it would run on one machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise.forecast.forecast import DeviceForecast, Forecast, SpanForecast
from placewise.memory.exhausted import size_text
from placewise.reports.device_facts import DeviceFacts, holder_json
from placewise.reports.texts import TextTable

_HOST = "CPU:0"
_RUN_COLUMNS = ("id", "group", "number", "start", "length", "detailed", "failed")


def plan_data(forecast: Forecast, program: str = "") -> dict[str, Any]:
    """Return what a page shows of a step on one machine."""
    texts = TextTable()
    devices = [DeviceFacts(_HOST, _HOST), *map(_device, forecast.devices)]
    names = {fact.name: number for number, fact in enumerate(devices)}
    ops = [number for number, span in enumerate(forecast.spans) if span.place in names]
    copies = [number for number, span in enumerate(forecast.spans) if span.place not in names]
    return {
        "kind": "plan",
        "machine": forecast.machine,
        "title": f"{program or 'a step'} on {forecast.machine}",
        "subtitle": f"planned, not run: it {forecast.verdict}; bound by {forecast.bound}",
        "seconds": forecast.step_seconds,
        "error": _crossings(forecast),
        "notes": [*forecast.notes, *([forecast.proposal] if forecast.proposal else [])],
        "chips": _chips(forecast),
        "devices": [fact.to_json() for fact in devices],
        "nodes": _nodes(forecast.spans, ops, copies, names, texts),
        "ops": _ops(forecast.spans, ops),
        "copies": _copies(forecast.spans, ops, copies, names, texts),
        "groups": [],
        "runs": {column: [] for column in _RUN_COLUMNS},
        "memory": [],
        "texts": texts.texts,
    }


def _device(one: DeviceForecast) -> DeviceFacts:
    return DeviceFacts(
        name=one.device,
        label=one.device,
        model=one.model,
        limit_bytes=one.limit_bytes,
        peak_bytes=one.peak_bytes,
        holders=tuple(holder_json(holder) for holder in one.holders),
        busy=one.utilisation,
    )


def _crossings(forecast: Forecast) -> str:
    """Return where memory would run out; empty if it does not."""
    lines = [
        f"{one.device} has {size_text(one.limit_bytes)} and the step needs "
        f"{size_text(one.peak_bytes)}: {one.crossing_op} finds no memory ({one.crossing_line})"
        for one in forecast.devices
        if not one.fits
    ]
    return "\n".join(lines)


def _chips(forecast: Forecast) -> list[list[Any]]:
    chips: list[list[Any]] = [[f"{forecast.step_seconds * 1000:.1f} ms", "a step"]]
    if forecast.samples_per_second is not None:
        chips.append([f"{forecast.samples_per_second:,.0f}", "samples/s"])
    busy = [one.utilisation for one in forecast.devices if one.utilisation]
    if busy:
        chips.append([f"{100 * sum(busy) / len(busy):.0f} %", "GPUs busy"])
    peak = max((one.peak_bytes for one in forecast.devices), default=0)
    chips.append([size_text(peak), "peak", not forecast.fits])
    fallen = sum(one.count for one in forecast.fallbacks)
    chips.append([str(fallen), "not on a GPU", fallen > 0])
    return chips


def _nodes(
    spans: Sequence[SpanForecast],
    ops: list[int],
    copies: list[int],
    devices: dict[str, int],
    texts: TextTable,
) -> dict[str, Any]:
    place = {number: node for node, number in enumerate(ops)}
    chosen = [spans[number] for number in ops]
    return {
        "op": [texts.number(span.op) for span in chosen],
        "name": [span.name or f"{span.line.rpartition('/')[2]}/{span.op}" for span in chosen],
        "device": [devices[span.place] for span in chosen],
        "requested": [texts.number(span.requested) for span in chosen],
        "reason": [texts.number(span.reason) for span in chosen],
        "line": [texts.number(span.line) for span in chosen],
        "fell": [int(span.fell_back) for span in chosen],
        "state": [0] * len(chosen),
        "group": [-1] * len(chosen),
        "inputs": [[] for _ in chosen],
        "outputs": [[] for _ in chosen],
        "fused": [[f"bound by {span.bound}"] if span.bound else [] for span in chosen],
        "sources": [sorted(_makers(spans, span, place, set(copies))) for span in chosen],
        "count": [1] * len(chosen),
        "total": [round((span.end_seconds - span.start_seconds) * 1e6, 1) for span in chosen],
    }


def _makers(
    spans: Sequence[SpanForecast], span: SpanForecast, place: dict[int, int], copies: set[int]
) -> set[int]:
    """Return the ops whose results a span reads, through copies."""
    makers: set[int] = set()
    for number in span.inputs:
        if number in copies:
            makers |= _makers(spans, spans[number], place, copies)
        else:
            makers.add(place[number])
    return makers


def _ops(spans: Sequence[SpanForecast], ops: list[int]) -> dict[str, Any]:
    return {
        "node": list(range(len(ops))),
        "start": [round(spans[number].start_seconds * 1e6, 1) for number in ops],
        "length": [_micros(spans[number]) for number in ops],
        "run": [-1] * len(ops),
        "thread": [0] * len(ops),
    }


def _micros(span: SpanForecast) -> float:
    return round((span.end_seconds - span.start_seconds) * 1e6, 1)


def _copies(
    spans: Sequence[SpanForecast],
    ops: list[int],
    copies: list[int],
    devices: dict[str, int],
    texts: TextTable,
) -> dict[str, Any]:
    place = {number: op for op, number in enumerate(ops)}
    readers: dict[int, int] = {}
    for number in ops:
        for source in spans[number].inputs:
            readers.setdefault(source, place[number])
    chosen = [spans[number] for number in copies]
    ends = [_ends(span.place) for span in chosen]
    return {
        "source": [devices.get(source, -1) for source, _ in ends],
        "target": [devices.get(target, -1) for _, target in ends],
        "start": [round(span.start_seconds * 1e6, 1) for span in chosen],
        "length": [_micros(span) for span in chosen],
        "bytes": [span.nbytes for span in chosen],
        "kind": [texts.number(span.kind) for span in chosen],
        "tensor": [texts.number(span.name) for span in chosen],
        "reader": [texts.number(span.op) for span in chosen],
        "maker_op": [next((place[n] for n in span.inputs if n in place), -1) for span in chosen],
        "reader_op": [readers.get(number, -1) for number in copies],
        "run": [-1] * len(chosen),
    }


def _ends(place: str) -> tuple[str, str]:
    """Return the devices at the ends of a link; of a ring of cards, its first device twice."""
    source, arrow, target = place.partition(">")
    if not arrow:
        source = target = place.partition(" ")[0]
    return source, target
