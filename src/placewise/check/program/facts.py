"""What the rules about programs judge: the files, the era, and the devices that there will be."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from placewise.check.program.scan import Scan
from placewise.check.program.source import Unreadable


@dataclass(frozen=True)
class Devices:
    """How many devices of each kind a program finds, and how that machine is called."""

    gpus: int = 0
    cpus: int = 1
    machine: str = "this machine"


@dataclass(frozen=True)
class ProgramFacts:
    """A program, read and not run. `skipped` has lines of a notebook that are passed over."""

    scans: tuple[Scan, ...]
    is_tf1: bool = False
    era_reason: str = ""
    has_tf1_names: bool = False
    unreadable: tuple[Unreadable, ...] = ()
    devices: Devices = Devices()
    folder: Path = Path()
    working_folder: Path = Path()
    skipped: tuple[tuple[str, str], ...] = ()
    local_modules: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        """The program as it was named."""
        return self.main.source.file if self.main else "program.py"

    @property
    def main(self) -> Scan | None:
        """The program itself, without its modules."""
        return next((scan for scan in self.scans if scan.source.is_main), None)

    def uses_any(self, *endings: str) -> bool:
        """Return whether a name below `tensorflow` that ends so is used anywhere."""
        return any(use.path.endswith(endings) for scan in self.scans for use in scan.uses)
