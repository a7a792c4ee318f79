"""The description of a simulated machine: a comma list of `[N x]MODEL[:MEMORY][@BUS]`.

`4`, `4xK20m`, `K40c:2GiB@05:00.0`, `2xA100-80GB,V100`, `0` for no GPU at all. A bare number means
that many of the default model. Bus ids that are not given are generated; UUIDs follow from model
and bus id, so that two runs see the same machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from placewise.devices.cards import DEFAULT_MODEL, find_model, nearest_model
from placewise.devices.facts import GIB, KIB, MIB, Card, Model

_GRAMMAR = "[N x]MODEL[:MEMORY][@BUS]"
_COUNTED = re.compile(r"(\d+)\s*(?:[xX*]\s*(.+))?", re.DOTALL | re.ASCII)
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(iB|B)?", re.IGNORECASE | re.ASCII)
_BUS = re.compile(
    r"(?:([0-9a-f]{1,8}):(?=.*:))?([0-9a-f]{1,2})(?::([0-9a-f]{1,2})(?:\.([0-7]))?)?", re.IGNORECASE
)
_UNITS = {"": 1, "K": KIB, "M": MIB, "G": GIB, "T": 1 << 40}
_MOST_CARDS = 16384
# What the driver keeps for itself before any program runs, so that free is less than total.
_DRIVER_BYTES = 2 * MIB


def parse_machine(text: str) -> list[Card]:
    """Return the cards of a described machine, in the order of the description.

    >>> [card.name for card in parse_machine("2xK20m,V100")]
    ['Tesla K20m', 'Tesla K20m', 'Tesla V100-SXM2-16GB']
    """
    entries = [_parse_entry(entry, text) for entry in text.split(",")]
    if sum(count for count, *_ in entries) > _MOST_CARDS:
        raise ValueError(f"Machine {text!r} has more than {_MOST_CARDS} cards.")
    taken: set[str] = set()
    for *_, bus in entries:
        if bus and bus in taken:
            raise ValueError(f"Machine {text!r} has two cards at bus id {bus}.")
        taken.add(bus)
    free_ids = _bus_ids(taken)
    return [
        _make_card(model, memory, bus or next(free_ids))
        for count, model, memory, bus in entries
        for _ in range(count)
    ]


def _parse_entry(entry: str, text: str) -> tuple[int, Model, int, str]:
    """Return how many, which model, bytes, and the bus id or an empty string."""
    wanted, at, bus = entry.strip().partition("@")
    wanted, colon, memory = wanted.partition(":")
    wanted = wanted.strip()
    if not wanted:
        raise ValueError(f"Machine {text!r} has an empty entry; each is {_GRAMMAR}.")
    counted = _COUNTED.fullmatch(wanted)
    count = _count(counted[1], text) if counted else 1
    name = (counted[2] if counted else wanted) or DEFAULT_MODEL
    model = find_model(name)
    if model is None:
        close = nearest_model(name)
        said = (
            f"did you mean {close!r}?" if close else "such as K40c, V100, A100-80GB, H100, RTX4090."
        )
        raise ValueError(f"Machine {text!r}: there is no model {name.strip()!r}; {said}")
    if at and count != 1:
        raise ValueError(
            f"Machine {text!r}: one bus id cannot be that of {count} cards; list each card."
        )
    size = _parse_memory(memory, text) if colon else model.memory_bytes
    return count, model, size, _parse_bus(bus, text) if at else ""


def _count(digits: str, text: str) -> int:
    # Python refuses to read numbers of thousands of digits; so many cards are too many anyway.
    if len(digits) > 9:
        raise ValueError(f"Machine {text[:40]!r} has more than {_MOST_CARDS} cards.")
    return int(digits)


def parse_bytes(text: str) -> int | None:
    """Return the bytes of `2GiB`, `512 MB`, `1.5g` (units are powers of 1024), or None."""
    match = _MEMORY.fullmatch(text.strip())
    return int(float(match[1]) * _UNITS[match[2].upper()]) if match and len(text) < 40 else None


def _parse_memory(memory: str, text: str) -> int:
    size = parse_bytes(memory)
    if size is None:
        raise ValueError(
            f"Machine {text!r}: {memory!r} is no memory size; write it like 2GiB or 512MiB."
        )
    if not MIB <= size <= 1 << 50:
        raise ValueError(f"Machine {text!r}: a card has at least 1 MiB, not {memory!r}.")
    return size


def _parse_bus(bus: str, text: str) -> str:
    match = _BUS.fullmatch(bus.strip())
    if match is None:
        raise ValueError(
            f"Machine {text!r}: {bus!r} is no PCI bus id; write it like 05:00.0 or 0000:05:00.0."
        )
    domain, number, slot, function = (int(part or "0", 16) for part in match.groups())
    return _bus_id(domain, number, slot, function)


def _bus_id(domain: int, number: int, slot: int = 0, function: int = 0) -> str:
    return f"{domain:04x}:{number:02x}:{slot:02x}.{function}"


def _bus_ids(taken: set[str]) -> Iterator[str]:
    """Yield bus ids nobody has, in ascending order."""
    for place in range(2 * _MOST_CARDS + len(taken)):
        bus = _bus_id(place // 255, place % 255 + 1)
        if bus not in taken:
            yield bus


def _make_card(model: Model, memory_bytes: int, bus_id: str) -> Card:
    digest = hashlib.sha256(f"{model.name}@{bus_id}".encode()).hexdigest()
    uuid = "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
    return Card(
        name=model.name,
        vendor=model.vendor,
        total_bytes=memory_bytes,
        free_bytes=max(memory_bytes - _DRIVER_BYTES, 0),
        capability=model.capability,
        multiprocessors=model.multiprocessors,
        bus_id=bus_id,
        uuid=f"GPU-{uuid}",
        speed=model.fp32,
        torch_type="cpu",
        simulated=True,
        model=model,
    )
