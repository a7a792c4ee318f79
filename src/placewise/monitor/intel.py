"""Intel cards: what the drivers i915 and xe say in the kernel's files, without other packages.

Load and power follow from counters of idle time and energy, so they are known from the second
reading on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from placewise.monitor import drm
from placewise.monitor.readings import CardReading, Use

VENDOR = "0x8086"
_IDLE = ("gt/gt0/rc6_residency_ms", "device/tile0/gt0/gtidle/idle_residency_ms")
_TOTAL = ("device/tile0/physical_vram_size_bytes", "lmem_total_bytes", "device/lmem_total_bytes")
_FREE = ("lmem_avail_bytes", "device/lmem_avail_bytes")


class IntelReader:
    """Reads Intel's cards; keeps the counters of the last reading."""

    def __init__(
        self, system: Path = drm.SYSTEM, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._system, self._clock = system, clock
        self._last: dict[tuple[str, str], tuple[float, int]] = {}

    def read(self, uses: dict[str, tuple[Use, ...]]) -> tuple[CardReading, ...]:
        """Return every card; `uses` has the processes by bus id."""
        cards = drm.find_cards(VENDOR, self._system)
        return tuple(self._card(card, index, uses) for index, card in enumerate(cards))

    def _card(self, card: drm.DrmCard, index: int, uses: dict[str, tuple[Use, ...]]) -> CardReading:
        using = uses.get(card.bus_id, ())
        total = _first(card.folder, _TOTAL)
        free = _first(card.folder, _FREE)
        used = sum(use.used_bytes or 0 for use in using) if total else None
        temperature = drm.read_sensor(card.device, "temp1_input", "temp2_input")
        limit = drm.read_sensor(card.device, "power1_max", "power1_cap")
        idle = self._rate(card.bus_id, "idle", _first(card.folder, _IDLE))
        energy = self._rate(card.bus_id, "energy", drm.read_sensor(card.device, "energy1_input"))
        return CardReading(
            vendor="intel",
            index=index,
            name=_name(card, total),
            bus_id=card.bus_id,
            load_percent=None if idle is None else round(min(max(100 - idle / 10, 0), 100), 1),
            memory_used_bytes=total - free if total and free is not None else used,
            memory_total_bytes=total,
            temperature_celsius=None if temperature is None else temperature / 1000,
            power_watts=None if energy is None else energy / 1e6,
            power_limit_watts=limit / 1e6 if limit else None,
            uses=using,
        )

    def _rate(self, bus_id: str, counter: str, value: int | None) -> float | None:
        """Return how much a counter grew a second since the last reading."""
        if value is None:
            return None
        now = self._clock()
        before = self._last.get((bus_id, counter))
        self._last[bus_id, counter] = (now, value)
        if before is None or now <= before[0] or value < before[1]:
            return None
        return (value - before[1]) / (now - before[0])


def _first(folder: Path, names: tuple[str, ...]) -> int | None:
    numbers = (drm.read_number(folder / name) for name in names)
    return next((number for number in numbers if number is not None), None)


def _name(card: drm.DrmCard, total: int | None) -> str:
    number = (drm.read_text(card.device / "device") or "").removeprefix("0x")
    kind = "graphics card" if total else "integrated graphics"
    return f"Intel {kind} {number}".rstrip()
