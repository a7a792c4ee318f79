"""Samples of the bytes in use: on each GPU, and of this process on the host."""

from __future__ import annotations

import os
from pathlib import Path

from placewise.memory import ledgers
from placewise.memory.accelerator import Accelerator
from placewise.memory.ledger import Ledger
from placewise.profiler.recording import Recording, Sample

HOST = "host"  # the resident memory of the process, under this name
_HOST_NS = 5_000_000  # reading it takes some microseconds: not more often than this
_ALL_NS = 1_000_000
_MOST = 20_000  # samples of a device; beyond it every second one is dropped
_STATM = Path("/proc/self/statm")


class MemoryCurve:
    """Adds samples to a recording; what did not change is not added again."""

    def __init__(self, recording: Recording) -> None:
        self._curves = recording.memory
        self._memories: dict[str, Ledger | Accelerator] = {}
        self._uncounted: set[str] = set()  # as far as known: the CPU, and GPUs not in use
        self._host_at = self._all_at = 0

    def sample(self, device: str, now: int) -> None:
        """Sample one device, if its memory is counted."""
        memory = self._memories.get(device)
        if memory is None and device not in self._uncounted:
            self._look()  # the first op on a GPU opens its pool
            memory = self._memories.get(device)
            if memory is None:
                self._uncounted.add(device)
        if memory is not None:
            self._add(device, now, in_use_bytes(memory))

    def sample_often(self, now: int) -> None:
        """Sample all, unless that was done a moment ago: short runs follow each other fast."""
        if now - self._all_at > _ALL_NS:
            self.sample_all(now)

    def sample_all(self, now: int) -> None:
        """Sample all devices, with those that came into use, and the host."""
        self._all_at = now
        self._look()
        for device in self._memories:
            self.sample(device, now)
        if now - self._host_at > _HOST_NS and _STATM.exists():
            self._host_at = now
            pages = int(_STATM.read_text().split()[1])
            self._add(HOST, now, pages * os.sysconf("SC_PAGE_SIZE"))

    def _look(self) -> None:
        self._memories = {memory.device.name: memory for memory in ledgers.in_use()}
        self._uncounted.clear()

    def _add(self, device: str, now: int, nbytes: int) -> None:
        curve = self._curves.setdefault(device, [])
        if curve and curve[-1].nbytes == nbytes:
            return
        if len(curve) >= _MOST:
            del curve[1:-1:2]
        curve.append(Sample(now, nbytes))


def in_use_bytes(memory: Ledger | Accelerator) -> int:
    """Return the bytes in use, without bringing a pool up to date."""
    if isinstance(memory, Ledger):
        return memory.pending.in_use_bytes()
    return int(memory.bytes_in_use)
