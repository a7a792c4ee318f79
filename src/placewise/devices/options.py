"""What a program asks of its devices, as one frozen value from `tf.config` or a ConfigProto."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """One virtual device of a GPU; `ordinal` sorts devices across cards."""

    limit_mb: float
    priority: int | None = None
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """How devices are to be made.

    `visible` holds CUDA indices in the order asked for, None for all. `visible_text` is the list as
    a ConfigProto spells it, checked when devices are made. `parts` has one entry per visible GPU.
    """

    counts: dict[str, int] = field(default_factory=dict)
    visible: tuple[int, ...] | None = None
    visible_text: str = ""
    memory_fraction: float = 0.0
    growth: bool = False
    parts: tuple[tuple[Part, ...], ...] = ()
    parts_per_gpu: int = 0
    system_memory_mb: int = 0


def from_config_proto(config: Any) -> Options:
    """Return the Options of a ConfigProto message, or of None."""
    if config is None:
        return Options()
    gpu = config.gpu_options
    experimental = gpu.experimental
    return Options(
        counts=dict(config.device_count),
        visible_text=gpu.visible_device_list,
        memory_fraction=gpu.per_process_gpu_memory_fraction,
        growth=gpu.allow_growth,
        parts=tuple(_parts(virtual) for virtual in experimental.virtual_devices),
        parts_per_gpu=getattr(experimental, "num_virtual_devices_per_gpu", 0),
        system_memory_mb=getattr(experimental, "gpu_system_memory_size_in_mb", 0),
    )


def _parts(virtual: Any) -> tuple[Part, ...]:
    priorities, ordinals = list(virtual.priority), list(virtual.device_ordinal)
    return tuple(
        Part(
            limit,
            priorities[place] if place < len(priorities) else None,
            ordinals[place] if place < len(ordinals) else 0,
        )
        for place, limit in enumerate(virtual.memory_limit_mb)
    )
