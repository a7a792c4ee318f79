"""The host: how busy its processor is, and how much of its memory is taken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from placewise.devices import cpu
from placewise.monitor.readings import HostReading

ROOT = Path("/proc")
_DEADLINE_SECONDS = 2.0


class HostReader:
    """Reads the host; the load is that since the last reading, or since this object was made."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._processor = cpu.find()
        self._last = _times(root)

    def read(self) -> HostReading:
        """Return the host as it is now."""
        used, total = _memory(self._root, self._processor.memory_bytes)
        return HostReading(
            name=self._processor.name,
            cores=self._processor.cores,
            load_percent=self._load(),
            load_average=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            memory_used_bytes=used,
            memory_total_bytes=total,
        )

    def _load(self) -> float | None:
        before, now = self._last, _times(self._root)
        self._last = now
        if before is None or now is None or now[1] <= before[1]:
            return None
        busy, passed = now[0] - before[0], now[1] - before[1]
        return round(100 * min(max(busy / passed, 0), 1), 1)


def _times(root: Path) -> tuple[int, int] | None:
    """Return the time that all cores were busy, and all their time."""
    try:
        line = (root / "stat").read_text().partition("\n")[0].split()
    except OSError:
        return None
    times = [int(word) for word in line[1:9]]
    idle = times[3] + times[4]
    return sum(times) - idle, sum(times)


def _memory(root: Path, total_bytes: int) -> tuple[int | None, int | None]:
    """Return the memory that programs have, and all there is."""
    try:
        text = (root / "meminfo").read_text()
    except OSError:
        return _memory_of_mac(total_bytes) if sys.platform == "darwin" else None, total_bytes
    sizes = {
        key: int(value.split()[0]) << 10
        for key, _, value in (line.partition(":") for line in text.splitlines())
        if value.strip()
    }
    total = sizes["MemTotal"]
    return total - sizes.get("MemAvailable", sizes.get("MemFree", 0)), total


def _memory_of_mac(total_bytes: int) -> int | None:
    """Return what `vm_stat` counts as taken."""
    try:
        done = subprocess.run(
            ["vm_stat"], capture_output=True, text=True, timeout=_DEADLINE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_vm_stat(done.stdout, total_bytes)


def parse_vm_stat(text: str, total_bytes: int) -> int | None:
    """Return the bytes in use: all that are neither free nor only a cache of files."""
    first, *lines = text.splitlines() or [""]
    sizes = [word for word in first.split() if word.isdecimal()]
    pages = {
        key.strip(): int(value.strip().rstrip("."))
        for key, _, value in (line.partition(":") for line in lines)
        if value.strip().rstrip(".").isdecimal()
    }
    if not sizes or "Pages free" not in pages:
        return None
    spare = sum(pages.get(name, 0) for name in ("Pages free", "Pages speculative"))
    spare += pages.get("File-backed pages", pages.get("Pages inactive", 0))
    return max(total_bytes - spare * int(sizes[0]), 0)
