"""The CPU: always there, always one; what can be said of it without loading anything."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Processor:
    """This machine's processor and memory."""

    name: str
    cores: int
    memory_bytes: int


def find() -> Processor:
    """Return what the operating system says about the processor."""
    return Processor(_name(), _cores(), _memory_bytes())


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith(("model name", "Hardware", "cpu model")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux: the platform's own word for it serves
    return platform.processor() or platform.machine()


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0
