"""Rules about how cards are doing: broken memory, heat, power, the width of their bus."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts


def broken_memory(facts: MachineFacts) -> Iterator[Finding]:
    """The card has counted memory errors that it could not correct."""
    for place, item in enumerate(facts.cards):
        if item.health.uncorrected_errors or item.health.repair_pending:
            count = item.health.uncorrected_errors
            damage = (
                f"{count} memory errors that ECC could not correct" if count else "broken memory"
            )
            yield Finding(
                "memory-errors",
                "error",
                f"{item.card.name} (nvidia-smi {place}) has {damage}"
                + (", and a repair waits for a restart." if item.health.repair_pending else "."),
                "Results may be wrong, and programs end with an ECC error.",
                f"sudo nvidia-smi -i {place} --gpu-reset  (with no program on it; if errors come "
                "back, have the card replaced)",
            )


def slowed(facts: MachineFacts) -> Iterator[Finding]:
    """The card runs below its clock, because of heat or power."""
    for place, item in enumerate(facts.cards):
        if not item.health.slowed_by:
            continue
        heat = item.reading.temperature_celsius
        degrees = f" at {heat} degrees Celsius" if heat is not None else ""
        is_hot = any("heat" in reason for reason in item.health.slowed_by)
        yield Finding(
            "slowed-down",
            "warning",
            f"{item.card.name} (nvidia-smi {place}) runs slower than it could{degrees}: "
            f"{', '.join(item.health.slowed_by)}.",
            "Steps take longer than they did on a cool card, often by half.",
            "clean fans and filters, and give the machine cooler air"
            if is_hot
            else "connect all power cables of the card, and check the power supply",
        )


def narrow_link(facts: MachineFacts) -> Iterator[Finding]:
    """The card has fewer PCIe lanes than it could."""
    for place, item in enumerate(facts.cards):
        width, most = item.health.link_width, item.health.link_width_most
        # Half the lanes are how boards divide them between two cards.
        if width and most and width * 2 < most:
            yield Finding(
                "narrow-link",
                "warning",
                f"{item.card.name} (nvidia-smi {place}) is connected with {width} of {most} PCIe "
                "lanes.",
                f"Copies to and from the card take {most // width} times as long.",
                "put the card into a slot with 16 lanes, or seat it again",
            )


def persistence(facts: MachineFacts) -> Iterator[Finding]:
    """The driver lets go of idle cards, and starts them anew for each program."""
    loose = [item for item in facts.cards if item.health.is_persistent is False]
    if loose and not facts.system.container and not facts.system.is_wsl:
        yield Finding(
            "persistence",
            "note",
            f"Persistence mode is off on {len(loose)} of {len(facts.cards)} cards.",
            "On a server each program waits up to some seconds until an idle card has started.",
            "sudo nvidia-smi -pm 1",
        )


RULES = (broken_memory, slowed, narrow_link, persistence)
