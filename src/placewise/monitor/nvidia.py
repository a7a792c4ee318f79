"""NVIDIA cards and their MIG slices, read through the management library.

`module` is `pynvml` or a stand-in, started. A question that a card or driver does not answer gives
None; a card that fails altogether (it fell off the bus) is listed with the driver's reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from placewise.devices.nvml import as_text, ask, short_bus_id
from placewise.monitor.readings import CardReading, Use


def read_cards(module: Any) -> tuple[CardReading, ...]:
    """Return every card, in bus order, as nvidia-smi counts them."""
    return tuple(_card_or_reason(module, index) for index in range(module.nvmlDeviceGetCount()))


def driver_version(module: Any) -> str:
    """Return the version of the driver, empty if it does not tell."""
    version = ask(module, module.nvmlSystemGetDriverVersion)
    return as_text(version) if version else ""


def card_names(module: Any) -> list[str]:
    """Return the names of all cards, and nothing else of them."""
    handles = (
        ask(module, module.nvmlDeviceGetHandleByIndex, index)
        for index in range(module.nvmlDeviceGetCount())
    )
    return [
        as_text(ask(module, module.nvmlDeviceGetName, handle) or "unknown") for handle in handles
    ]


def _card_or_reason(module: Any, index: int) -> CardReading:
    try:
        handle = module.nvmlDeviceGetHandleByIndex(index)
        return _card(module, handle, index)
    except module.NVMLError as error:
        return CardReading("nvidia", index, "NVIDIA card", note=f"cannot be read: {error}")


def _card(module: Any, handle: Any, index: int) -> CardReading:
    reading = _device(module, handle, index)
    power = ask(module, module.nvmlDeviceGetPowerUsage, handle)
    limit = ask(module, module.nvmlDeviceGetEnforcedPowerLimit, handle)
    bus = ask(module, module.nvmlDeviceGetPciInfo, handle)
    slices = _slices(module, handle)
    within = {use.pid for part in slices for use in part.uses}
    return replace(
        reading,
        bus_id=short_bus_id(as_text(bus.busId)) if bus else "",
        temperature_celsius=ask(module, module.nvmlDeviceGetTemperature, handle, 0),
        power_watts=power / 1000 if power is not None else None,
        power_limit_watts=limit / 1000 if limit is not None else None,
        # Some drivers list a slice's processes for the whole card, too.
        uses=tuple(use for use in reading.uses if use.pid not in within),
        slices=slices,
    )


def _device(module: Any, handle: Any, index: int) -> CardReading:
    """Return what cards and slices tell alike."""
    memory = ask(module, module.nvmlDeviceGetMemoryInfo, handle)
    rates = ask(module, module.nvmlDeviceGetUtilizationRates, handle)
    uuid = as_text(module.nvmlDeviceGetUUID(handle))
    return CardReading(
        vendor="nvidia",
        index=index,
        name=as_text(module.nvmlDeviceGetName(handle)),
        uuid=uuid,
        load_percent=rates.gpu if rates else None,
        memory_used_bytes=memory.used if memory else None,
        memory_total_bytes=memory.total if memory else None,
        uses=_uses(module, handle),
    )


def _slices(module: Any, handle: Any) -> tuple[CardReading, ...]:
    mode = ask(module, module.nvmlDeviceGetMigMode, handle)
    if not mode or not mode[0]:
        return ()
    slices = []
    for place in range(ask(module, module.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        part = ask(module, module.nvmlDeviceGetMigDeviceHandleByIndex, handle, place)
        if part is None:
            continue
        reading = _device(module, part, place)
        name = reading.name[reading.name.index("MIG") :] if "MIG" in reading.name else "MIG"
        uses = tuple(replace(use, part=reading.uuid) for use in reading.uses)
        slices.append(replace(reading, name=name, uses=uses))
    return tuple(slices)


def _uses(module: Any, handle: Any) -> tuple[Use, ...]:
    """Return the processes on a card, each once: who computes may draw as well."""
    uses: dict[int, Use] = {}
    for kind, question in (
        ("compute", module.nvmlDeviceGetComputeRunningProcesses),
        ("graphics", module.nvmlDeviceGetGraphicsRunningProcesses),
    ):
        running: Iterable[Any] = ask(module, question, handle) or ()
        for process in running:
            uses.setdefault(process.pid, Use(process.pid, process.usedGpuMemory, kind))
    return tuple(uses.values())
