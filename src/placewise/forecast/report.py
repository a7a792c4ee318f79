"""Forecasts as text: a table over machines, and a page for one machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from placewise.core.sizes import size_text
from placewise.forecast.forecast import DeviceForecast, Forecast

_HOLDERS = 10
_FALLBACKS = 8


def to_text(forecasts: Sequence[Forecast]) -> str:
    """Return a page for one forecast; for several a table, and a page for the first that fits."""
    if len(forecasts) == 1:
        return page(forecasts[0])
    shown = next((one for one in forecasts if one.fits), forecasts[0])
    return f"{table(forecasts)}\n\n{page(shown)}"


def table(forecasts: Iterable[Forecast]) -> str:
    """Return one line a machine: memory, time, what bounds it, verdict."""
    return aligned(table_rows(forecasts))


def table_rows(forecasts: Iterable[Forecast]) -> list[tuple[str, ...]]:
    """Return the cells of `table`, the titles first."""
    rows: list[tuple[str, ...]] = [
        ("machine", "memory", "of", "step", "samples/s", "bound by", "largest batch", "verdict")
    ]
    for one in forecasts:
        fullest = max(one.devices, key=_share, default=None)
        rows.append(
            (
                one.machine,
                "-" if fullest is None else size_text(fullest.peak_bytes),
                "-" if fullest is None else size_text(fullest.limit_bytes),
                seconds_text(one.step_seconds),
                _rate(one.samples_per_second),
                one.bound,
                "-" if one.largest_batch is None else str(one.largest_batch),
                _verdict(one),
            )
        )
    return rows


def page(one: Forecast) -> str:
    """Return all there is to say of one machine."""
    parts = [_head(one), _memory(one), _holders(one), _time(one), _scaling(one), _placement(one)]
    parts.append("\n".join(f"Note: {note}." for note in one.notes))
    return "\n\n".join(part for part in parts if part)


def _share(device: DeviceForecast) -> float:
    return device.peak_bytes / max(device.limit_bytes, 1)


def _verdict(one: Forecast) -> str:
    if not one.steps:
        return "no training step"
    if one.fits:
        return one.verdict
    worst = max(one.devices, key=lambda device: device.peak_bytes - device.limit_bytes)
    return f"does not fit: {size_text(worst.peak_bytes - worst.limit_bytes)} too much"


def _head(one: Forecast) -> str:
    batch = "" if one.batch is None else f", {one.batch} samples a step"
    trained = f", {size_text(one.trainable_bytes)} trainable" if one.trainable_bytes else ""
    lines = [f"{one.machine}: {_verdict(one)}{trained}{batch}"]
    for device in one.devices:
        if not device.fits:
            over = size_text(device.peak_bytes - device.limit_bytes)
            where = f" at {device.crossing_line}" if device.crossing_line else ""
            lines.append(
                f"  {device.device} runs out of memory in {device.crossing_op}{where}: at its peak "
                f"it would need {over} more than its {size_text(device.limit_bytes)}"
            )
    if one.largest_batch is not None and one.batch:
        lines.append(f"  the largest batch that fits: {one.largest_batch}{_advice(one)}")
    if one.proposal:
        lines.append(f"  {one.proposal}")
    return "\n".join(lines)


def _advice(one: Forecast) -> str:
    if one.fits:
        return ""
    return " (not even one sample)" if not one.largest_batch else ""


def _memory(one: Forecast) -> str:
    rows: list[tuple[str, ...]] = [
        ("memory", "peak", "of", "variables", "slots", "activations", "workspace", "left")
    ]
    for device in one.devices:
        left = device.limit_bytes - device.peak_bytes
        rows.append(
            (
                device.device,
                *map(
                    size_text,
                    (
                        device.peak_bytes,
                        device.limit_bytes,
                        device.variables_bytes,
                        device.slots_bytes,
                        device.activations_bytes,
                    ),
                ),
                f"~{size_text(device.workspace_bytes)}" if device.workspace_bytes else "-",
                size_text(left) if left >= 0 else f"-{size_text(-left)}",
            )
        )
    return aligned(rows) if one.devices else ""


def _holders(one: Forecast) -> str:
    fullest = max(one.devices, key=_share, default=None)
    if fullest is None or not fullest.holders:
        return ""
    rows = [(f"largest on {fullest.device} at its peak", "what", "shape", "line")]
    for holder in fullest.holders[:_HOLDERS]:
        shape = "" if holder.shape is None else f"{list(holder.shape)} {holder.dtype or ''}"
        several = f" ({holder.count} tensors)" if holder.count > 1 else ""
        rows.append((size_text(holder.nbytes), holder.what + several, shape, holder.line or ""))
    return aligned(rows)


def _time(one: Forecast) -> str:
    if not one.step_seconds:
        return ""
    rate = "" if one.samples_per_second is None else f", {_rate(one.samples_per_second)} samples/s"
    whole = sum(one.bound_seconds.values()) or 1.0
    shares = ", ".join(
        f"{name} {part / whole:.0%}"
        for name, part in sorted(one.bound_seconds.items(), key=lambda item: -item[1])
        if part / whole >= 0.01
    )
    busy = ", ".join(f"{device.device} {device.utilisation:.0%}" for device in one.devices)
    lines = [
        f"time: {seconds_text(one.step_seconds)} a step{rate}; bound by {one.bound}",
        f"  what it waits for: {shares}",
    ]
    if one.devices:
        lines.append(f"  busy: {busy}")
        times = one.speedup
        faster = f"{times:.1f} times faster than" if times >= 1 else "slower than"
        lines.append(f"  {faster} the CPU alone ({seconds_text(one.cpu_seconds)} a step)")
    return "\n".join(lines)


def _scaling(one: Forecast) -> str:
    if not one.scaling:
        return ""
    rows = [("cards", "step", "samples/s", "efficiency", "")]
    rows += [
        (
            str(row.cards),
            seconds_text(row.step_seconds),
            _rate(row.samples_per_second),
            f"{row.efficiency:.0%}",
            "" if row.fits else "does not fit",
        )
        for row in one.scaling
    ]
    return f"scaling ({one.scaling_source}):\n{aligned(rows)}"


def _placement(one: Forecast) -> str:
    parts = []
    if one.copies:
        rows: list[tuple[str, ...]] = [("copies a step", "number", "bytes", "time", "unasked")]
        rows += [
            (
                f"{copy.source} -> {copy.target}",
                str(copy.count),
                size_text(copy.nbytes),
                seconds_text(copy.seconds),
                size_text(copy.unasked_bytes) if copy.unasked_bytes else "-",
            )
            for copy in one.copies
        ]
        parts.append(aligned(rows))
    if one.fallbacks and one.devices:
        rows = [("on the CPU", "number", "time", "copies", "why", "line")]
        slowest = sorted(one.fallbacks, key=lambda item: -item.seconds - item.copied_seconds)
        rows += [
            (
                item.op,
                str(item.count),
                seconds_text(item.seconds),
                f"{size_text(item.copied_bytes)}, {seconds_text(item.copied_seconds)}",
                item.reason,
                item.line,
            )
            for item in slowest[:_FALLBACKS]
        ]
        parts.append(aligned(rows))
        if len(slowest) > _FALLBACKS:
            parts[-1] += f"\n(and {len(slowest) - _FALLBACKS} more types)"
    parts += ["\n".join(one.placement)] if one.placement else []
    return "\n\n".join(parts)


def seconds_text(seconds: float) -> str:
    """Return a duration with three digits.

    >>> seconds_text(0.01234), seconds_text(2.5), seconds_text(3e-6)
    ('12.3 ms', '2.5 s', '3 us')
    """
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _rate(samples: float | None) -> str:
    if samples is None:
        return "-"
    return f"{samples:,.0f}" if samples >= 100 else f"{samples:.3g}"


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows as columns of the same width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
