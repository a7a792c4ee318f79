"""Simulated GPUs: cards of a described machine that compute on the host."""

from __future__ import annotations

from functools import lru_cache

from placewise.devices.facts import Found
from placewise.devices.machine import parse_machine


@lru_cache(maxsize=64)
def find(machine: str) -> Found:
    """Return the cards of a described machine, in bus order."""
    cards = tuple(sorted(parse_machine(machine), key=lambda card: card.bus_id))
    if not cards:
        return Found(reasons=(f"the simulated machine {machine!r} has no GPU",))
    return Found(cards)
