"""The environment variables that say which devices there are, as one object."""

from __future__ import annotations

from dataclasses import dataclass

from placewise.core.environment import read


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables as they were when the devices were first looked at; None is unset."""

    simulate: str | None = None
    visible: str | None = None
    order: str | None = None
    memory: str | None = None
    force_growth: str | None = None
    min_multiprocessors: str | None = None
    min_system_memory_mb: str | None = None
    place: str | None = None


VARIABLES = {
    "simulate": "PLACEWISE_SIMULATE",
    "visible": "CUDA_VISIBLE_DEVICES",
    "order": "CUDA_DEVICE_ORDER",
    "memory": "PLACEWISE_MEMORY",
    "force_growth": "TF_FORCE_GPU_ALLOW_GROWTH",
    "min_multiprocessors": "TF_MIN_GPU_MULTIPROCESSOR_COUNT",
    "min_system_memory_mb": "TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
    "place": "PLACEWISE_PLACE",
}


def read_environment() -> Environment:
    """Return the variables as they are now."""
    return Environment(**{field: read(name) for field, name in VARIABLES.items()})
