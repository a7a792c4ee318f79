"""How much of a card's memory a device may have, as TensorFlow 2.13 and later work it out."""

from __future__ import annotations

from placewise.core.errors import InternalError, InvalidArgumentError, hint
from placewise.core.sizes import size_text
from placewise.devices.facts import GIB, MIB, Card


def system_reserve_bytes(free_bytes: int, capability: tuple[int, int] | None) -> int:
    """Return what is left to the driver and its libraries."""
    if free_bytes < 2 * GIB:
        return 225 * MIB
    major = capability[0] if capability else 0
    if major <= 6:
        return 500 * MIB
    if major == 7:
        return 1050 * MIB
    return 1536 * MIB if major == 8 else 1800 * MIB


def default_bytes(card: Card) -> int:
    """Return what a device may have when nobody says: nearly all that is free."""
    reserve = system_reserve_bytes(card.free_bytes, card.capability)
    return card.free_bytes - reserve if reserve < card.free_bytes else card.free_bytes


def fraction_bytes(card: Card, fraction: float) -> int:
    """Return a part of the card's total memory; raise for what is no part of it."""
    if 0.0 <= fraction <= 1.0:
        return int(card.total_bytes * fraction)
    if fraction > 1.0 and (card.capability or (6, 0)) < (6, 0):
        raise InternalError(
            None,
            None,
            hint(
                "Unified memory on GPUs with compute capability lower than 6.0 (pre-Pascal class "
                "GPUs) does not support oversubscription.",
                f"here: {card.name}",
                "use a memory fraction of at most 1",
            ),
        )
    raise _no_part(card, fraction)


def _no_part(card: Card, fraction: float) -> InvalidArgumentError:
    said = f"per_process_gpu_memory_fraction must be between 0 and 1, got {fraction!r}"
    if not 1.0 < fraction < float("inf"):
        return InvalidArgumentError(
            None, None, hint(said, "0 leaves the choice to the runtime, 0.4 is 40% of each card")
        )
    return InvalidArgumentError(
        None,
        None,
        hint(
            f"{said}: it asks for {size_text(int(card.total_bytes * fraction))} of a card that has "
            f"{size_text(card.total_bytes)}.",
            "TensorFlow would page to host memory (unified memory, compute capability 6.0 and "
            "later), which is slow and is not done here",
            "use at most 1, or simulate a larger card",
        ),
    )
