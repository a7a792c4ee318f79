"""Simulated cards: those of a described machine, and those that running programs simulate.

What is in use on them is what the programs say in their status files. A card's UUID follows from
its model and bus id, so two programs that simulate one machine share its cards, as they would the
real ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from placewise.devices.machine import parse_machine
from placewise.monitor.readings import CardReading, Use
from placewise.monitor.status import Status


def read_cards(machine: str | None, programs: Iterable[Status]) -> tuple[CardReading, ...]:
    """Return the cards of `machine`, if given, then all others that programs simulate."""
    cards: dict[str, CardReading] = {}
    if machine is not None:
        for index, card in enumerate(parse_machine(machine)):
            cards[card.uuid] = CardReading(
                vendor=card.vendor,
                index=index,
                name=card.name,
                bus_id=card.bus_id,
                uuid=card.uuid,
                memory_used_bytes=0,
                memory_total_bytes=card.total_bytes,
                simulated=True,
            )
    for program in programs:
        for place, device in enumerate(program.devices):
            if not device.simulated:
                continue
            known = cards.get(device.uuid) or CardReading(
                vendor="nvidia",
                index=place,
                name=device.model,
                bus_id=device.bus_id,
                uuid=device.uuid,
                memory_used_bytes=0,
                memory_total_bytes=device.total_bytes,
                simulated=True,
            )
            cards[device.uuid] = replace(
                known,
                memory_used_bytes=(known.memory_used_bytes or 0) + device.used_bytes,
                uses=(*known.uses, Use(program.pid, device.used_bytes)),
            )
    return tuple(cards.values())
