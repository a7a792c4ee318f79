"""The kernel's file trees: containers, AMD's cards, device files."""

from pathlib import Path

import pytest

from placewise.check.machine import Amd, System
from placewise.check.reading import kernel
from tests.check.stand_ins import make_machine


@pytest.mark.parametrize(
    ("path", "text", "variables", "kind"),
    [
        ("/.dockerenv", "", {}, "docker"),
        ("/run/.containerenv", "", {}, "podman"),
        ("/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n", {}, "kubernetes"),
        ("/proc/1/cgroup", "1:name=systemd:/docker/0123\n", {}, "docker"),
        ("/proc/1/cgroup", "0::/lxc.payload.box\n", {}, "lxc"),
        ("/x", "", {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ("/x", "", {"APPTAINER_CONTAINER": "/image.sif"}, "apptainer"),
        ("/x", "", {}, ""),
    ],
)
def test_containers_are_told_apart(
    path: str, text: str, variables: dict[str, str], kind: str, tmp_path: Path
) -> None:
    machine = make_machine(tmp_path)
    machine.write(path, text)
    machine.variables.update(variables)
    assert kernel.read_container(machine.sources()) == kind


@pytest.mark.parametrize(
    ("version", "name"), [(90010, "gfx90a"), (110001, "gfx1101"), (90402, "gfx942")]
)
def test_amd_cards_are_named_as_rocm_names_them(version: int, name: str, tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    nodes = "/sys/class/kfd/kfd/topology/nodes"
    machine.write(f"{nodes}/0/properties", "cpu_cores_count 8\ngfx_target_version 0\n")
    machine.write(f"{nodes}/1/properties", f"simd_count 1\ngfx_target_version {version}\n")
    assert kernel.read_amd(machine.sources()) == Amd(False, (name,))


def test_device_files_say_whether_they_can_be_used(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.write("/dev/dri/renderD128")
    machine.write("/dev/nvidia-caps/nvidia-cap1")
    machine.closed.add("/dev/dri/renderD128")
    files = {file.path: file.can_use for file in kernel.read_device_files(machine.sources())}
    assert files == {
        "/dev/nvidia0": True,
        "/dev/nvidiactl": True,
        "/dev/nvidia-uvm": True,
        "/dev/dri/renderD128": False,
    }


def test_graphics_of_a_processor_are_no_card(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.put_on_bus("0000:00:02.0", "0x8086")
    assert [slot.vendor for slot in kernel.read_slots(machine.sources())] == ["NVIDIA"]


def test_the_system_is_read_from_its_release(tmp_path: Path) -> None:
    system = kernel.read_system(make_machine(tmp_path).sources())
    assert system == System("linux", "ubuntu", user=system.user, architecture="x86_64")
