"""Rules about the memory of cards: what others have taken, and what leases say."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import CardFacts, MachineFacts
from placewise.check.visibility import seen_by
from placewise.devices.facts import GIB
from placewise.devices.policy import parse_policy

_MUCH = 0.25  # of a card's memory: below, a desktop or a driver's own share
_NEARLY_ALL = 0.9


def taken_by_others(facts: MachineFacts) -> Iterator[Finding]:
    """Other processes hold much of a card that this process sees."""
    seen = {item.place for item in seen_by(facts).seen}
    cards = [(place, item) for place, item in enumerate(facts.cards) if place in seen]
    full = [(place, item) for place, item in cards if _used(item) > _MUCH]
    for place, item in full:
        is_all = all(_used(other) > _NEARLY_ALL for _, other in cards)
        free = len(cards) > len(full)
        yield Finding(
            "memory-taken",
            "error" if is_all else "warning",
            f"{item.card.name} (nvidia-smi {place}): {_gib(item.reading.used_bytes)} of "
            f"{_gib(item.reading.total_bytes)} GiB are taken by {_holders(item)}.",
            "What they hold is not there for your program: it runs out of memory or shares the "
            "card's time.",
            "placewise run --gpus free program.py"
            if free
            else f"ps -o pid,user,etime,cmd {_pids(item)}  (whose they are), or wait: placewise "
            "run --gpus free --wait 3600 program.py",
        )


def _used(item: CardFacts) -> float:
    return item.reading.used_bytes / max(item.reading.total_bytes, 1)


def _gib(size: int) -> str:
    return f"{size / GIB:.1f}"


def _holders(item: CardFacts) -> str:
    processes = item.reading.processes
    if not processes:
        return "processes that cannot be seen from here (another container, or ended ones)"
    named = [f"pid {process.pid} ({process.name or 'unknown'})" for process in processes[:3]]
    more = f" and {len(processes) - 3} more" if len(processes) > 3 else ""
    return ", ".join(named) + more


def _pids(item: CardFacts) -> str:
    return " ".join(str(process.pid) for process in item.reading.processes) or "-e | grep python"


def leased(facts: MachineFacts) -> Iterator[Finding]:
    """Another run of placewise has leased a card."""
    seen = {item.card.uuid: item.place for item in seen_by(facts).seen}
    # Runs that simulate the same machine share its cards.
    beginning = "" if facts.simulated is None else f"simulated {facts.simulated}: "
    for lease in facts.leases:
        uuid = lease.card.removeprefix(beginning)
        if lease.card.startswith(beginning) and uuid in seen:
            yield Finding(
                "leased",
                "warning",
                f"nvidia-smi {seen[uuid]} is leased: {lease.holder}.",
                "That run counts on having the card to itself.",
                "placewise run --gpus free program.py",
            )


def memory_setting(facts: MachineFacts) -> Iterator[Finding]:
    """PLACEWISE_MEMORY is no amount of memory."""
    text = facts.variables.get("PLACEWISE_MEMORY")
    if text is None:
        return
    try:
        parse_policy(text)
    except ValueError as error:
        yield Finding(
            "memory-setting",
            "error",
            f"PLACEWISE_MEMORY={text!r}: {error}",
            "Every program stops with this error when it looks for devices.",
            "export PLACEWISE_MEMORY=growth  (or a part such as 0.4, or a size such as 4GiB)",
        )


RULES = (taken_by_others, leased, memory_setting)
