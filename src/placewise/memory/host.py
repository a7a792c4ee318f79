"""The host's own memory: what is left of it, and asking for it before NumPy fills it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from placewise.memory.exhausted import host_out_of_memory, type_name

_LARGE_BYTES = 64 << 20  # what is smaller is not asked for: reading what is left takes its time
_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def available_bytes() -> int:
    """Return what the host can still give without swapping; very much where it does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 1 << 60


def reserve_on_host(shape: Sequence[int], dtype: Any) -> None:
    """Raise ResourceExhaustedError if the host has no memory for an array of a NumPy dtype."""
    kind = np.dtype(dtype)
    nbytes = math.prod(shape) * kind.itemsize
    if nbytes < _LARGE_BYTES:
        return
    left = available_bytes()
    if nbytes > left:
        name = "string" if kind.kind == "O" else type_name(kind.name)
        raise host_out_of_memory(_CPU, tuple(shape), name, nbytes, left)
