"""The memory questions of `tf.config.experimental`, with TensorFlow's answers to bad names."""

from __future__ import annotations

from typing import Any

from placewise.core.errors import hint
from placewise.devices.device import Device
from placewise.devices.inventory import inventory
from placewise.devices.runtime_names import matches, parse_full_or_local, parse_runtime


def get_memory_info(device: str) -> dict[str, int]:
    """Return the bytes in use on a GPU now (`current`) and at most (`peak`).

    Bytes are those of the pool's blocks: multiples of 256, at times larger than the tensor.
    """
    match = _find(device)
    statistics = _statistics(match)
    if statistics is None:
        raise ValueError(
            hint(
                f"Allocator stats not available for device '{_text_of(device)}'",
                "the memory of a CPU has no limit and is not counted",
            )
        )
    return {"current": statistics.bytes_in_use, "peak": statistics.peak_bytes}


def get_memory_usage(device: str) -> int:
    """Return the bytes in use on a GPU now; the old name of `get_memory_info(…)['current']`."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Let the peak of a GPU start anew from what is in use now."""
    # tf.config must be importable without torch, which the ledgers need.
    from placewise.memory.ledgers import reset_peak  # noqa: PLC0415 - keeps torch out

    if not reset_peak(_find(device)):
        raise ValueError(
            hint(
                f"Cannot reset memory stats for device '{_text_of(device)}'",
                "the memory of a CPU has no limit and is not counted",
            )
        )


def _statistics(device: Device) -> Any:
    # tf.config must be importable without torch, which the ledgers need.
    from placewise.memory.ledgers import statistics_of  # noqa: PLC0415 - keeps torch out

    return statistics_of(device)


def _text_of(device: Any) -> str:
    """Return a name as text: bytes will do, as in TensorFlow."""
    name = device or ""
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    if not isinstance(name, str):
        raise TypeError(f"Expected a device name such as 'GPU:0', got {device!r}")
    return name


def _find(device: Any) -> Device:
    """Return the one device of a runtime or local name."""
    name = _text_of(device)
    spec = parse_full_or_local(name)
    devices = inventory().devices
    if spec is None:
        raise ValueError(
            f"Failed parsing device name: '{name}'. Note a valid device string should at least "
            'contain a device type and a device index, like "GPU:0".'
        )
    match: Device | None = None
    for candidate in devices:
        full = parse_runtime(candidate.name)
        if full is None or not matches(spec, full):
            continue
        if match is not None:
            raise ValueError(
                f"Multiple devices match the provided string '{name}': '{match.name}' and "
                f"'{candidate.name}'."
            )
        match = candidate
    if match is None:
        here = ", ".join(other.local_name.removeprefix("/device:") for other in devices[:9])
        raise ValueError(hint(f"No matching devices found for '{name}'", f"here: {here}"))
    return match
