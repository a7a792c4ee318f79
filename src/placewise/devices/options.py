"""What a program asks of its devices, as one frozen value from `tf.config` or a ConfigProto."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from placewise.devices.origin import Origin


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
    `authors` says who asked for what, by option and CUDA index (None: all GPUs); `asked_by` for the
    rest. `overridden` has, by CUDA index, what another setting of the same program overrides.
    """

    counts: dict[str, int] = field(default_factory=dict)
    visible: tuple[int, ...] | None = None
    visible_text: str = ""
    memory_fraction: float = 0.0
    growth: bool = False
    parts: tuple[tuple[Part, ...], ...] = ()
    parts_per_gpu: int = 0
    system_memory_mb: int = 0
    allocator_type: str = ""
    unified_memory: bool = False
    asked_by: str = "the program"
    authors: dict[tuple[str, int | None], str] = field(default_factory=dict)
    overridden: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def says(self, option: str, cuda_index: int) -> bool:
        """Return whether someone is known to have set an option of one GPU."""
        return (option, cuda_index) in self.authors

    def author(self, option: str, cuda_index: int | None = None) -> str:
        """Return who asked for an option."""
        return self.authors.get((option, cuda_index), self.asked_by)


def from_config_proto(config: Any, origin: Origin | None = None) -> Options:
    """Return the Options of a ConfigProto message, or of None, for a session made at `origin`."""
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
        allocator_type=gpu.allocator_type,
        unified_memory=experimental.use_unified_memory,
        asked_by="gpu_options" if origin is None else f"gpu_options of the session at {origin}",
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
