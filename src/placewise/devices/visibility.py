"""Which cards a process sees, in which order, and what hides the others.

CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER are the driver's rules, applied here to simulated cards
and to cards read from NVML, which ignores both. `GPUOptions.visible_device_list` is TensorFlow's,
and counts what the driver leaves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from placewise.core.errors import hint, invalid
from placewise.devices.environment import Environment
from placewise.devices.facts import Card

_DIGITS = re.compile(r"\s*\+?(\d+)")


@dataclass(frozen=True, slots=True)
class Seen:
    """One device CUDA shows: the card's place in bus order, and the card (or slice) itself."""

    place: int
    card: Card


@dataclass(frozen=True, slots=True)
class Visibility:
    """Every card (in bus order, as nvidia-smi lists them), and which of them the process sees.

    `ordered` holds places in the order CUDA would number them with no mask; `seen` is what is left,
    by CUDA index. `masked_by` names the variable that hides the rest; `notes` says what is odd.
    """

    cards: tuple[Card, ...]
    ordered: tuple[int, ...]
    seen: tuple[Seen, ...]
    masked_by: str = ""
    notes: tuple[str, ...] = ()

    def cuda_indices(self) -> dict[int, int]:
        """Return place → CUDA index of every card that is seen."""
        return {seen.place: index for index, seen in enumerate(self.seen)}


def order_cards(cards: Sequence[Card], order: str | None) -> tuple[int, ...]:
    """Return places of `cards` (given in bus order) as CUDA numbers them."""
    if order == "PCI_BUS_ID":
        return tuple(range(len(cards)))
    return tuple(sorted(range(len(cards)), key=lambda place: (-cards[place].speed, place)))


def look(
    cards: Sequence[Card], environment: Environment, shown: Sequence[str] | None = None
) -> Visibility:
    """Return what a process sees of `cards`, given in bus order.

    `shown` has the UUIDs that the driver shows, when it was asked; otherwise its rules are applied.
    """
    ordered = order_cards(cards, environment.order)
    notes = []
    if environment.order not in (None, "", "FASTEST_FIRST", "PCI_BUS_ID"):
        notes.append(
            f"CUDA_DEVICE_ORDER={environment.order!r} is neither FASTEST_FIRST nor PCI_BUS_ID, "
            "so FASTEST_FIRST holds"
        )
    text = environment.visible
    if shown is None:
        chosen, note = choose([cards[place] for place in ordered], text)
        seen = tuple(Seen(ordered[index], card) for index, card in chosen)
        notes += [note] if note else []
    else:
        places = {card.uuid: place for place, card in enumerate(cards)}
        seen = tuple(Seen(places[uuid], cards[places[uuid]]) for uuid in shown if uuid in places)
    masked_by = ""
    if len(seen) < len(cards):
        masked_by = (
            "MIG: CUDA shows a process one instance"
            if text is None
            else f"CUDA_VISIBLE_DEVICES={text!r}"
        )
    return Visibility(tuple(cards), ordered, seen, masked_by, tuple(notes))


def choose(cards: Sequence[Card], text: str | None) -> tuple[list[tuple[int, Card]], str]:
    """Return (index, card) for each entry of a CUDA_VISIBLE_DEVICES value, and what is odd in it.

    `cards` are in CUDA's own order.
    """
    if text is None:
        return _one_slice(list(enumerate(cards)))
    entries = [entry.strip() for entry in text.split(",")]
    by_id = entries[0].upper().startswith(("GPU-", "MIG-"))
    chosen: list[tuple[int, Card]] = []
    note = ""
    for entry in entries:
        visible = _by_id(cards, entry) if by_id else _by_index(cards, entry)
        if isinstance(visible, str):
            note = visible
            break
        chosen.append(visible)
    twice = {card.uuid for _, card in chosen}
    if len(twice) < len(chosen):
        return [], f"CUDA_VISIBLE_DEVICES={text!r} names a card twice, so CUDA shows none"
    return _one_slice(chosen, note)


def _by_index(cards: Sequence[Card], entry: str) -> tuple[int, Card] | str:
    match = _DIGITS.match(entry)
    if match is None:
        if entry in ("", "-1"):
            return ""
        return f"CUDA_VISIBLE_DEVICES: {entry!r} is no index, so the list ends there"
    # Python refuses to read numbers of thousands of digits; so large an index is none here.
    digits = match[1].lstrip("0")[:12]
    index = int(digits or "0")
    if index >= len(cards):
        return (
            f"CUDA_VISIBLE_DEVICES: there is no card {index} (of {len(cards)}), "
            "so the list ends there"
        )
    return index, cards[index]


def _by_id(cards: Sequence[Card], entry: str) -> tuple[int, Card] | str:
    wanted = entry.lower()
    visible: list[tuple[int, Card]] = []
    if wanted.startswith("mig-gpu-"):
        uuid, _, instance = wanted.removeprefix("mig-").partition("/")
        visible = [
            (index, card.cut(part))
            for index, card in enumerate(cards)
            for part in card.slices
            if card.uuid.lower() == uuid
            and instance == f"{part.gpu_instance}/{part.compute_instance}"
        ]
    elif wanted.startswith("mig-"):
        visible = [
            (index, card.cut(part))
            for index, card in enumerate(cards)
            for part in card.slices
            if part.uuid.lower().startswith(wanted)
        ]
    elif wanted.startswith("gpu-"):
        visible = [
            (index, card)
            for index, card in enumerate(cards)
            if card.uuid.lower().startswith(wanted)
        ]
    else:
        return f"CUDA_VISIBLE_DEVICES: {entry!r} is no UUID, so the list ends there"
    if len(visible) == 1:
        return visible[0]
    said = "is no card here" if not visible else f"fits {len(visible)} cards"
    return f"CUDA_VISIBLE_DEVICES: {entry!r} {said}, so the list ends there"


def _one_slice(
    chosen: list[tuple[int, Card]], note: str = ""
) -> tuple[list[tuple[int, Card]], str]:
    """Keep one MIG instance at most; a card divided by MIG is seen as its first instance."""
    kept: list[tuple[int, Card]] = []
    used = False
    for index, card in chosen:
        shown = card.cut(card.slices[0]) if card.slices else card
        if shown.uuid.startswith("MIG-"):
            if used:
                note = note or "CUDA shows a process one MIG instance only"
                continue
            used = True
        kept.append((index, shown))
    return kept, note


def parse_visible_device_list(text: str, count: int) -> tuple[int, ...]:
    """Return the CUDA indices of a `GPUOptions.visible_device_list`; empty means all `count`."""
    if not text:
        return tuple(range(count))
    here = f"here: {count} visible GPU{'s' if count != 1 else ''}"
    indices: list[int] = []
    for entry in text.split(","):
        try:
            index = int(entry) if re.fullmatch(r"\s*[+-]?\d+\s*", entry, re.ASCII) else None
        except ValueError:
            index = None
        if index is None:
            raise invalid(
                hint(
                    f"Could not parse entry in 'visible_device_list': '{entry}'. "
                    f"visible_device_list = {text}",
                    here,
                    "give indices, such as '0,1'",
                )
            )
        if not 0 <= index < count:
            raise invalid(
                hint(
                    f"'visible_device_list' listed an invalid Device id '{index}' but visible "
                    f"device count is {count}",
                    here,
                    "it counts what CUDA_VISIBLE_DEVICES leaves, from 0",
                )
            )
        indices.append(index)
    if len(set(indices)) < len(indices):
        raise invalid(hint(f"visible_device_list contained a duplicate entry: {text}", here))
    return tuple(indices)
