"""One look at everything: host, cards of all vendors, processes, running placewise programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from placewise.devices import nvml, pci
from placewise.monitor import amd, drm, nvidia, processes, simulated, status_files
from placewise.monitor.host import HostReader
from placewise.monitor.intel import IntelReader
from placewise.monitor.readings import CardReading, HostReading, ProcessFacts, Use
from placewise.monitor.status_files import Entry


@dataclass(frozen=True, slots=True)
class Frame:
    """What there is at one moment. `reasons` say why there is no GPU, or one cannot be read.

    `programs` have the processes that publish a status, `facts` all processes by number; a process
    on a card that has no facts has ended, or runs in another container.
    """

    time: float
    host: HostReading
    cards: tuple[CardReading, ...] = ()
    programs: tuple[Entry, ...] = ()
    facts: dict[int, ProcessFacts] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


class Monitor:
    """Reads frames; keeps open what is slow to open, and the counters that rates follow from."""

    def __init__(self, machine: str | None = None) -> None:
        self._machine = machine
        self._host = HostReader()
        self._intel = IntelReader()
        self._nvml: Any = None
        self._amdsmi: Any = None
        self._reasons: dict[str, str] = {}
        self._vendors = {slot.vendor for slot in pci.find_slots()}
        if machine is None:
            self._open()

    def _open(self) -> None:
        try:
            self._nvml = nvml.load()
        except nvml.UnavailableError as error:
            # Of interest only where there is such a card, or no card at all.
            if "NVIDIA" in self._vendors or not self._vendors:
                self._reasons["nvidia"] = str(error)
        if "AMD" in self._vendors:
            self._amdsmi = amd.load()

    def read(self, also: Iterable[int] = ()) -> Frame:
        """Return what there is now; `also` are further processes to find the facts of."""
        programs = tuple(status_files.read_all())
        living = [entry.status for entry in programs if entry.is_alive is not False]
        host = self._host.read()
        real = () if self._machine is not None else self._real_cards(host)
        cards = (*real, *simulated.read_cards(self._machine, living))
        pids = {*also, *(use.pid for card in cards for use in uses_of(card))}
        pids |= {entry.status.pid for entry in programs if entry.is_alive}
        reasons = () if cards else tuple(self._reasons.values())
        return Frame(time.time(), host, cards, programs, processes.find_all(pids), reasons)

    def _real_cards(self, host: HostReading) -> tuple[CardReading, ...]:
        cards: list[CardReading] = []
        if self._nvml is not None:
            cards += self._nvidia_cards()
        if self._vendors & {"AMD", "Intel"}:
            uses = drm.find_uses()
            if self._amdsmi is not None:
                cards += amd.read_cards(self._amdsmi)
            else:
                cards += amd.read_system(uses=uses)
            cards += self._intel.read(uses)
        if sys.platform == "darwin":
            from placewise.monitor import apple  # noqa: PLC0415 - only there

            cards += apple.read_cards(host.memory_total_bytes)
        return tuple(cards)

    def _nvidia_cards(self) -> tuple[CardReading, ...]:
        try:
            return nvidia.read_cards(self._nvml)
        except self._nvml.NVMLError as error:
            # The driver went away, or was updated, while we looked.
            self._reasons["nvidia"] = f"the NVIDIA driver does not answer: {error}"
            return ()


def uses_of(card: CardReading) -> list[Use]:
    """Return the processes on a card and its slices."""
    return [*card.uses, *(use for part in card.slices for use in part.uses)]
