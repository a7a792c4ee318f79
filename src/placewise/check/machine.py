"""The facts about a machine that the rules of `placewise check` judge: plain data, read elsewhere.

Every field has a default that no rule complains about, so that a test writes down only what it is
about. `reading` fills these in; the rules beside this file never look at the machine themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from placewise.devices.facts import GIB, Card
from placewise.devices.nvml import Reading
from placewise.devices.pci import Slot


@dataclass(frozen=True, slots=True)
class DeviceFile:
    """A file through which programs reach a driver, such as /dev/nvidia0."""

    path: str
    can_use: bool = True
    group: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """How a card is doing, as far as the driver tells; None is unknown."""

    compute_mode: str = "default"  # default, exclusive or prohibited
    is_persistent: bool | None = None
    uncorrected_errors: int = 0
    repair_pending: bool = False
    slowed_by: tuple[str, ...] = ()
    link_width: int | None = None
    link_width_most: int | None = None


@dataclass(frozen=True, slots=True)
class CardFacts:
    """An NVIDIA card, what is on it now, and how it is doing."""

    card: Card
    reading: Reading
    health: Health = Health()
    mig_enabled: bool = False


@dataclass(frozen=True, slots=True)
class Driver:
    """The NVIDIA driver: its library, its kernel module, and what they say.

    `problem` is the library's name for what is wrong (`LibraryNotFound`), empty if it answers.
    """

    problem: str = ""
    detail: str = ""
    version: str = ""
    cuda: tuple[int, int] | None = None
    module_version: str = ""
    library_version: str = ""
    is_module_loaded: bool = True
    is_nouveau_loaded: bool = False
    lost_cards: int = 0


@dataclass(frozen=True, slots=True)
class Amd:
    """AMD cards as the kernel lists them for computing: `gfx90a`."""

    is_module_loaded: bool = False
    architectures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """The operating system: the distribution's id, and whether Windows or a container is around."""

    platform: str = "linux"
    distribution: str = ""
    is_wsl: bool = False
    container: str = ""  # docker, podman, kubernetes, lxc or apptainer; empty outside of one
    user: str = ""
    architecture: str = "x86_64"


@dataclass(frozen=True, slots=True)
class Torch:
    """How the installed torch was built: `cuda="12.8"`; all empty for the CPU alone."""

    version: str = ""
    cuda: str = ""
    hip: str = ""
    xpu: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that placewise needs: how its version compares to what is installed."""

    package: str
    needed: str  # such as ">=2.13"
    installed: str | None


@dataclass(frozen=True, slots=True)
class Processor:
    """Cores of the machine, those this process may run on, and the container's share of time."""

    cores: int = 8
    allowed: int = 8
    quota: float | None = None
    memory_bytes: int = 64 * GIB
    memory_limit_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that programs write to, and the room in it."""

    path: str
    exists: bool = True
    is_writable: bool = True
    total_bytes: int = 500 * GIB
    free_bytes: int = 200 * GIB


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the process; None is unlimited."""

    open_files: int | None = 65536
    open_files_most: int | None = 65536
    address_space_bytes: int | None = None
    processes: int | None = None


@dataclass(frozen=True, slots=True)
class LeaseFacts:
    """A lease of another run on a card of this machine."""

    card: str
    holder: str


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """All that is known about the machine; `simulated` is the description of a simulated one."""

    system: System = System()
    simulated: str | None = None
    slots: tuple[Slot, ...] = ()
    driver: Driver = Driver()
    cards: tuple[CardFacts, ...] = ()
    files: tuple[DeviceFile, ...] = ()
    amd: Amd = Amd()
    torch: Torch | None = Torch()
    requirements: tuple[Requirement, ...] = ()
    processor: Processor = Processor()
    temporary: Folder = Folder("/tmp")
    home: Folder = Folder("~")
    shared_memory: Folder | None = Folder("/dev/shm", total_bytes=32 * GIB, free_bytes=32 * GIB)
    limits: Limits = Limits()
    leases: tuple[LeaseFacts, ...] = ()
    unresolved_hosts: frozenset[str] = frozenset()
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_real(self) -> bool:
        """Whether the cards of this machine are meant, and not simulated ones."""
        return self.simulated is None

    def slots_of(self, vendor: str) -> tuple[Slot, ...]:
        """Return the cards of a vendor that are on the PCI bus."""
        return tuple(slot for slot in self.slots if slot.vendor == vendor)

    def has_nvidia(self) -> bool:
        """Return whether there is an NVIDIA card, whatever the driver says."""
        return bool(self.cards or self.slots_of("NVIDIA"))

    def has_amd(self) -> bool:
        """Return whether there is an AMD card that computes."""
        return bool(self.amd.architectures or self.slots_of("AMD"))
