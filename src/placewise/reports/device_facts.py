"""What a page tells of each device: its card, its limit, and who holds memory at the peak."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from placewise.devices.inventory import inventory
from placewise.forecast.peaks import PeakWatch
from placewise.memory import ledgers
from placewise.memory.exhausted import Holder
from placewise.memory.ledger import Ledger
from placewise.memory.resident import gathered, residents
from placewise.profiler.recording import called

_LARGEST = 40


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """One device."""

    name: str
    label: str
    model: str = ""
    limit_bytes: int = 0
    peak_bytes: int = 0
    simulated: bool = False
    holders: tuple[dict[str, Any], ...] = ()  # at the peak, largest first
    holders_at: str = "peak"
    busy: float = 0.0  # of a plan: the part of the step in which it computes

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def holder_json(holder: Any) -> dict[str, Any]:
    """Return who holds memory as JSON values."""
    return {
        "bytes": holder.nbytes,
        "count": holder.count,
        "what": holder.what,
        "shape": None if holder.shape is None else list(holder.shape),
        "dtype": holder.dtype,
        "line": getattr(holder, "origin", None) or getattr(holder, "line", None) or "",
    }


@dataclass(slots=True)
class Peaks:
    """Watches the memory of all GPUs whose use placewise counts, from when it is opened."""

    _watches: list[PeakWatch] = field(default_factory=list)
    _stop: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin to watch."""
        for ledger in ledgers.opened():
            self._watch(ledger)
        self._stop = ledgers.on_open(self._watch)

    def _watch(self, ledger: Ledger) -> None:
        if ledger.device.has_contents and ledger.pending.on_peak is None:
            watched = PeakWatch(ledger, ledger.budget.limit_bytes)
            watched.begin()
            self._watches.append(watched)

    def stop(self) -> list[DeviceFacts]:
        """Watch no more, and return what is known of each device."""
        if self._stop is not None:
            self._stop()
        highest: dict[str, PeakWatch] = {}  # a device has another ledger after each release
        for watched in self._watches:
            watched.end()
            name = watched.ledger.device.name
            if name not in highest or watched.peak_bytes > highest[name].peak_bytes:
                highest[name] = watched
        cards = {card.device.name: card for card in ledgers.counted_by_torch()}
        return [_facts(device, highest, cards) for device in inventory().devices]


def _facts(device: Any, highest: dict[str, PeakWatch], cards: dict[str, Any]) -> DeviceFacts:
    watched, card = highest.get(device.name), cards.get(device.name)
    peak, at = 0, "peak"
    holders: list[Holder] = []
    if watched is not None:
        peak, holders = watched.peak_bytes, watched.holders
    elif card is not None:
        # torch counts, and tells the peak's bytes but not its holders.
        peak, at = card.peak_bytes, "end"
        holders = gathered(one.holder() for one in residents(device.torch_device))
    return DeviceFacts(
        name=device.name,
        label=called(device.name),
        model=device.card.name if device.card is not None else "",
        limit_bytes=device.memory_limit_bytes or 0,
        peak_bytes=int(peak),
        simulated=bool(device.simulated),
        holders=tuple(map(holder_json, _largest(holders))),
        holders_at=at,
    )


def _largest(holders: Iterable[Holder]) -> list[Holder]:
    return sorted(holders, key=lambda holder: -holder.nbytes)[:_LARGEST]
