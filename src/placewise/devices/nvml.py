"""NVIDIA cards as their management library tells of them: facts, and what happens on them now.

The library ignores CUDA_VISIBLE_DEVICES and lists cards by bus id. Loaded on first use; `module` is
`pynvml`, or a stand-in of it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from placewise.devices.cards import find_model
from placewise.devices.facts import Card, Slice


class UnavailableError(Exception):
    """The library cannot be asked; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process that holds memory of a card; `used_bytes` is None where the system hides it."""

    pid: int
    name: str
    used_bytes: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What happens on a card right now."""

    total_bytes: int
    used_bytes: int
    utilisation_percent: int | None = None
    temperature_celsius: int | None = None
    power_watts: float | None = None
    processes: tuple[Process, ...] = ()


def load() -> Any:
    """Return the management library, started; raise UnavailableError with the reason."""
    try:
        import pynvml  # noqa: PLC0415 - few programs need it
    except ImportError:
        raise UnavailableError(
            "the package nvidia-ml-py is not installed (pip install nvidia-ml-py)"
        ) from None
    return start(pynvml)


def start(module: Any) -> Any:
    """Start the library; raise UnavailableError with the reason it gives."""
    try:
        module.nvmlInit()
    except module.NVMLError as error:
        raise UnavailableError(_REASONS.get(type(error).__name__, str(error))) from None
    return module


_REASONS = {
    "NVMLError_LibraryNotFound": "no NVIDIA driver is installed (its library was not found)",
    "NVMLError_DriverNotLoaded": "the NVIDIA driver is installed but not loaded",
    "NVMLError_NoPermission": "this user may not ask the NVIDIA driver",
    "NVMLError_LibRmVersionMismatch": "the NVIDIA driver was updated: its library and the loaded "
    "kernel module differ; restart the machine",
}


def find_cards(module: Any) -> tuple[Card, ...]:
    """Return every NVIDIA card that answers, in bus order; the log names those that do not."""
    cards, silent = [], []
    for index in range(module.nvmlDeviceGetCount()):
        try:
            cards.append(read_card(module, module.nvmlDeviceGetHandleByIndex(index)))
        except module.NVMLError as error:
            silent.append(
                f"card {index} does not answer ({error}): `placewise check` says more; a restart "
                "of the machine may bring it back"
            )
    if silent and not cards:
        raise UnavailableError("; ".join(silent))
    for words in silent:
        logging.getLogger("tensorflow").warning("NVIDIA %s. It is left out.", words)
    return tuple(sorted(cards, key=lambda card: card.bus_id))


def read_card(module: Any, handle: Any) -> Card:
    """Return the card behind a handle of the library."""
    name = as_text(module.nvmlDeviceGetName(handle))
    memory = module.nvmlDeviceGetMemoryInfo(handle)
    model = find_model(name)
    capability = ask(module, module.nvmlDeviceGetCudaComputeCapability, handle)
    cores = ask(module, module.nvmlDeviceGetNumGpuCores, handle) or 0
    clock = ask(module, module.nvmlDeviceGetMaxClockInfo, handle, 1) or 0  # 1: the SM clock, MHz
    speed = 2e6 * cores * clock or (model.fp32 if model else 0.0)
    return Card(
        name=name,
        vendor="nvidia",
        total_bytes=memory.total,
        free_bytes=memory.free,
        capability=(capability[0], capability[1]) if capability else None,
        multiprocessors=model.multiprocessors if model else 0,
        bus_id=short_bus_id(as_text(module.nvmlDeviceGetPciInfo(handle).busId)),
        uuid=as_text(module.nvmlDeviceGetUUID(handle)),
        speed=speed,
        torch_type="cuda",
        model=model,
        slices=_slices(module, handle),
        numa_node=ask(module, module.nvmlDeviceGetNumaNodeId, handle),
    )


def short_bus_id(bus_id: str) -> str:
    """Return a bus id with a domain of four digits, as CUDA prints it.

    >>> short_bus_id("00000000:3B:00.0")
    '0000:3b:00.0'
    """
    domain, _, rest = bus_id.lower().partition(":")
    return f"{int(domain, 16):04x}:{rest}"


def _slices(module: Any, handle: Any) -> tuple[Slice, ...]:
    """Return the MIG instances of a card; none when it is not divided."""
    mode = ask(module, module.nvmlDeviceGetMigMode, handle)
    if not mode or not mode[0]:
        return ()
    cards = []
    for index in range(module.nvmlDeviceGetMaxMigDeviceCount(handle)):
        part = ask(module, module.nvmlDeviceGetMigDeviceHandleByIndex, handle, index)
        if part is None:
            continue
        memory = module.nvmlDeviceGetMemoryInfo(part)
        attributes = ask(module, module.nvmlDeviceGetAttributes, part)
        name = as_text(module.nvmlDeviceGetName(part))
        cards.append(
            Slice(
                uuid=as_text(module.nvmlDeviceGetUUID(part)),
                gpu_instance=module.nvmlDeviceGetGpuInstanceId(part),
                compute_instance=module.nvmlDeviceGetComputeInstanceId(part),
                name=name[name.index("MIG") :] if "MIG" in name else "MIG",
                total_bytes=memory.total,
                free_bytes=memory.free,
                multiprocessors=attributes.multiprocessorCount if attributes else 0,
            )
        )
    return tuple(cards)


def read(module: Any, uuid: str) -> Reading:
    """Return what happens on the card or MIG instance `uuid` now."""
    handle = module.nvmlDeviceGetHandleByUUID(uuid)
    memory = module.nvmlDeviceGetMemoryInfo(handle)
    rates = ask(module, module.nvmlDeviceGetUtilizationRates, handle)
    power = ask(module, module.nvmlDeviceGetPowerUsage, handle)
    running = ask(module, module.nvmlDeviceGetComputeRunningProcesses, handle) or []
    return Reading(
        total_bytes=memory.total,
        used_bytes=memory.used,
        utilisation_percent=rates.gpu if rates else None,
        temperature_celsius=ask(module, module.nvmlDeviceGetTemperature, handle, 0),
        power_watts=power / 1000 if power is not None else None,
        processes=tuple(
            Process(item.pid, _process_name(module, item.pid), item.usedGpuMemory)
            for item in running
        ),
    )


def _process_name(module: Any, pid: int) -> str:
    return as_text(ask(module, module.nvmlSystemGetProcessName, pid) or "")


def ask(module: Any, question: Callable[..., Any], *arguments: Any) -> Any:
    """Return an answer, or None for what this card or driver does not tell."""
    try:
        return question(*arguments)
    except module.NVMLError:
        return None


def as_text(value: Any) -> str:
    """Return a text of the library, which older versions give as bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
