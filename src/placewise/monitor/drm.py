"""Linux's graphics drivers: cards under /sys/class/drm, and who uses them by /proc/*/fdinfo.

Serves AMD and Intel alike. Without root, only the processes of this user can be looked into. Takes
folders as arguments, so that a copied tree serves as well as the kernel's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from placewise.monitor.readings import Use

SYSTEM = Path("/sys/class/drm")
PROCESSES = Path("/proc")
_CARD = re.compile(r"card([0-9]+)")
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
# Memory of the card itself: amdgpu's, xe's and i915's word for it, in older and newer kernels.
_MEMORY = re.compile(r"drm-(total|memory|resident)-(vram[0-9]*|local[0-9]*)")
_BETTER = ("total", "memory", "resident")  # the last is the one that takes room on the card


class DrmCard(NamedTuple):
    """A card of a driver: its number, the folders of the card and of its device, its bus id."""

    number: int
    folder: Path
    device: Path
    bus_id: str


def find_cards(vendor: str, system: Path = SYSTEM) -> list[DrmCard]:
    """Return the cards of a vendor (`0x1002`) that a driver serves, in the kernel's order."""
    cards = []
    try:
        entries = list(system.iterdir())
    except OSError:
        return []
    for entry in entries:
        match = _CARD.fullmatch(entry.name)
        if match and read_text(entry / "device" / "vendor") == vendor:
            bus_id = os.path.basename(os.path.realpath(entry / "device"))
            cards.append(DrmCard(int(match[1]), entry, entry / "device", bus_id))
    return sorted(cards)


def read_text(path: Path) -> str | None:
    """Return what a small file of the kernel says; None if it is not there or not for us."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def read_number(path: Path) -> int | None:
    """Return the number in a small file of the kernel; None if there is none."""
    text = read_text(path)
    try:
        return int(text, 0) if text else None
    except ValueError:
        return None


def read_sensor(device: Path, *names: str) -> int | None:
    """Return the first of some sensors that the driver has, such as `temp1_input`."""
    for folder in sorted(device.glob("hwmon/hwmon*")):
        for name in names:
            value = read_number(folder / name)
            if value is not None:
                return value
    return None


def find_uses(processes: Path = PROCESSES) -> dict[str, tuple[Use, ...]]:
    """Return the processes on each card, by bus id.

    A process has an entry for each client of a driver; a client that several files share is
    counted once.
    """
    used: dict[str, dict[int, int]] = {}
    for pid in _pids(processes):
        clients: dict[tuple[str, str], int] = {}
        for bus_id, client, size in _clients(processes / str(pid) / "fdinfo"):
            clients[bus_id, client] = size
        for (bus_id, _), size in clients.items():
            sizes = used.setdefault(bus_id, {})
            sizes[pid] = sizes.get(pid, 0) + size
    return {
        bus_id: tuple(Use(pid, size) for pid, size in sorted(sizes.items()))
        for bus_id, sizes in used.items()
    }


def _pids(processes: Path) -> Iterator[int]:
    try:
        names = os.listdir(processes)
    except OSError:
        return
    for name in names:
        if name.isdecimal():
            yield int(name)


def _clients(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield bus id, client and bytes of the card for each open file of a graphics driver."""
    try:
        names = os.listdir(folder)
        # The links of /proc/PID/fd say which files are a driver's: most are not.
        links = folder.with_name("fd")
        names = [name for name in names if "/dri/" in os.readlink(links / name)]
    except OSError:
        return
    for name in names:
        entries = {
            key.strip(): value.strip()
            for key, _, value in (
                line.partition(":") for line in (read_text(folder / name) or "").splitlines()
            )
        }
        if "drm-pdev" in entries:
            client = entries.get("drm-client-id", name)
            yield entries["drm-pdev"], client, _memory_bytes(entries)


def _memory_bytes(entries: dict[str, str]) -> int:
    regions: dict[str, tuple[int, int]] = {}
    for key, value in entries.items():
        match = _MEMORY.fullmatch(key)
        number, _, unit = value.partition(" ")
        if match and number.isdecimal() and unit in _UNITS:
            said = (_BETTER.index(match[1]), int(number) * _UNITS[unit])
            regions[match[2]] = max(regions.get(match[2], said), said)
    return sum(size for _, size in regions.values())
