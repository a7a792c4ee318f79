"""Memory of real GPUs: a thin class around torch's own caching allocator.

Kept thin because no machine of the project has a GPU. Tests use the test device, or a stand-in for
`torch.cuda`. A logical device's own limit is held by a Ledger, as on simulated GPUs: torch
only knows whole cards.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from placewise.core.environment import variables
from placewise.core.errors import ResourceExhaustedError
from placewise.core.sizes import size_text
from placewise.devices.budget import Budget
from placewise.devices.device import Device
from placewise.memory import resident
from placewise.memory.exhausted import SHOWN, Shortage, out_of_memory, type_name

_SEGMENTS = "PYTORCH_CUDA_ALLOC_CONF"
_LEAST_RESERVED = 64 << 20  # do not reserve less than this
_METAL = {  # what torch.mps offers in place of a table of statistics
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
        self.device, self.budget = device, budget
        self.limit_bytes = budget.limit_bytes
        self.grows = budget.grows
        self.bound(others_bytes)

    def bound(self, others_bytes: int = 0) -> None:
        """Set torch's limit; without growth, reserve all of it on the card at once."""
        total = max(self.budget.total_bytes, 1)
        on_card = min(self.limit_bytes + others_bytes, total)
        share = on_card / total
        if int(share * total) < on_card:  # torch would round it down
            share = math.nextafter(share, 1.0)
        self._tell("set_per_process_memory_fraction", share, self._index)
        if not self.grows:
            self._reserve(on_card)

    def _reserve(self, most: int) -> None:
        """Map nearly the whole limit at first use, as TensorFlow does, before other processes can.

        torch keeps the freed block in its cache; it is cut up as tensors come.
        """
        if self.mapped_bytes + _LEAST_RESERVED > most:
            return
        # Larger than anything torch has cached, so torch must map new memory for it.
        size = most - self.bytes_in_use
        while size >= _LEAST_RESERVED:
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

    @property
    def is_counted(self) -> bool:
        """Whether torch counts what is in use."""
        return (
            hasattr(self._cuda, "memory_stats")
            or hasattr(self._cuda, _METAL["allocated_bytes.all.current"])
            or self._is_counted_by_torch()
        )

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

    @property
    def free_blocks(self) -> int:
        """How many pieces of what torch has taken nobody uses."""
        return self._statistic("inactive_split.all.current")

    @property
    def reach_bytes(self) -> int:
        """The limit; less where other processes have so much of the card that it is not there."""
        try:
            free, _ = torch.accelerator.get_memory_info(self._index)
        except (AttributeError, RuntimeError):
            return self.limit_bytes
        return min(self.limit_bytes, free + self.mapped_bytes)

    @property
    def largest_free_bytes(self) -> int:
        """The largest request that would succeed now, as far as torch's statistics show."""
        reach = self.reach_bytes
        ask = getattr(self._cuda, "memory_snapshot", None)
        if ask is None:
            return reach - self.bytes_in_use
        free = (
            block["size"]
            for segment in ask()
            if segment["device"] == self._index
            for block in segment["blocks"]
            if block["state"] == "inactive"
        )
        free_bytes: int = max(reach - self.mapped_bytes, *free, 0)
        return free_bytes

    def shortage(
        self, shape: tuple[int, ...], dtype: torch.dtype, nbytes: int
    ) -> ResourceExhaustedError:
        """Return the error for a tensor that torch found no room for."""
        reach = self.reach_bytes
        less = ""
        if reach < self.limit_bytes:
            less = f"; of {size_text(self.limit_bytes)}, as other processes have the rest"
        return out_of_memory(
            Shortage(
                device=self.device.name,
                allocator=self.device.allocator_name,
                shape=shape,
                dtype=type_name(dtype),
                asked_bytes=nbytes,
                limit_bytes=reach,
                in_use_bytes=self.bytes_in_use,
                largest_free_bytes=self.largest_free_bytes,
                holders=tuple(resident.holders(self.device.torch_device, SHOWN)),
                policy=f"{self.budget}{less}",
            )
        )

    def reset_peak(self) -> None:
        """Let the peak start anew from what is in use now."""
        self._tell("reset_peak_memory_stats", self._index)

    def give_back(self) -> int:
        """Give what no tensor holds back to the card; return how many bytes that were."""
        before = self.mapped_bytes
        self._tell("empty_cache")
        return before - self.mapped_bytes


def prepare(grows: bool, environment: dict[Any, Any] | None = None) -> bool:
    """Ask torch for segments that grow, before it first touches a GPU; return whether that is set.

    torch reads the variable when its allocator starts: later it has no effect.
    """
    known = variables() if environment is None else environment
    said = known.get(_SEGMENTS, "")
    if "expandable_segments" in said:
        return "expandable_segments:True" in said
    if grows:
        known[_SEGMENTS] = ",".join(filter(None, (said, "expandable_segments:True")))
    return grows
