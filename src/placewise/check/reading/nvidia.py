"""The NVIDIA driver and its cards, through the management library and the kernel's own files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from placewise.check.machine import CardFacts, Driver, Health
from placewise.check.reading.sources import Sources
from placewise.devices import nvml
from placewise.devices.facts import Card

_VERSION = re.compile(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b")
_LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib")
# Bits of NVML's reasons for lower clocks. Being idle and limits set by hand are none.
_SLOWED = {
    0x40: "heat, by hardware",
    0x20: "heat",
    0x80: "power brake from outside",
    0x08: "too little power or heat, by hardware",
}
_MODES = {1: "exclusive", 2: "prohibited", 3: "exclusive"}


def read_driver(sources: Sources) -> tuple[Driver, tuple[CardFacts, ...]]:
    """Return the driver, and the cards that it serves."""
    files = _read_files(sources)
    try:
        module = sources.nvml()
    except ImportError:
        return Driver(problem="PackageMissing", **files), ()
    try:
        module.nvmlInit()
    except module.NVMLError as error:
        name = type(error).__name__.removeprefix("NVMLError_").removeprefix("NVMLError")
        return Driver(problem=name or "Unknown", detail=str(error), **files), ()
    cards, lost = _read_cards(module)
    driver = Driver(
        version=_text(_ask(module, module.nvmlSystemGetDriverVersion) or ""),
        cuda=_cuda(_ask(module, module.nvmlSystemGetCudaDriverVersion)),
        lost_cards=lost,
        **files,
    )
    return driver, cards


def _read_files(sources: Sources) -> dict[str, Any]:
    modules = {line.split(" ", 1)[0] for line in sources.text("/proc/modules").splitlines()}
    said = sources.text("/proc/driver/nvidia/version")
    module_version = _VERSION.search(said) or _VERSION.search(
        sources.text("/sys/module/nvidia/version")
    )
    return {
        "module_version": module_version[1] if module_version else "",
        "library_version": _library_version(sources),
        "is_module_loaded": "nvidia" in modules or bool(said),
        "is_nouveau_loaded": "nouveau" in modules,
    }


def _library_version(sources: Sources) -> str:
    for folder in _LIBRARIES:
        for path in sorted(sources.path(folder).glob("libnvidia-ml.so.*"), reverse=True):
            if match := _VERSION.search(path.name):
                return match[1]
    return ""


def _read_cards(module: Any) -> tuple[tuple[CardFacts, ...], int]:
    """Return the cards that answer, in bus order, and how many do not."""
    try:
        cards, lost = nvml.find_cards(module), 0
    except module.NVMLError:
        # One card that does not answer fails the whole list: ask for each by itself.
        cards, lost = _one_by_one(module)
    return tuple(_read_card(module, card) for card in cards), lost


def _one_by_one(module: Any) -> tuple[tuple[Card, ...], int]:
    cards: list[Card] = []
    lost = 0
    for index in range(module.nvmlDeviceGetCount()):
        try:
            cards.append(nvml.read_card(module, module.nvmlDeviceGetHandleByIndex(index)))
        except module.NVMLError:
            lost += 1
    return tuple(sorted(cards, key=lambda card: card.bus_id)), lost


def _read_card(module: Any, card: Card) -> CardFacts:
    handle = module.nvmlDeviceGetHandleByUUID(card.uuid)
    mig = _ask(module, module.nvmlDeviceGetMigMode, handle)
    return CardFacts(
        card=card,
        reading=nvml.read(module, card.uuid),
        health=_read_health(module, handle),
        mig_enabled=bool(mig and mig[0]),
    )


def _read_health(module: Any, handle: Any) -> Health:
    slowed = _ask(module, module.nvmlDeviceGetCurrentClocksThrottleReasons, handle) or 0
    persistent = _ask(module, module.nvmlDeviceGetPersistenceMode, handle)
    remapped = _ask(module, module.nvmlDeviceGetRemappedRows, handle)
    retired = _ask(module, module.nvmlDeviceGetRetiredPagesPendingStatus, handle)
    # 1: errors that could not be corrected; 0: since the driver was loaded.
    errors = _ask(module, module.nvmlDeviceGetTotalEccErrors, handle, 1, 0)
    return Health(
        compute_mode=_MODES.get(
            _ask(module, module.nvmlDeviceGetComputeMode, handle) or 0, "default"
        ),
        is_persistent=None if persistent is None else bool(persistent),
        uncorrected_errors=int(errors or 0),
        repair_pending=bool(retired) or bool(remapped and (remapped[2] or remapped[3])),
        slowed_by=_reasons(slowed),
        link_width=_ask(module, module.nvmlDeviceGetCurrPcieLinkWidth, handle),
        link_width_most=_ask(module, module.nvmlDeviceGetMaxPcieLinkWidth, handle),
    )


def _reasons(bits: int) -> tuple[str, ...]:
    specific = tuple(said for bit, said in _SLOWED.items() if bits & bit and bit != 0x08)
    # The general bit comes with one of the others, and says nothing more then.
    return specific or ((_SLOWED[0x08],) if bits & 0x08 else ())


def _cuda(number: int | None) -> tuple[int, int] | None:
    return None if not number else (number // 1000, number % 1000 // 10)


def _ask(module: Any, question: Callable[..., Any], *arguments: Any) -> Any:
    """Return an answer, or None for what this card or driver does not tell."""
    try:
        return question(*arguments)
    except (module.NVMLError, AttributeError):
        return None


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
