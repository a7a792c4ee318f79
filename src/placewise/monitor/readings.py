"""What the readers of all vendors return. None stands for what a card or driver does not tell."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Use:
    """A process on a card; `part` is the UUID of the MIG slice that it runs on, if any."""

    pid: int
    used_bytes: int | None = None
    kind: str = "compute"
    part: str = ""


@dataclass(frozen=True, slots=True)
class CardReading:
    """One card, or one MIG slice of a card, at one moment.

    `index` is the vendor's own number, `note` says what is wrong with the card or its reading.
    """

    vendor: str
    index: int
    name: str
    bus_id: str = ""
    uuid: str = ""
    load_percent: float | None = None
    memory_used_bytes: int | None = None
    memory_total_bytes: int | None = None
    temperature_celsius: float | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    uses: tuple[Use, ...] = ()
    slices: tuple[CardReading, ...] = ()
    simulated: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class HostReading:
    """The processor and memory of this machine."""

    name: str
    cores: int
    load_percent: float | None = None
    load_average: float | None = None
    memory_used_bytes: int | None = None
    memory_total_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """A process of this machine; `start` tells it from a later one with the same number."""

    pid: int
    parent: int
    uid: int | None
    user: str
    command: str
    start: int
    is_zombie: bool = False
