"""Intel cards, from a copy of what the kernel's files say."""

from __future__ import annotations

from pathlib import Path

from placewise.monitor.intel import IntelReader
from placewise.monitor.readings import Use

from .test_amd import write


def card(tmp_path: Path, **files: object) -> Path:
    bus = tmp_path / "devices" / "0000:03:00.0"
    write(bus, vendor="0x8086", device="0x56a0", **files)
    entry = tmp_path / "drm" / "card0"
    entry.mkdir(parents=True, exist_ok=True)
    if not (entry / "device").exists():
        (entry / "device").symlink_to(bus)
    return tmp_path / "drm"


def test_load_and_power_follow_from_counters(tmp_path: Path) -> None:
    now = [100.0]
    system = card(
        tmp_path,
        tile0__physical_vram_size_bytes=16 << 30,
        tile0__gt0__gtidle__idle_residency_ms=5_000,
        hwmon__hwmon2__energy1_input=1_000_000,
        hwmon__hwmon2__temp2_input=51_000,
        hwmon__hwmon2__power1_max=190_000_000,
    )
    reader = IntelReader(system, lambda: now[0])
    uses = {"0000:03:00.0": (Use(9, 3 << 20), Use(10, 1 << 20))}
    (first,) = reader.read(uses)
    assert first.load_percent is first.power_watts is None, "one reading is no rate"
    assert (first.temperature_celsius, first.power_limit_watts) == (51, 190)
    assert (first.memory_used_bytes, first.memory_total_bytes) == (4 << 20, 16 << 30)
    assert first.name == "Intel graphics card 56a0"
    now[0] += 2.0
    card(
        tmp_path,
        tile0__gt0__gtidle__idle_residency_ms=5_500,
        hwmon__hwmon2__energy1_input=81_000_000,
    )
    (second,) = reader.read(uses)
    assert second.load_percent == 75
    assert second.power_watts == 40


def test_a_counter_that_begins_anew_gives_no_rate(tmp_path: Path) -> None:
    now = [0.0]
    reader = IntelReader(card(tmp_path, tile0__gt0__gtidle__idle_residency_ms=5), lambda: now[0])
    reader.read({})
    now[0] += 1
    card(tmp_path, tile0__gt0__gtidle__idle_residency_ms=1)
    assert reader.read({})[0].load_percent is None


def test_integrated_graphics_have_no_memory_of_their_own(tmp_path: Path) -> None:
    (seen,) = IntelReader(card(tmp_path)).read({})
    assert seen.name == "Intel integrated graphics 56a0"
    assert seen.memory_total_bytes is seen.memory_used_bytes is None
