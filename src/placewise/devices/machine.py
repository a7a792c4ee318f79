"""The description of a machine: a comma list of `[N x]MODEL[/MIG-SLICE][:MEMORY][@BUS][@LINK]`.

`4`, `4xK20m`, `K40c:2GiB@05:00.0`, `2xA100-80GB,V100`, `0` for no GPU at all. A bare number means
that many of the default model. Bus ids that are not given are generated; UUIDs follow from model
and bus id, so that two runs see the same machine.

`@pcie3` (2 to 5) says which bus the cards share among themselves and with the host, without other
links; `@nvlink` that they have the link of their data sheet. `A100-80GB/MIG-1g.10gb` is a slice of
a card. An entry `host:64GiB`, `host:32cores` or `host:64GiB/32cores` describes the host.
Descriptions of several machines, `worker=4x(8xV100)`, are read by `cluster_machine`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace

from placewise.devices.cards import BUSES, DEFAULT_MODEL, find_model, nearest_model
from placewise.devices.cluster_machine import is_cluster, own_index, parse_cluster_machine
from placewise.devices.facts import GIB, KIB, MIB, Card, Host, Model
from placewise.devices.slices import mig_slice, slice_names

_GRAMMAR = "[N x]MODEL[/MIG-SLICE][:MEMORY][@BUS][@LINK]"
_COUNTED = re.compile(r"(\d+)\s*(?:[xX*]\s*(.+))?", re.DOTALL | re.ASCII)
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(iB|B)?", re.IGNORECASE | re.ASCII)
_BUS = re.compile(
    r"(?:([0-9a-f]{1,8}):(?=.*:))?([0-9a-f]{1,2})(?::([0-9a-f]{1,2})(?:\.([0-7]))?)?", re.IGNORECASE
)
_UNITS = {"": 1, "K": KIB, "M": MIB, "G": GIB, "T": 1 << 40}
_CORES = re.compile(r"(\d{1,5})\s*cores?", re.IGNORECASE | re.ASCII)
_HOST = re.compile(r"\s*(?:host|cpu)\s*(?::(.*))?", re.IGNORECASE | re.DOTALL)
_PCIE = {f"pcie{generation}": f"PCIe {generation}.0 x16" for generation in (2, 3, 4, 5)}
_MOST_CARDS = 16384
# What the driver keeps for itself before any program runs, so that free is less than total.
_DRIVER_BYTES = 2 * MIB


def parse_machine(text: str) -> list[Card]:
    """Return the cards of a described machine, in the order of the description.

    >>> [card.name for card in parse_machine("2xK20m,V100")]
    ['Tesla K20m', 'Tesla K20m', 'Tesla V100-SXM2-16GB']
    """
    if is_cluster(text):
        return _cluster_cards(text)
    parse_host(text)  # says what is wrong with it
    described = [entry for entry in text.split(",") if not _HOST.fullmatch(entry)]
    if not described and text.strip():
        return []  # a host without GPUs
    entries = [_parse_entry(entry, text) for entry in described or [text]]
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


def _cluster_cards(text: str) -> list[Card]:
    """Return the cards of all tasks, whose numbers begin the domains of bus ids."""
    return [
        _make_card(card.model, card.total_bytes, _in_task(card.bus_id, number))
        for number, task in enumerate(parse_cluster_machine(text))
        for card in parse_machine(task.machine)
        if card.model is not None
    ]


def _in_task(bus_id: str, number: int) -> str:
    domain, _, rest = bus_id.partition(":")
    return f"{(number << 8) + int(domain, 16):04x}:{rest}"


def task_number(card: Card) -> int:
    """Return the number of the task, in a simulated cluster, whose machine has a card."""
    return int(card.bus_id.partition(":")[0], 16) >> 8


def parse_host(text: str) -> Host:
    """Return the host of a described machine: its memory and cores, where they are given.

    Of a cluster, the host of the program's own task.

    >>> parse_host("4xV100,host:64GiB/32cores")
    Host(memory_bytes=68719476736, cores=32)
    """
    host = Host()
    if is_cluster(text):
        tasks = parse_cluster_machine(text)
        return parse_host(tasks[own_index(tasks)].machine)
    for entry in text.split(","):
        match = _HOST.fullmatch(entry)
        for part in (match[1] or "").split("/") if match else ():
            if cores := _CORES.fullmatch(part.strip()):
                host = replace(host, cores=max(int(cores[1]), 1))
            elif part.strip():
                host = replace(host, memory_bytes=_parse_memory(part, text))
    return host


def _parse_entry(entry: str, text: str) -> tuple[int, Model, int, str]:
    """Return how many, which model, bytes, and the bus id or an empty string."""
    wanted, *placed = entry.strip().split("@")
    links = [place.strip().lower() for place in placed if _is_link(place)]
    buses = [place for place in placed if not _is_link(place)]
    if len(links) > 1 or len(buses) > 1:
        raise ValueError(f"Machine {text!r}: a card has one bus id and one link, not {entry!r}.")
    wanted, colon, memory = wanted.partition(":")
    wanted = wanted.strip()
    if not wanted:
        raise ValueError(f"Machine {text!r} has an empty entry; each is {_GRAMMAR}.")
    counted = _COUNTED.fullmatch(wanted)
    count = _count(counted[1], text) if counted else 1
    name, slash, part = ((counted[2] if counted else wanted) or DEFAULT_MODEL).partition("/")
    model = find_model(name)
    if model is None:
        close = nearest_model(name)
        said = (
            f"did you mean {close!r}?" if close else "such as K40c, V100, A100-80GB, H100, RTX4090."
        )
        raise ValueError(f"Machine {text!r}: there is no model {name.strip()!r}; {said}")
    if slash:
        model = _sliced(model, part, text)
    if links:
        model = _linked(model, links[0], text)
    if buses and count != 1:
        raise ValueError(
            f"Machine {text!r}: one bus id cannot be that of {count} cards; list each card."
        )
    size = _parse_memory(memory, text) if colon else model.memory_bytes
    return count, model, size, _parse_bus(buses[0], text) if buses else ""


def _is_link(place: str) -> bool:
    return place.strip().lower().startswith(("pcie", "nvlink"))


def _linked(model: Model, link: str, text: str) -> Model:
    """Return the model on another bus, or with the link that it has."""
    if link == "nvlink":
        if not model.link:
            raise ValueError(f"Machine {text!r}: {model.name} has no NVLink.")
        return model
    bus = _PCIE.get(link)
    if bus is None:
        known = ", ".join((*_PCIE, "nvlink"))
        raise ValueError(f"Machine {text!r}: there is no link {link!r}; there are {known}.")
    bandwidth = BUSES[bus] * 1e9
    return replace(model, bus=bus, bus_bandwidth=bandwidth, link="", link_bandwidth=None)


def _sliced(model: Model, part: str, text: str) -> Model:
    """Return what a MIG slice has of the model."""
    sliced = mig_slice(model, part)
    if sliced is None:
        known = ", ".join(slice_names(model)) or "none"
        raise ValueError(
            f"Machine {text!r}: {model.name} has no slice {part.strip()!r}; it has {known}."
        )
    return sliced


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
