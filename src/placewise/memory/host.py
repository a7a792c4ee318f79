"""The host's own memory: what is left of it, and asking for it before NumPy fills it."""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Sequence
from typing import Any

import numpy as np

from placewise.memory.exhausted import host_out_of_memory, type_name

_LARGE_BYTES = 64 << 20  # what is smaller is not asked for: reading what is left takes its time
_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


_NO_LIMIT = 1 << 60
# A result whose size is in its data is filled and added to: torch needs room for it several times.
_WORKING_COPIES = 3


def available_bytes() -> int:
    """Return what the host can still give this process; very much where nothing says."""
    return min(_unused_bytes(), _address_space_bytes())


def _address_space_bytes() -> int:
    """Return what is left of the limit that the process was started with (`ulimit -v`)."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return _NO_LIMIT
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return limit
    return max(limit - used, 0)


def _unused_bytes() -> int:
    """Return what the host has without swapping."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return _NO_LIMIT


def reserve_on_host(shape: Sequence[int], dtype: Any) -> None:
    """Raise ResourceExhaustedError if the host has no memory for an array of a NumPy dtype."""
    kind = np.dtype(dtype)
    name = "string" if kind.kind == "O" else type_name(kind.name)
    _reserve(shape, kind.itemsize, name, 1)


def reserve_by_value(shape: Sequence[int], dtype: Any) -> None:
    """Raise ResourceExhaustedError if a result whose size an id decides has no room on the host.

    `dtype` is torch's. A single id of 2**31 - 1 asks for gigabytes: they are not allocated to find
    out. Called by kernels, where the size is known first.
    """
    _reserve(shape, dtype.itemsize, type_name(dtype), _WORKING_COPIES)


def _reserve(shape: Sequence[int], itemsize: int, name: str, copies: int) -> None:
    nbytes = math.prod(shape) * itemsize
    if nbytes < _LARGE_BYTES:
        return
    left = available_bytes()
    if nbytes * copies > left:
        raise host_out_of_memory(_CPU, tuple(shape), name, nbytes, left)
