"""The lines of `top` as text cells: a heading for each column, and what stands in it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from placewise.cli.sizes import NONE, to_size
from placewise.cli.top.snapshot import CardLine, ProcessLine, Snapshot
from placewise.monitor.readings import HostReading

CARD_HEADINGS = ("GPU", "model", "bus id", "load", "memory", "temp", "power", "leased by")
PROCESS_HEADINGS = (
    "pid",
    "user",
    "GPU",
    "memory",
    "phase",
    "steps",
    "steps/s",
    "time",
    "command",
)
# Which columns of cards and processes are figures, and stand to the right.
CARD_FIGURES = frozenset({"load", "memory", "temp", "power"})
PROCESS_FIGURES = frozenset({"pid", "memory", "steps", "steps/s", "time"})


def card_cells(line: CardLine) -> tuple[str, ...]:
    """Return a card's cells, as CARD_HEADINGS names them."""
    card = line.reading
    temperature = card.temperature_celsius
    holders = ", ".join(str(lease.pid) for lease in line.leases)
    return (
        ("  " if line.is_slice else "") + line.label,
        card.name,
        card.bus_id or NONE,
        NONE if card.load_percent is None else f"{card.load_percent:.0f}%",
        memory_text(card.memory_used_bytes, card.memory_total_bytes),
        NONE if temperature is None else f"{temperature:.0f} C",
        power_text(card.power_watts, card.power_limit_watts),
        f"pid {holders}" if holders else NONE,
    )


def process_cells(line: ProcessLine) -> tuple[str, ...]:
    """Return a process's cells, as PROCESS_HEADINGS names them."""
    rate = line.steps_per_second
    return (
        str(line.pid),
        line.user or NONE,
        labels_text(line.cards) or NONE,
        NONE if line.used_bytes is None else to_size(line.used_bytes),
        line.phase or NONE,
        NONE if line.steps is None else str(line.steps),
        NONE if rate is None else f"{rate:.3g}" if rate < 100 else f"{rate:.0f}",
        NONE if line.seconds is None else duration_text(line.seconds),
        "  " * line.depth + (line.program or line.command or NONE),
    )


def labels_text(labels: Iterable[str]) -> str:
    """Return the labels of cards, neighbours as a range.

    >>> labels_text(("0", "1", "2", "5", "sim 0", "sim 1", "3:1"))
    '0-2,5,sim 0-1,3:1'
    """
    groups: list[tuple[str, int, int]] = []  # of a prefix: the first and the last number
    for label in labels:
        prefix, number = re.fullmatch(r"(.*?)([0-9]+)", label, re.DOTALL).groups()  # type: ignore[union-attr]  # every label ends with a number
        if groups and groups[-1][0] == prefix and groups[-1][2] + 1 == int(number):
            groups[-1] = (prefix, groups[-1][1], int(number))
        else:
            groups.append((prefix, int(number), int(number)))
    return ",".join(
        f"{prefix}{first}" + (f"-{last}" if last > first else "") for prefix, first, last in groups
    )


def memory_text(used: int | None, total: int | None) -> str:
    """Return `used / total`, or what is known of it."""
    if used is None and total is None:
        return NONE
    return (
        f"{NONE if used is None else to_size(used)} / {NONE if total is None else to_size(total)}"
    )


def power_text(watts: float | None, limit: float | None) -> str:
    """Return `210 W`, with the limit where it is known."""
    if watts is None:
        return NONE
    return f"{watts:.0f} W" if limit is None else f"{watts:.0f} / {limit:.0f} W"


def duration_text(seconds: float) -> str:
    """Return a time as short as it can be read.

    >>> duration_text(59), duration_text(3700), duration_text(200_000)
    ('59 s', '1:01 h', '2 d 7 h')
    """
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} m"
    if whole < 86400:
        return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def host_text(host: HostReading) -> str:
    """Return the host in one line."""
    load = NONE if host.load_percent is None else f"{host.load_percent:.0f}%"
    memory = memory_text(host.memory_used_bytes, host.memory_total_bytes)
    cores = f"{host.cores} core{'s' if host.cores != 1 else ''}"
    return f"CPU {load} of {cores}, memory {memory}, {host.name}"


def head_text(snapshot: Snapshot) -> str:
    """Return the first line: when, and what the machine as a whole does."""
    when = time.strftime("%H:%M:%S", time.localtime(snapshot.frame.time))
    return f"placewise top {when}  {host_text(snapshot.frame.host)}"
