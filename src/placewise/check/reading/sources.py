"""Where facts about a machine come from: its file tree, its variables, its driver, its kernel.

The default is this machine. A test puts a folder in place of the root, and functions in place of
what is asked of the kernel.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import shutil
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from platform import machine
from typing import Any

from placewise.check.machine import Limits
from placewise.core import environment

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]


def load_nvml() -> Any:
    """Return the module that asks the NVIDIA driver; ImportError if it is not installed."""
    return importlib.import_module("pynvml")


def read_limits() -> Limits:
    """Return the limits of this process."""
    if resource is None:
        return Limits()
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    return Limits(
        open_files=_bounded(files),
        open_files_most=_bounded(most),
        address_space_bytes=_bounded(resource.getrlimit(resource.RLIMIT_AS)[0]),
        processes=_bounded(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
    )


def _bounded(limit: int) -> int | None:
    return None if limit == resource.RLIM_INFINITY else limit


def count_cores() -> tuple[int, int]:
    """Return the cores of the machine, and those that this process may run on."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return cores, len(os.sched_getaffinity(0))
    return cores, cores


def resolve_host(host: str) -> bool:
    """Return whether this machine finds the address of a host."""
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return False
    return True


def can_use(path: Path) -> bool:
    """Return whether this process may read and write a file."""
    return os.access(path, os.R_OK | os.W_OK)


def find_package(name: str) -> Path | None:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def read_version(package: str) -> str | None:
    """Return the version of an installed package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def read_requirements() -> list[str]:
    """Return what placewise needs, as its metadata says: `torch>=2.13`."""
    try:
        return importlib.metadata.requires("placewise") or []
    except importlib.metadata.PackageNotFoundError:
        return []


@dataclass(frozen=True, slots=True)
class Sources:
    """Where to look. `leases` has card → holders, read by the caller."""

    root: Path = Path("/")
    platform: str = sys.platform
    architecture: str = field(default_factory=machine)
    variables: Mapping[str, str] = field(default_factory=environment.variables)
    nvml: Callable[[], Any] = load_nvml
    limits: Callable[[], Limits] = read_limits
    cores: Callable[[], tuple[int, int]] = count_cores
    disk: Callable[[Path], tuple[int, int, int]] = shutil.disk_usage
    can_use: Callable[[Path], bool] = can_use
    resolve: Callable[[str], bool] = resolve_host
    find_package: Callable[[str], Path | None] = find_package
    version: Callable[[str], str | None] = read_version
    requirements: Callable[[], list[str]] = read_requirements
    leases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def path(self, absolute: str) -> Path:
        """Return a path of the machine, below the root that stands for it."""
        return self.root / absolute.lstrip("/")

    def text(self, absolute: str) -> str:
        """Return what a file says; empty if it cannot be read."""
        try:
            return self.path(absolute).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
