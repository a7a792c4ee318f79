"""Memory of real GPUs: torch's own caching allocator, asked and told through one thin class.

Kept thin: no machine of the project has a GPU. Tests put a stand-in in place of `torch.cuda`. A
logical device's own limit is held by a Ledger, as on simulated GPUs: torch only knows whole cards.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from placewise.devices.budget import Budget
from placewise.devices.device import Device

_SEGMENTS = "PYTORCH_CUDA_ALLOC_CONF"
_METAL = {  # what torch.mps tells, which has no table of statistics
    "allocated_bytes.all.current": "current_allocated_memory",
    "allocated_bytes.all.peak": "current_allocated_memory",
    "reserved_bytes.all.current": "driver_allocated_memory",
}


class Accelerator:
    """What torch counts for one real GPU; has the figures of a Pool.

    `others_bytes` is what other parts of a divided card may have: torch bounds the card as one.
    """

    def __init__(
        self, device: Device, budget: Budget, cuda: Any = None, others_bytes: int = 0
    ) -> None:
        where = torch.device(device.torch_device)
        # torch.cuda (also for ROCm), torch.xpu, torch.mps, or the module of another package.
        self._cuda = torch.get_device_module(where) if cuda is None else cuda
        self._index = where.index or 0
        self.device = device
        self.limit_bytes = budget.limit_bytes
        self.grows = budget.grows
        on_card = min(budget.limit_bytes + others_bytes, budget.total_bytes)
        share = on_card / max(budget.total_bytes, 1)
        self._tell("set_per_process_memory_fraction", share, self._index)
        if not budget.grows:
            self._reserve(on_card - self.mapped_bytes)

    def _reserve(self, size: int) -> None:
        """Map nearly all at the first use, as TensorFlow does, so that no other process takes it.

        torch keeps the freed block in its cache; it is cut up as tensors come.
        """
        while size >= 64 << 20:
            try:
                block = torch.empty(size, dtype=torch.uint8, device=self.device.torch_device)
            except (RuntimeError, MemoryError):
                size = size * 9 // 10  # as TensorFlow goes on when the driver refuses
            else:
                del block
                self.reset_peak()  # the block was no tensor of the program
                return

    def _tell(self, name: str, *arguments: Any) -> None:
        """Call one of torch's functions, where this kind of GPU has it; Metal knows no index."""
        function = getattr(self._cuda, name, None)
        if function is not None:
            function(*(arguments[:-1] if self.device.torch_device == "mps" else arguments))
        elif hasattr(torch.accelerator, name) and self._is_counted_by_torch():
            getattr(torch.accelerator, name)(*arguments)

    def _is_counted_by_torch(self) -> bool:
        """Return whether torch.accelerator serves this GPU; an allocator need not count for it."""
        kind = torch.accelerator.current_accelerator()
        if kind is None or kind.type != torch.device(self.device.torch_device).type:
            return False
        try:
            torch.accelerator.memory_stats(self._index)
        except RuntimeError:
            return False
        return True

    def _statistic(self, name: str) -> int:
        if hasattr(self._cuda, "memory_stats"):
            return int(self._cuda.memory_stats(self._index).get(name, 0))
        plain = _METAL.get(name)
        if plain is not None and hasattr(self._cuda, plain):
            return int(getattr(self._cuda, plain)())
        if self._is_counted_by_torch():
            return int(torch.accelerator.memory_stats(self._index).get(name, 0))
        return 0

    @property
    def bytes_in_use(self) -> int:
        """Bytes of blocks that tensors hold."""
        return self._statistic("allocated_bytes.all.current")

    @property
    def peak_bytes(self) -> int:
        """The most there were since the start or `reset_peak`."""
        return self._statistic("allocated_bytes.all.peak")

    @property
    def mapped_bytes(self) -> int:
        """What torch has taken from the card."""
        return self._statistic("reserved_bytes.all.current")

    @property
    def count(self) -> int:
        """How many allocations there were."""
        return self._statistic("allocation.all.allocated")

    def reset_peak(self) -> None:
        """Let the peak start anew from what is in use now."""
        self._tell("reset_peak_memory_stats", self._index)

    def give_back(self) -> int:
        """Give what no tensor holds back to the card; return how many bytes that were."""
        before = self.mapped_bytes
        self._tell("empty_cache")
        return before - self.mapped_bytes


def prepare(grows: bool, environment: Any = None) -> bool:
    """Ask torch for segments that grow, before it first touches a GPU; return whether that is set.

    torch reads the variable when its allocator starts: later it has no effect.
    """
    variables = os.environ if environment is None else environment
    said = variables.get(_SEGMENTS, "")
    if "expandable_segments" in said:
        return "expandable_segments:True" in said
    if grows:
        variables[_SEGMENTS] = ",".join(filter(None, (said, "expandable_segments:True")))
    return grows
