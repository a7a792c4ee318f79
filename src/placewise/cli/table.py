"""The machine as a table of text cells: what `placewise devices` shows, before any drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from placewise.cli.gpu_selection import identity
from placewise.cli.lease_files import Lease
from placewise.cli.sizes import NONE, to_size
from placewise.devices.environment import VARIABLES
from placewise.devices.facts import Card
from placewise.devices.report import Machine, Row

SIMULATE = VARIABLES["simulate"]
Held = Mapping[str, Sequence[Lease]]
NOBODY: Held = MappingProxyType({})


class Line(NamedTuple):
    """One device, each cell as text; `note` says what hides it."""

    tensorflow: str
    cuda: str
    smi: str
    bus_id: str
    model: str
    capability: str
    memory: str
    load: str
    users: str
    uuid: str
    note: str = ""


HEADER = Line(
    "TensorFlow",
    "CUDA",
    "nvidia-smi",
    "bus id",
    "model",
    "capability",
    "memory",
    "load",
    "used by",
    "UUID",
)


def lines(machine: Machine, held: Held = NOBODY) -> list[Line]:
    """Return one line for the processor and one per card, visible ones first.

    `held` has the leases of each card, by its identity.
    """
    shown = sorted(machine.rows, key=_place)
    cards = [_card_line(row, held.get(identity(machine, row), ())) for row in shown]
    unusable = [_unusable_line(index, card) for index, card in enumerate(machine.unusable)]
    return [_processor_line(machine), *cards, *unusable]


def _place(row: Row) -> tuple[bool, int]:
    hidden = row.cuda_index is None
    return hidden, row.smi_index if row.cuda_index is None else row.cuda_index


def _processor_line(machine: Machine) -> Line:
    processor = machine.processor
    model = f"{processor.name}, {processor.cores} core{'s' if processor.cores != 1 else ''}"
    names, memory = to_names(machine.cpus), to_size(processor.memory_bytes)
    return Line(names, NONE, NONE, NONE, model, NONE, memory, NONE, NONE, NONE)


def _unusable_line(index: int, card: Card) -> Line:
    memory = to_memory(card.total_bytes - card.free_bytes, card.total_bytes)
    capability = to_capability(card)
    smi = str(index) if card.vendor == "nvidia" else NONE
    bus_id, uuid = card.bus_id or NONE, card.uuid or NONE
    note = "cannot be used: see below"
    return Line(NONE, NONE, smi, bus_id, card.name, capability, memory, NONE, NONE, uuid, note)


def _card_line(row: Row, leases: Sequence[Lease]) -> Line:
    card, reading = row.card, row.reading
    users = ", ".join(
        [
            f"{process.name.rpartition('/')[2] or 'pid'} {process.pid}"
            + (f" ({to_size(process.used_bytes)})" if process.used_bytes else "")
            for process in reading.processes
        ]
        + [f"leased by {lease}" for lease in leases]
    )
    load = reading.utilisation_percent
    return Line(
        to_names(row.tensorflow),
        NONE if row.cuda_index is None else str(row.cuda_index),
        str(row.smi_index) if card.vendor == "nvidia" else NONE,
        card.bus_id or NONE,
        card.name,
        to_capability(card),
        to_memory(reading.used_bytes, reading.total_bytes),
        NONE if load is None else f"{load}%",
        users or NONE,
        card.uuid,
        f"hidden by {row.hidden_by}" if row.cuda_index is None else row.hidden_by,
    )


def to_names(names: tuple[str, ...]) -> str:
    """Return device names as short as `tf.device` takes them.

    >>> to_names(("/device:GPU:0", "/device:GPU:1"))
    'GPU:0 GPU:1'
    """
    return " ".join(name.removeprefix("/device:") for name in names) or NONE


def to_memory(used_bytes: int, total_bytes: int) -> str:
    """Return `used / total`."""
    return f"{to_size(used_bytes)} / {to_size(total_bytes)}"


def to_capability(card: Card) -> str:
    """Return the compute capability, such as `3.5`."""
    return NONE if card.capability is None else "{}.{}".format(*card.capability)


def to_json(machine: Machine, held: Held = NOBODY) -> dict[str, Any]:
    """Return the machine for programs: one flat entry per card, sizes in bytes."""
    processor = machine.processor
    return {
        "simulated": machine.simulated,
        "cpu": {
            "tensorflow": list(machine.cpus),
            "model": processor.name,
            "cores": processor.cores,
            "memory_total_bytes": processor.memory_bytes,
        },
        "gpus": [
            _json_entry(row, held.get(identity(machine, row), ()))
            for row in sorted(machine.rows, key=_place)
        ],
        "unusable": [{"model": card.name, **_json_card(card)} for card in machine.unusable],
        "reasons": list(machine.reasons),
        "environment": dict(machine.variables),
    }


def _json_entry(row: Row, leases: Sequence[Lease]) -> dict[str, Any]:
    reading = row.reading
    return {
        "tensorflow": list(row.tensorflow),
        "physical": row.physical or None,
        "cuda_index": row.cuda_index,
        "nvidia_smi_index": row.smi_index if row.card.vendor == "nvidia" else None,
        "model": row.card.name,
        **_json_card(row.card),
        "memory_total_bytes": reading.total_bytes,
        "memory_used_bytes": reading.used_bytes,
        "memory_limit_bytes": list(row.memory_limit_bytes),
        "utilisation_percent": reading.utilisation_percent,
        "temperature_celsius": reading.temperature_celsius,
        "power_watts": reading.power_watts,
        "processes": [
            {"pid": process.pid, "name": process.name, "used_bytes": process.used_bytes}
            for process in reading.processes
        ],
        "leases": [
            {"pid": lease.pid, "since": lease.since, "command": lease.command} for lease in leases
        ],
        "hidden_by": row.hidden_by or None,
    }


def _json_card(card: Card) -> dict[str, Any]:
    return {
        "bus_id": card.bus_id or None,
        "uuid": card.uuid or None,
        "compute_capability": None if card.capability is None else to_capability(card),
        "simulated": card.simulated,
    }


def remarks(machine: Machine) -> list[str]:
    """Return what must be said beside the table: what is simulated, what is missing, what to do."""
    said = []
    if machine.simulated is not None:
        said.append(f"Simulated machine: {machine.simulated}")
    usable = any(row.tensorflow for row in machine.rows)
    if not usable:
        said.append("No GPU can be used" + (":" if machine.reasons else "."))
    said += [f"  {reason}." for reason in machine.reasons]
    if not usable and machine.simulated is None:
        said.append(
            "To run a program as if there were GPUs: placewise run --simulate 4xV100 program.py"
        )
    variables = sorted(machine.variables.items())
    if set_here := [f"{name}={value!r}" for name, value in variables if name != SIMULATE]:
        said.append("Set in the environment: " + ", ".join(set_here))
    return said
