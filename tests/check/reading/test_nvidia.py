"""The NVIDIA driver and its cards, from a stand-in of the library and the kernel's files."""

import re
from pathlib import Path

import pynvml

from placewise.check.machine import Driver, Health
from placewise.check.reading import nvidia
from placewise.check.reading.nvidia import read_driver
from tests.check.stand_ins import Nvml, a100, make_machine, nvml_error


def test_versions_are_read_from_the_library_and_the_kernel(tmp_path: Path) -> None:
    driver, cards = read_driver(make_machine(tmp_path).sources())
    assert driver == Driver(
        version="580.82.07",
        cuda=(13, 0),
        module_version="580.82.07",
        library_version="580.82.07",
    )
    assert [item.card.name for item in cards] == ["NVIDIA A100-SXM4-40GB"]
    assert cards[0].health == Health(is_persistent=True, link_width=16, link_width_most=16)


def test_an_error_of_the_library_is_kept_by_name(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.nvml = Nvml(fails=nvml_error("LibRmVersionMismatch", "Driver/library version mismatch"))
    driver, cards = read_driver(machine.sources())
    assert (driver.problem, cards) == ("LibRmVersionMismatch", ())
    assert driver.detail == "Driver/library version mismatch"


def test_a_card_that_does_not_answer_is_counted(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.nvml = Nvml(a100(0, is_lost=True), a100(1))
    driver, cards = read_driver(machine.sources())
    assert (driver.lost_cards, len(cards)) == (1, 1)


def test_health_is_told_in_words(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.nvml = Nvml(
        a100(
            computemode=3,
            persistencemode=0,
            totaleccerrors=2,
            remappedrows=(0, 1, 1, 0),
            currentclocksthrottlereasons=0x88,
        )
    )
    health = read_driver(machine.sources())[1][0].health
    assert (health.compute_mode, health.is_persistent) == ("exclusive", False)
    assert (health.uncorrected_errors, health.repair_pending) == (2, True)
    assert health.slowed_by == ("power brake from outside",)


def test_a_card_that_is_idle_is_not_slowed(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.nvml = Nvml(a100(currentclocksthrottlereasons=0x1 | 0x4))
    assert read_driver(machine.sources())[1][0].health.slowed_by == ()


def test_what_is_asked_of_the_library_is_there_to_be_asked() -> None:
    """The stand-in answers to any name: the names must be the library's own."""
    text = Path(nvidia.__file__).read_text()
    asked = set(re.findall(r"module\.(nvml\w+)", text))
    assert len(asked) > 10
    assert [name for name in asked if not hasattr(pynvml, name)] == []
    named = ("LibraryNotFound", "DriverNotLoaded", "NoPermission", "LibRmVersionMismatch")
    named += ("Unknown", "GpuIsLost", "ResetRequired", "IrqIssue")
    known = pynvml.NVMLError._valClassMapping.values()
    assert {f"NVMLError_{name}" for name in named} <= {kind.__name__ for kind in known}


def test_without_the_package_the_driver_is_not_asked(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.has_nvml = False
    assert read_driver(machine.sources())[0].problem == "PackageMissing"
