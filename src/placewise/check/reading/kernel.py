"""What the kernel's file trees say: cards on the bus, device files, AMD's cards, the system."""

from __future__ import annotations

import os
import re
from pathlib import Path

from placewise.check.machine import Amd, DeviceFile, System
from placewise.check.reading.sources import Sources
from placewise.devices.pci import Slot, find_slots

try:
    import grp
    import pwd
except ImportError:  # Windows has no such tables
    grp = pwd = None  # type: ignore[assignment]

_PATTERNS = ("nvidia[0-9]*", "nvidiactl", "nvidia-uvm", "kfd", "dri/renderD*", "dxg")
_CONTAINERS = {
    "kubepods": "kubernetes",
    "docker": "docker",
    "libpod": "podman",
    "containerd": "docker",
    "lxc": "lxc",
}


def read_slots(sources: Sources) -> tuple[Slot, ...]:
    """Return the cards on the PCI bus. Intel's are left out: most are part of a processor."""
    slots = find_slots(str(sources.path("/sys/bus/pci/devices")))
    return tuple(slot for slot in slots if slot.vendor in ("NVIDIA", "AMD"))


def read_device_files(sources: Sources) -> tuple[DeviceFile, ...]:
    """Return the files of drivers, and whether this user may open them."""
    folder = sources.path("/dev")
    paths = [path for pattern in _PATTERNS for path in sorted(folder.glob(pattern))]
    return tuple(
        DeviceFile(f"/dev/{path.relative_to(folder)}", sources.can_use(path), _group(path))
        for path in paths
    )


def _group(path: Path) -> str:
    try:
        return grp.getgrgid(path.stat().st_gid).gr_name if grp else ""
    except (OSError, KeyError):
        return ""


def read_amd(sources: Sources) -> Amd:
    """Return AMD's cards as their kernel module lists them; processors in the list have no gfx."""
    modules = {line.split(" ", 1)[0] for line in sources.text("/proc/modules").splitlines()}
    nodes = sorted(sources.path("/sys/class/kfd/kfd/topology/nodes").glob("*/properties"))
    names = []
    for node in nodes:
        try:
            match = re.search(r"^gfx_target_version (\d+)", node.read_text(), re.MULTILINE)
        except OSError:
            continue
        if match and int(match[1]):
            names.append(_gfx(int(match[1])))
    return Amd("amdgpu" in modules, tuple(names))


def _gfx(version: int) -> str:
    """Return the name of an architecture: 90010 is gfx90a, 110001 is gfx1101."""
    return f"gfx{version // 10000}{version // 100 % 100}{version % 100:x}"


def read_system(sources: Sources) -> System:
    """Return the operating system, and what is around it."""
    release = dict(
        line.split("=", 1) for line in sources.text("/etc/os-release").splitlines() if "=" in line
    )
    version = sources.text("/proc/version").lower()
    return System(
        platform=sources.platform,
        distribution=release.get("ID", "").strip('"'),
        is_wsl="microsoft" in version,
        container=read_container(sources),
        user=_user(),
        architecture=sources.architecture,
    )


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name if pwd else ""
    except KeyError:
        return ""


def read_container(sources: Sources) -> str:
    """Return which kind of container this is; empty outside of one."""
    if "KUBERNETES_SERVICE_HOST" in sources.variables:
        return "kubernetes"
    if sources.path("/.dockerenv").exists():
        return "docker"
    if sources.path("/run/.containerenv").exists():
        return "podman"
    if "APPTAINER_CONTAINER" in sources.variables or "SINGULARITY_NAME" in sources.variables:
        return "apptainer"
    groups = sources.text("/proc/1/cgroup")
    return next((kind for word, kind in _CONTAINERS.items() if word in groups), "")
