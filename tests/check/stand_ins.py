"""A machine that is not this one: a folder for its root, a driver, a torch; healthy at first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from placewise.check.machine import Limits
from placewise.check.reading.sources import Sources
from tests.devices import stand_ins

GIB = 1 << 30
A100 = "NVIDIA A100-SXM4-40GB"


class Nvml(stand_ins.Nvml):
    """A management library that also tells its own version."""

    def __init__(self, *cards: dict[str, Any], fails: Exception | None = None) -> None:
        super().__init__(*cards, fails=fails)
        self.driver, self.cuda = "580.82.07", 13000

    def nvmlSystemGetDriverVersion(self) -> str:
        return self.driver

    def nvmlSystemGetCudaDriverVersion(self) -> int:
        return self.cuda

    def nvmlDeviceGetHandleByIndex(self, index: int) -> dict[str, Any]:
        if self.cards[index].get("is_lost"):
            raise nvml_error("GpuIsLost", "GPU is lost")
        return self.cards[index]


def nvml_error(name: str, said: str = "") -> Exception:
    """Return an error of the library by its own name: `LibRmVersionMismatch`."""
    kind = type(f"NVMLError_{name}", (stand_ins.NVMLError,), {})
    return kind(said or name)


def a100(place: int = 0, **facts: Any) -> dict[str, Any]:
    """Return what the library tells of a healthy card."""
    return {
        "name": A100,
        "bus": f"00000000:{0x3B + place:02X}:00.0",
        "uuid": f"GPU-{place:08d}-1111-2222-3333-444444444444",
        "total": 40 * GIB,
        "used": 0,
        "cudacomputecapability": (8, 0),
        "persistencemode": 1,
        "computemode": 0,
        "currpcielinkwidth": 16,
        "maxpcielinkwidth": 16,
        "currentclocksthrottlereasons": 0x1,  # idle
    } | facts


@dataclass
class Machine:
    """A machine to stage faults on: change a field, or a file below `root`, then ask `sources`."""

    root: Path
    nvml: Nvml = field(default_factory=lambda: Nvml(a100()))
    variables: dict[str, str] = field(default_factory=lambda: {"HOME": "/home/me"})
    limits: Limits = field(default_factory=Limits)
    cores: tuple[int, int] = (16, 16)
    closed: set[str] = field(default_factory=set)
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)  # path → total, free
    unknown_hosts: set[str] = field(default_factory=set)
    versions: dict[str, str] = field(default_factory=lambda: {"torch": "2.13.0", "numpy": "2.3.1"})
    has_torch: bool = True
    has_nvml: bool = True
    leases: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def write(self, path: str, text: str = "") -> None:
        """Write a file of the machine."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def remove(self, path: str) -> None:
        """Remove a file of the machine."""
        (self.root / path.lstrip("/")).unlink()

    def put_on_bus(self, bus_id: str, vendor: str) -> None:
        """Put a card on the PCI bus."""
        self.write(f"/sys/bus/pci/devices/{bus_id}/class", "0x030000\n")
        self.write(f"/sys/bus/pci/devices/{bus_id}/vendor", f"{vendor}\n")

    def set_torch(self, cuda: str | None = None, hip: str | None = None, version: str = "") -> None:
        """Write the version file of torch."""
        version = version or self.versions["torch"]
        lines = [f"__version__ = '{version}'", f"cuda: Optional[str] = {cuda!r}", f"hip = {hip!r}"]
        self.write("/packages/torch/version.py", "\n".join(lines) + "\n")
        self.versions["torch"] = version

    def without_cards(self) -> None:
        """Take the card and the driver out."""
        for path in sorted((self.root / "sys/bus/pci/devices").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        for name in ("nvidia0", "nvidiactl", "nvidia-uvm"):
            self.remove(f"/dev/{name}")
        self.without_driver()

    def without_driver(self, problem: str = "LibraryNotFound") -> None:
        """Have the driver's library answer with an error, and the kernel know no module."""
        self.nvml = Nvml(fails=nvml_error(problem))
        self.write("/proc/modules", "ext4 1 1 - Live\n")
        self.remove("/proc/driver/nvidia/version")

    def sources(self) -> Sources:
        """Return the machine as sources of facts."""
        return Sources(
            root=self.root,
            platform="linux",
            architecture="x86_64",
            variables=self.variables,
            nvml=self._load_nvml,
            limits=lambda: self.limits,
            cores=lambda: self.cores,
            disk=self._disk,
            can_use=lambda path: f"/{path.relative_to(self.root)}" not in self.closed,
            resolve=lambda host: host not in self.unknown_hosts,
            find_package=lambda name: self.root / "packages" / name if self.has_torch else None,
            version=self.versions.get,
            requirements=lambda: ["torch>=2.13", "numpy>=2.0", 'pytest>=8; extra == "dev"'],
            leases=self.leases,
        )

    def _load_nvml(self) -> Nvml:
        if not self.has_nvml:
            raise ImportError("pynvml")
        return self.nvml

    def _disk(self, path: Path) -> tuple[int, int, int]:
        total, free = self.sizes.get(f"/{path.relative_to(self.root)}", (500 * GIB, 200 * GIB))
        return total, total - free, free


def make_machine(root: Path) -> Machine:
    """Return a healthy machine with an A100, its driver, and a torch that is built for it."""
    machine = Machine(root)
    machine.put_on_bus("0000:3b:00.0", "0x10de")
    for name in ("nvidia0", "nvidiactl", "nvidia-uvm"):
        machine.write(f"/dev/{name}")
    for folder in ("tmp", "home/me", "dev/shm"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    machine.write("/proc/modules", "nvidia 1 2 - Live\nnvidia_uvm 1 2 - Live\n")
    machine.write(
        "/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.82.07  Wed Aug 27 2025\n",
    )
    machine.write("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.82.07")
    machine.write("/proc/version", "Linux version 6.8.0-generic\n")
    machine.write("/proc/1/cgroup", "0::/init.scope\n")
    machine.write("/etc/os-release", 'ID=ubuntu\nVERSION_ID="24.04"\n')
    machine.write("/proc/meminfo", "MemTotal:       65536000 kB\n")
    machine.write("/sys/fs/cgroup/cpu.max", "max 100000\n")
    machine.set_torch(cuda="13.0")
    return machine


Fault = Callable[[Machine], None]
