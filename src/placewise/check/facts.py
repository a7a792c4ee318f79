"""What a report about a GPU must say for somebody else to understand it: versions, driver, card."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import Any

from placewise.devices import nvml
from placewise.devices.device import Device


def describe_software() -> dict[str, Any]:
    """Return the versions of what is installed; loads nothing of it."""
    return {
        "placewise": importlib.metadata.version("placewise"),
        "torch": importlib.metadata.version("torch"),
        "python": platform.python_version(),
        "system": platform.platform(),
    }


def describe_device(device: Device) -> dict[str, Any]:
    """Return what is known of a GPU without loading torch."""
    card = device.card
    facts: dict[str, Any] = {
        "tensorflow": device.local_name.removeprefix("/device:"),
        "torch": device.torch_device,
        "simulated": device.simulated,
    }
    if card is not None:
        facts |= {
            "model": card.name,
            "compute_capability": card.capability and "{}.{}".format(*card.capability),
            "bus_id": card.bus_id or None,
            "memory_total_bytes": card.total_bytes,
            "driver": driver_version() if card.vendor == "nvidia" and not card.simulated else None,
        }
    return facts


def driver_version() -> str | None:
    """Return the version of the NVIDIA driver; None where it does not tell."""
    try:
        module = nvml.load()
        version = module.nvmlSystemGetDriverVersion()
    except Exception:  # a report without it is better than none
        return None
    return version.decode() if isinstance(version, bytes) else str(version)


def describe_torch(device: Device) -> dict[str, Any]:
    """Return how the torch that is loaded here was built, and what it says of a GPU."""
    import torch  # noqa: PLC0415 - keeps torch out

    build = {
        name: str(value)
        for name in ("cuda", "hip", "xpu")
        if (value := getattr(torch.version, name, None)) is not None
    }
    facts: dict[str, Any] = {"built_for": build or "cpu"}
    cudnn: Any = torch.backends.cudnn
    if build.get("cuda") and cudnn.is_available():
        facts["cudnn"] = cudnn.version()
    if device.has_own_memory:
        module = torch.get_device_module(device.torch_device.partition(":")[0])
        read = getattr(module, "get_device_properties", None)
        if read is not None:
            facts["properties"] = str(read(torch.device(device.torch_device).index or 0))
    return facts
