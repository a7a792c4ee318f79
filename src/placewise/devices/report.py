"""The machine as data, for `placewise devices` and `top`: each card, its numbers, what hides it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from placewise.devices import cpu, inventory, nvml
from placewise.devices.environment import VARIABLES
from placewise.devices.facts import Card


@dataclass(frozen=True, slots=True)
class Row:
    """One card: how each numbering calls it, what is on it, and what hides it.

    `smi_index` is nvidia-smi's (bus order), `cuda_order` CUDA's without a mask, `cuda_index` CUDA's
    as this process sees it, `tensorflow` the logical devices on it. `hidden_by` says why the last
    two are empty.
    """

    card: Card
    smi_index: int
    cuda_order: int
    cuda_index: int | None
    physical: str
    tensorflow: tuple[str, ...]
    memory_limit_bytes: tuple[int, ...]
    hidden_by: str
    reading: nvml.Reading


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine: processor, cards, and the reasons why there is no GPU or fewer than expected."""

    simulated: str | None
    processor: cpu.Processor
    cpus: tuple[str, ...]
    rows: tuple[Row, ...]
    unusable: tuple[Card, ...]
    reasons: tuple[str, ...]
    variables: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return plain dictionaries, lists, numbers and strings."""
        return asdict(self)


def describe_machine() -> Machine:
    """Return what there is, as this process sees it; does not start the devices."""
    discovered = inventory.discovery()
    sight = discovered.visibility
    devices = inventory.planned()
    indices = sight.cuda_indices()
    orders = {place: order for order, place in enumerate(sight.ordered)}
    physical = {gpu.cuda_index: gpu.physical.name for gpu in discovered.gpus}
    on_card: dict[int, list[tuple[str, int]]] = {}
    for device in devices:
        if device.cuda_index is not None:
            limit = device.memory_limit_bytes or 0
            on_card.setdefault(device.cuda_index, []).append((device.local_name, limit))
    rows = []
    readings = read_cards(sight.cards)
    for place, card in enumerate(sight.cards):
        index = indices.get(place)
        parts = on_card.get(index, []) if index is not None else []
        hidden = sight.masked_by if index is None else discovered.ignored.get(index, "")
        if index is not None and not hidden and not parts:
            where = inventory.settings().set_by.get("visible")
            hidden = "tf.config.set_visible_devices" + (f" at {where}" if where else "")
        rows.append(
            Row(
                card=sight.seen[index].card if index is not None else card,
                smi_index=place,
                cuda_order=orders[place],
                cuda_index=index,
                physical=physical.get(index, "") if index is not None else "",
                tensorflow=tuple(name for name, _ in parts),
                memory_limit_bytes=tuple(limit for _, limit in parts),
                hidden_by=hidden,
                reading=readings[place],
            )
        )
    return Machine(
        simulated=discovered.machine,
        processor=cpu.find(),
        cpus=tuple(device.local_name for device in devices if device.kind == "CPU"),
        rows=tuple(rows),
        unusable=discovered.unusable,
        reasons=discovered.reasons,
        variables={
            name: value
            for field, name in VARIABLES.items()
            if (value := getattr(discovered.environment, field)) is not None
        },
    )


def read_cards(cards: tuple[Card, ...]) -> list[nvml.Reading]:
    """Return what happens on each card now; a simulated one is idle."""
    module = None
    if any(card.vendor == "nvidia" and not card.simulated for card in cards):
        try:
            module = nvml.load()
        except nvml.UnavailableError:
            module = None  # the driver went away since the cards were found
    return [_read_card(module, card) for card in cards]


def _read_card(module: Any, card: Card) -> nvml.Reading:
    """Return what happens on a card; what was found of it earlier if it no longer answers."""
    known = nvml.Reading(card.total_bytes, card.total_bytes - card.free_bytes)
    if module is None or card.vendor != "nvidia" or card.simulated:
        return known
    try:
        return nvml.read(module, card.uuid)
    except module.NVMLError:
        return known
