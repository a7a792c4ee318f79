"""The NVIDIA driver and its cards, through the management library and the kernel's own files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from placewise.check.machine import CardFacts, Driver, Health
from placewise.check.reading.sources import Sources
from placewise.devices import nvml

_VERSION = re.compile(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b")
_LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib")
# Bits of NVML's reasons for lower clocks. Being idle and limits set by hand are none.
_SLOWED = {
    0x40: "heat",
    0x20: "heat",
    0x80: "power brake from outside",
    0x08: "too little power, or heat",
}
_LOST = ("GpuIsLost", "ResetRequired", "IrqIssue", "GpuNotFound", "Unknown")
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
        return Driver(problem=_name(error), detail=str(error), **files), ()
    cards, failures = _read_cards(module)
    lost = [error for error in failures if _name(error) in _LOST]
    others = [error for error in failures if error not in lost]
    driver = Driver(
        problem=_name(others[0]) if others else "",
        detail=str(others[0]) if others else "",
        version=_text(_ask(module, module.nvmlSystemGetDriverVersion) or ""),
        cuda=_cuda(_ask(module, module.nvmlSystemGetCudaDriverVersion)),
        lost_cards=len(lost),
        **files,
    )
    return driver, cards


def _name(error: Exception) -> str:
    """Return the library's own name for an error: `LibRmVersionMismatch`."""
    return type(error).__name__.removeprefix("NVMLError_").removeprefix("NVMLError") or "Unknown"


def _read_files(sources: Sources) -> dict[str, Any]:
    modules = {line.split(" ", 1)[0] for line in sources.text("/proc/modules").splitlines()}
    loaded = sources.text("/proc/driver/nvidia/version")
    module_version = _VERSION.search(loaded) or _VERSION.search(
        sources.text("/sys/module/nvidia/version")
    )
    return {
        "module_version": module_version[1] if module_version else "",
        "library_version": _library_version(sources),
        "is_module_loaded": "nvidia" in modules or bool(loaded),
        "is_nouveau_loaded": "nouveau" in modules,
    }


def _library_version(sources: Sources) -> str:
    for folder in _LIBRARIES:
        for path in sorted(sources.path(folder).glob("libnvidia-ml.so.*"), reverse=True):
            if match := _VERSION.search(path.name):
                return match[1]
    return ""


def _read_cards(module: Any) -> tuple[tuple[CardFacts, ...], list[Exception]]:
    """Return the cards that answer, in bus order, and the errors of those that do not."""
    cards: list[CardFacts] = []
    failures: list[Exception] = []
    for index in range(module.nvmlDeviceGetCount()):
        try:
            handle = module.nvmlDeviceGetHandleByIndex(index)
            cards.append(_read_card(module, handle))
        except module.NVMLError as error:
            failures.append(error)
    return tuple(sorted(cards, key=lambda item: item.card.bus_id)), failures


def _read_card(module: Any, handle: Any) -> CardFacts:
    card = nvml.read_card(module, handle)
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
    named = [reason for bit, reason in _SLOWED.items() if bits & bit and bit != 0x08]
    specific = tuple(dict.fromkeys(named))
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
