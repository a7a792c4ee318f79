"""What is installed: torch's build and versions, without importing anything."""

from pathlib import Path

from placewise.check.machine import Requirement, Torch
from placewise.check.reading import packages
from placewise.check.reading.sources import Sources
from tests.check.stand_ins import make_machine


def test_the_build_of_torch_is_read_from_its_version_file(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    assert packages.read_torch(machine.sources()) == Torch("2.13.0", cuda="13.0")
    machine.set_torch(hip="6.4.1", version="2.13.0+rocm6.4")
    assert packages.read_torch(machine.sources()) == Torch("2.13.0+rocm6.4", hip="6.4.1")
    machine.set_torch()
    assert packages.read_torch(machine.sources()) == Torch("2.13.0+rocm6.4")
    machine.has_torch = False
    assert packages.read_torch(machine.sources()) is None


def test_requirements_of_extras_are_left_out(tmp_path: Path) -> None:
    assert packages.read_requirements(make_machine(tmp_path).sources()) == (
        Requirement("torch", ">=2.13", "2.13.0"),
        Requirement("numpy", ">=2.0", "2.3.1"),
    )


def test_the_requirements_of_this_installation_are_met_by_something() -> None:
    named = {item.package: item.installed for item in packages.read_requirements(Sources())}
    assert {"torch", "numpy", "keras"} <= named.keys() and all(named.values())
