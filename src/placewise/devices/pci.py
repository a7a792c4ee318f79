"""Graphics and compute cards that the operating system sees on the PCI bus, driver or not."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
# Display controllers, and the class of AMD's and Intel's compute cards.
_CLASSES = ("0x03", "0x12")


class Slot(NamedTuple):
    """A card on the bus."""

    bus_id: str
    vendor: str


def find_slots(root: str = "/sys/bus/pci/devices") -> list[Slot]:
    """Return the cards of the three vendors, by bus id; empty where the system does not tell."""
    slots = []
    try:
        entries = sorted(Path(root).iterdir())
    except OSError:
        return []
    for entry in entries:
        try:
            kind = (entry / "class").read_text().strip()
            vendor = VENDORS.get((entry / "vendor").read_text().strip())
        except OSError:
            continue
        if vendor and kind.startswith(_CLASSES):
            slots.append(Slot(entry.name, vendor))
    return slots
