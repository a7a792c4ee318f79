"""AMD cards: through the package amdsmi where it is installed, else from the kernel's own files.

`module` is `amdsmi` or a stand-in, started. A figure that a card does not tell is "N/A" there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from placewise.monitor import drm
from placewise.monitor.readings import CardReading, Use

VENDOR = "0x1002"
_MIB = 1 << 20
_POWER = ("current_socket_power", "socket_power", "average_socket_power")


def load() -> Any:
    """Return the package amdsmi, started; None where it or the driver is not there."""
    try:
        import amdsmi  # type: ignore[import-not-found]  # noqa: PLC0415 - comes with ROCm
    except (ImportError, OSError, KeyError):  # what it raises where the driver's library is missing
        return None
    return start(amdsmi)


def start(module: Any) -> Any:
    """Start the library; None if it finds no driver."""
    try:
        module.amdsmi_init()
    except module.AmdSmiException:
        return None
    return module


def read_cards(module: Any) -> tuple[CardReading, ...]:
    """Return every card that the library knows."""
    try:
        handles = module.amdsmi_get_processor_handles()
    except module.AmdSmiException:
        return ()
    return tuple(_card(module, handle, index) for index, handle in enumerate(handles))


def _card(module: Any, handle: Any, index: int) -> CardReading:
    def ask(name: str, *arguments: Any) -> Any:
        return _ask(module, getattr(module, name), handle, *arguments)

    asic = ask("amdsmi_get_gpu_asic_info") or {}
    memory = ask("amdsmi_get_gpu_vram_usage") or {}
    power = ask("amdsmi_get_power_info") or {}
    used, total = _number(memory.get("vram_used")), _number(memory.get("vram_total"))
    limit = _number(power.get("power_limit"))
    return CardReading(
        vendor="amd",
        index=index,
        name=str(asic.get("market_name") or "AMD card"),
        bus_id=str(ask("amdsmi_get_gpu_device_bdf") or "").lower(),
        uuid=str(ask("amdsmi_get_gpu_device_uuid") or ""),
        load_percent=_number((ask("amdsmi_get_gpu_activity") or {}).get("gfx_activity")),
        memory_used_bytes=None if used is None else int(used * _MIB),
        memory_total_bytes=None if total is None else int(total * _MIB),
        temperature_celsius=_temperature(module, handle),
        power_watts=next(
            (watts for key in _POWER if (watts := _number(power.get(key))) is not None), None
        ),
        # Watts in newer versions of the library, microwatts before.
        power_limit_watts=limit if limit is None or limit < 10_000 else limit / 1e6,
        uses=_uses(module, handle),
    )


def _temperature(module: Any, handle: Any) -> float | None:
    metric = module.AmdSmiTemperatureMetric.CURRENT
    kinds = module.AmdSmiTemperatureType
    # Compute cards have no sensor at the edge.
    for kind in ("EDGE", "HOTSPOT", "JUNCTION"):
        if not hasattr(kinds, kind):
            continue
        question = module.amdsmi_get_temp_metric
        value = _number(_ask(module, question, handle, getattr(kinds, kind), metric))
        if value:
            return value if value < 1000 else value / 1000  # older versions: thousandths
    return None


def _uses(module: Any, handle: Any) -> tuple[Use, ...]:
    uses = []
    for process in _ask(module, module.amdsmi_get_gpu_process_list, handle) or ():
        if not isinstance(process, dict):  # older versions: a handle to ask with
            process = _ask(module, module.amdsmi_get_gpu_process_info, handle, process) or {}
        used = _number(process.get("memory_usage", {}).get("vram_mem"))
        if process.get("pid"):
            uses.append(Use(int(process["pid"]), None if used is None else int(used)))
    return tuple(uses)


def _ask(module: Any, question: Callable[..., Any], *arguments: Any) -> Any:
    try:
        answer = question(*arguments)
    except module.AmdSmiException:
        return None
    return None if answer == "N/A" else answer


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def read_system(
    system: Path = drm.SYSTEM, uses: dict[str, tuple[Use, ...]] | None = None
) -> tuple[CardReading, ...]:
    """Return the cards that the driver amdgpu serves, from its files."""
    uses = uses or {}
    cards = drm.find_cards(VENDOR, system)
    return tuple(_system_card(card, index, uses) for index, card in enumerate(cards))


def _system_card(card: drm.DrmCard, index: int, uses: dict[str, tuple[Use, ...]]) -> CardReading:
    device = card.device
    temperature = drm.read_sensor(device, "temp1_input", "temp2_input")
    power = drm.read_sensor(device, "power1_average", "power1_input")
    limit = drm.read_sensor(device, "power1_cap")
    return CardReading(
        vendor="amd",
        index=index,
        name=drm.read_text(device / "product_name") or "AMD card",
        bus_id=card.bus_id,
        uuid=drm.read_text(device / "unique_id") or "",
        load_percent=drm.read_number(device / "gpu_busy_percent"),
        memory_used_bytes=drm.read_number(device / "mem_info_vram_used"),
        memory_total_bytes=drm.read_number(device / "mem_info_vram_total"),
        temperature_celsius=None if temperature is None else temperature / 1000,
        power_watts=None if power is None else power / 1e6,
        power_limit_watts=None if limit is None else limit / 1e6,
        uses=uses.get(card.bus_id, ()),
    )
