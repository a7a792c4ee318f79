"""AMD cards: a stand-in for amdsmi, and a copy of what the kernel's files say."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from placewise.monitor import amd, drm
from placewise.monitor.readings import Use


class AmdSmiException(Exception):
    """The base of the library's errors."""


class Smi:
    """A library that knows some cards, each a dictionary of answers by question."""

    AmdSmiException = AmdSmiException
    AmdSmiTemperatureType = SimpleNamespace(EDGE="edge", HOTSPOT="hotspot")
    AmdSmiTemperatureMetric = SimpleNamespace(CURRENT="current")

    def __init__(self, *cards: dict[str, Any], has_driver: bool = True) -> None:
        self.cards, self.has_driver = cards, has_driver

    def amdsmi_init(self) -> None:
        if not self.has_driver:
            raise AmdSmiException

    def amdsmi_get_processor_handles(self) -> list[dict[str, Any]]:
        return list(self.cards)

    def amdsmi_get_temp_metric(self, card: dict[str, Any], kind: str, _: str) -> Any:
        if kind not in card:
            raise AmdSmiException
        return card[kind]

    def amdsmi_get_gpu_process_info(self, card: dict[str, Any], handle: Any) -> Any:
        return {"pid": handle.pid, "memory_usage": {"vram_mem": 7}}

    def __getattr__(self, name: str) -> Any:
        def ask(card: dict[str, Any]) -> Any:
            if name not in card:
                raise AmdSmiException
            return card[name]

        return ask


CARD = {
    "amdsmi_get_gpu_asic_info": {"market_name": "AMD Instinct MI300X"},
    "amdsmi_get_gpu_vram_usage": {"vram_total": 196_592, "vram_used": 1024},
    "amdsmi_get_power_info": {
        "current_socket_power": 140,
        "average_socket_power": "N/A",
        "power_limit": 750_000_000,
    },
    "amdsmi_get_gpu_device_bdf": "0000:C1:00.0",
    "amdsmi_get_gpu_device_uuid": "abc",
    "amdsmi_get_gpu_activity": {"gfx_activity": 55},
    "amdsmi_get_gpu_process_list": [
        {"pid": 12, "memory_usage": {"vram_mem": 5 << 20}},
        SimpleNamespace(pid=13),
    ],
    "edge": "N/A",
    "hotspot": 66,
}


def test_what_the_library_says() -> None:
    (card,) = amd.read_cards(Smi(CARD))
    assert (card.name, card.bus_id) == ("AMD Instinct MI300X", "0000:c1:00.0")
    assert (card.load_percent, card.temperature_celsius) == (55, 66)
    assert (card.power_watts, card.power_limit_watts) == (140, 750)
    assert (card.memory_used_bytes, card.memory_total_bytes) == (1 << 30, 196_592 << 20)
    assert card.uses == (Use(12, 5 << 20), Use(13, 7)), "of newer and older versions"


def test_a_card_that_tells_nothing() -> None:
    (card,) = amd.read_cards(Smi({}))
    assert card.name == "AMD card"
    assert card.load_percent is card.memory_used_bytes is card.power_watts is None


def test_no_driver() -> None:
    assert amd.start(Smi(has_driver=False)) is None


def write(folder: Path, **files: object) -> None:
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """Return a folder like /sys/class/drm, with a card of AMD and one of another vendor."""
    bus = tmp_path / "devices" / "0000:03:00.0"
    write(
        bus,
        vendor="0x1002",
        gpu_busy_percent=37,
        mem_info_vram_used=2 << 30,
        mem_info_vram_total=16 << 30,
        product_name="Radeon RX 7800",
        hwmon__hwmon4__temp1_input=48_000,
        hwmon__hwmon4__power1_average=55_000_000,
        hwmon__hwmon4__power1_cap=212_000_000,
    )
    other = tmp_path / "devices" / "0000:04:00.0"
    write(other, vendor="0x10de")
    for number, target in (("card1", bus), ("card0", other), ("card1-HDMI-A-1", bus)):
        entry = tmp_path / "drm" / number
        entry.mkdir(parents=True)
        (entry / "device").symlink_to(target)
    return tmp_path / "drm"


def test_what_the_kernels_files_say(system: Path) -> None:
    uses = {"0000:03:00.0": (Use(5, 1 << 20),)}
    (card,) = amd.read_system(system, uses)
    assert (card.name, card.bus_id) == ("Radeon RX 7800", "0000:03:00.0")
    assert (card.load_percent, card.temperature_celsius) == (37, 48)
    assert (card.power_watts, card.power_limit_watts) == (55, 212)
    assert (card.memory_used_bytes, card.memory_total_bytes) == (2 << 30, 16 << 30)
    assert card.uses == (Use(5, 1 << 20),)


def test_a_machine_without_such_files(tmp_path: Path) -> None:
    assert amd.read_system(tmp_path / "none") == ()


def opened(root: Path, pid: int, number: int, target: str, info: str) -> None:
    folder = root / str(pid)
    (folder / "fd").mkdir(parents=True, exist_ok=True)
    (folder / "fd" / str(number)).symlink_to(target)
    write(folder / "fdinfo", **{str(number): info})


def test_processes_are_found_by_their_open_files(tmp_path: Path) -> None:
    info = "drm-driver: amdgpu\ndrm-pdev: 0000:03:00.0\ndrm-client-id: 9\ndrm-memory-vram: 2 MiB"
    opened(tmp_path, 70, 3, "/dev/dri/renderD128", info)
    opened(tmp_path, 70, 4, "/dev/dri/renderD128", info)  # a copy of the same file
    opened(tmp_path, 70, 5, "/dev/dri/renderD128", info.replace("9", "10"))
    opened(tmp_path, 71, 3, "/home/notes.txt", "pos: 0")
    newer = "drm-pdev: 0000:04:00.0\ndrm-total-vram0: 9 MiB\ndrm-resident-vram0: 512 KiB"
    opened(tmp_path, 72, 3, "/dev/dri/card0", newer)
    (tmp_path / "meminfo").write_text("")
    assert drm.find_uses(tmp_path) == {
        "0000:03:00.0": (Use(70, 4 << 20),),
        "0000:04:00.0": (Use(72, 512 << 10),),
    }
