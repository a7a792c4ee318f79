"""What the options of `run` set."""

from __future__ import annotations

from pathlib import Path

import pytest

from placewise.cli.errors import UnusableError
from placewise.cli.settings import visible_devices

from .conftest import Run


@pytest.mark.parametrize(
    ("gpus", "before", "after"),
    [
        ("none", None, "-1"),
        ("0", "1,2", "-1"),
        ("2", None, "0,1"),
        ("2", "5,3,1", "5,3"),
        ("0,2", None, "0,2"),
        ("0,2", "5,3,1", "5,1"),
        ("1,", None, "1"),
        (" 1 , 0 ", "7,8", "8,7"),
        ("1,", "GPU-aa, GPU-bb", "GPU-bb"),
        ("GPU-8932f937", "5", "GPU-8932f937"),
        ("MIG-1,GPU-2", None, "MIG-1,GPU-2"),
    ],
)
def test_which_gpus(gpus: str, before: str | None, after: str) -> None:
    assert visible_devices(gpus, before) == after


@pytest.mark.parametrize(
    ("gpus", "before", "said"),
    [
        ("", None, r"say how many \(2\), which \(0,2 or GPU-8932f937\), free or none"),
        (",", None, "say how many"),
        ("first", None, "'first' is neither an index nor a UUID"),
        ("0,-1", None, "'-1' is neither an index nor a UUID"),
        ("3", "4,5", "there is no GPU 2; CUDA_VISIBLE_DEVICES=4,5 shows 2"),
        ("0,2", "4,5", "there is no GPU 2; CUDA_VISIBLE_DEVICES=4,5 shows 2"),
    ],
)
def test_gpus_that_cannot_be(gpus: str, before: str | None, said: str) -> None:
    with pytest.raises(UnusableError, match=said):
        visible_devices(gpus, before)


SEEN = """
import os
from tensorflow.python.client import device_lib
for device in device_lib.list_local_devices():
    print(device.name, device.physical_device_desc)
print(os.environ.get("PLACEWISE_SIMULATE"), os.environ.get("CUDA_VISIBLE_DEVICES"))
"""


def test_a_program_sees_the_machine_and_the_gpus_asked_for(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "program.py").write_text(SEEN)
    machine = "K40c@05:00.0,K20m@02:00.0,K20m@83:00.0"
    done = placewise(
        "run", "--simulate", machine, "--gpus", "2,0", "program.py", CUDA_DEVICE_ORDER="PCI_BUS_ID"
    )
    assert done.stdout.splitlines() == [
        "/device:CPU:0 ",
        "/device:GPU:0 device: 0, name: Tesla K20m, pci bus id: 0000:83:00.0, "
        "compute capability: 3.5",
        "/device:GPU:1 device: 1, name: Tesla K20m, pci bus id: 0000:02:00.0, "
        "compute capability: 3.5",
        f"{machine} 2,0",
    ], done.stderr


def test_the_program_may_still_set_the_environment(tmp_path: Path, placewise: Run) -> None:
    text = 'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = "1"\n' + SEEN
    (tmp_path / "program.py").write_text(text)
    done = placewise("run", "--simulate", "K20m@02:00.0,K20m@03:00.0", "program.py")
    assert "pci bus id: 0000:03:00.0" in done.stdout
    assert "pci bus id: 0000:02:00.0" not in done.stdout


@pytest.mark.parametrize(
    ("option", "name", "value"),
    [
        ("--soft", "soft_placement", True),
        ("--strict", "soft_placement", False),
        ("--log-placement", "log_device_placement", True),
    ],
)
def test_placement_options(
    tmp_path: Path, placewise: Run, option: str, name: str, value: bool
) -> None:
    (tmp_path / "program.py").write_text(
        f"from placewise.devices import inventory\nprint(inventory.settings().{name})\n"
    )
    assert placewise("run", option, "program.py").stdout == f"{value}\n"
    assert placewise("run", "program.py").stdout in ("None\n", "False\n")


def test_operations_are_placed_over_all_gpus_if_asked(tmp_path: Path, placewise: Run) -> None:
    (tmp_path / "program.py").write_text(
        "from placewise.devices.inventory import places_automatically\n"
        "print(places_automatically())\n"
    )
    assert placewise("run", "--place", "auto", "program.py").stdout == "True\n"
    assert placewise("run", "program.py").stdout == "False\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--simulate", "4xK21"],
            "placewise run: --simulate 4xK21: Machine '4xK21': there is no mod",
        ),
        (["--simulate", ""], "placewise run: --simulate : Machine '' has an empty entry"),
        (["--gpus", "all"], "placewise run: --gpus all: 'all' is neither an index nor a UUID"),
    ],
)
def test_an_option_that_makes_no_sense(placewise: Run, options: list[str], said: str) -> None:
    done = placewise("run", *options, "program.py")
    assert done.returncode == 2
    assert done.stderr.startswith(said)


def test_soft_and_strict_exclude_each_other(placewise: Run) -> None:
    done = placewise("run", "--soft", "--strict", "program.py")
    assert done.returncode == 2
    assert "argument --strict: not allowed with argument --soft" in done.stderr
