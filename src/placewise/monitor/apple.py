"""Apple's GPU: what `ioreg` says to every user. Temperature and power would need root."""

from __future__ import annotations

import plistlib
import re
import subprocess
from typing import Any

from placewise.monitor.readings import CardReading, Use

COMMAND = ("ioreg", "-a", "-l", "-r", "-c", "IOAccelerator")
_CREATOR = re.compile(r"pid ([0-9]+),")
_DEADLINE_SECONDS = 2.0


def read_cards(total_bytes: int | None) -> tuple[CardReading, ...]:
    """Return the GPU of this Mac; its memory is the host's, of which there are `total_bytes`."""
    try:
        done = subprocess.run(COMMAND, capture_output=True, timeout=_DEADLINE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return parse(done.stdout, total_bytes)


def parse(output: bytes, total_bytes: int | None) -> tuple[CardReading, ...]:
    """Return the GPUs in what `ioreg -a` printed; none if it is no property list."""
    try:
        entries: Any = plistlib.loads(output) if output.strip() else []
    except (plistlib.InvalidFileException, ValueError):
        return ()
    return tuple(_card(entry, index, total_bytes) for index, entry in enumerate(entries))


def _card(entry: dict[str, Any], index: int, total_bytes: int | None) -> CardReading:
    said = entry.get("PerformanceStatistics", {})
    model = entry.get("model", entry.get("IOObjectClass", "Apple GPU"))
    if isinstance(model, bytes):
        model = model.rstrip(b"\0").decode(errors="replace")
    cores = entry.get("gpu-core-count")
    return CardReading(
        vendor="apple",
        index=index,
        name=f"{model}, {cores} cores" if cores else str(model),
        load_percent=said.get("Device Utilization %"),
        memory_used_bytes=said.get("In use system memory"),
        memory_total_bytes=total_bytes,
        uses=_uses(entry),
        note="shares the host's memory; temperature and power need root",
    )


def _uses(entry: dict[str, Any]) -> tuple[Use, ...]:
    pids = {}
    for child in entry.get("IORegistryEntryChildren", ()):
        match = _CREATOR.search(str(child.get("IOUserClientCreator", "")))
        if match:
            pids[int(match[1])] = Use(int(match[1]))
    return tuple(pids.values())
