"""A frame of `top` for programs: JSON, and CSV with a line for the host, each card and process."""

from __future__ import annotations

import csv
import io
import time
from typing import Any

from placewise.cli.top.snapshot import CardLine, ProcessLine, Snapshot

COLUMNS = (
    "time",
    "kind",
    "gpu",
    "name",
    "uuid",
    "load_percent",
    "memory_used_bytes",
    "memory_total_bytes",
    "temperature_celsius",
    "power_watts",
    "pid",
    "user",
    "command",
    "phase",
    "steps",
    "steps_per_second",
)


def to_json(snapshot: Snapshot) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and strings; null for what is not known."""
    host = snapshot.frame.host
    return {
        "time": snapshot.frame.time,
        "host": {
            "name": host.name,
            "cores": host.cores,
            "load_percent": host.load_percent,
            "load_average": host.load_average,
            "memory_used_bytes": host.memory_used_bytes,
            "memory_total_bytes": host.memory_total_bytes,
        },
        "gpus": [_card(line) for line in snapshot.cards],
        "processes": [_process(line) for line in snapshot.processes],
        "leases": [
            {
                "pid": lease.pid,
                "since": lease.since,
                "command": lease.command,
                "gpus": list(lease.cards),
            }
            for lease in snapshot.leases
        ],
        "remarks": [*snapshot.remarks, *snapshot.events],
    }


def _card(line: CardLine) -> dict[str, Any]:
    card = line.reading
    return {
        "gpu": line.label,
        "vendor": card.vendor,
        "name": card.name,
        "bus_id": card.bus_id or None,
        "uuid": card.uuid or None,
        "is_mig_slice": line.is_slice,
        "simulated": card.simulated,
        "load_percent": card.load_percent,
        "memory_used_bytes": card.memory_used_bytes,
        "memory_total_bytes": card.memory_total_bytes,
        "temperature_celsius": card.temperature_celsius,
        "power_watts": card.power_watts,
        "power_limit_watts": card.power_limit_watts,
        "processes": [
            {"pid": use.pid, "used_bytes": use.used_bytes, "kind": use.kind} for use in card.uses
        ],
        "leased_by": [lease.pid for lease in line.leases],
        "note": card.note or None,
    }


def _process(line: ProcessLine) -> dict[str, Any]:
    return {
        "pid": line.pid,
        "parent": line.parent or None,
        "user": line.user or None,
        "command": line.command,
        "program": line.program or None,
        "gpus": list(line.cards),
        "used_bytes": line.used_bytes,
        "phase": line.phase or None,
        "steps": line.steps,
        "steps_per_second": line.steps_per_second,
        "seconds": line.seconds,
        "simulates": line.machine,
        "has_lease": line.has_lease,
        "is_known": line.is_known,
    }


def to_csv(snapshot: Snapshot, *, with_header: bool = True) -> str:
    """Return lines of COLUMNS: the host, each card and slice, each process."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    if with_header:
        writer.writeheader()
    when = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(snapshot.frame.time))
    writer.writerows({"time": when, **row} for row in _rows(snapshot))
    return text.getvalue()


def _rows(snapshot: Snapshot) -> list[dict[str, Any]]:
    host = to_json(snapshot)["host"]
    rows = [{"kind": "host", **{key: host[key] for key in COLUMNS if key in host}}]
    for line in snapshot.cards:
        card = _card(line)
        kind = "slice" if line.is_slice else "gpu"
        rows.append({"kind": kind, **{key: card[key] for key in COLUMNS if key in card}})
    for process in snapshot.processes:
        said = _process(process)
        rows.append(
            {
                "kind": "process",
                **{key: said[key] for key in COLUMNS if key in said},
                "gpu": ";".join(process.cards),
                "memory_used_bytes": process.used_bytes,
            }
        )
    return rows
