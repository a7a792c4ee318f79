"""Simulated GPUs: cards of a described machine that compute on the host.

Planned GPUs are simulated ones that compute nothing: their tensors have shapes and no contents.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from placewise.devices.device import NO_CONTENTS
from placewise.devices.facts import Found
from placewise.devices.machine import parse_machine


@lru_cache(maxsize=64)
def find(machine: str, has_contents: bool = True) -> Found:
    """Return the cards of a described machine, in bus order."""
    cards = tuple(sorted(parse_machine(machine), key=lambda card: card.bus_id))
    if not cards:
        return Found(reasons=(f"the simulated machine {machine!r} has no GPU",))
    if not has_contents:
        cards = tuple(replace(card, torch_type=NO_CONTENTS) for card in cards)
    return Found(cards)
