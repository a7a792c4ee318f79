"""NVIDIA cards, through a stand-in for the management library."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from placewise.devices import nvml
from placewise.monitor import frame, nvidia
from placewise.monitor.frame import Monitor
from placewise.monitor.readings import Use
from tests.devices.stand_ins import Nvml, NVMLError


def process(pid: int, used: int | None) -> Any:
    return SimpleNamespace(pid=pid, usedGpuMemory=used)


BUSY = {
    "name": b"Tesla V100-SXM2-16GB",
    "uuid": b"GPU-1",
    "bus": b"00000000:3B:00.0",
    "total": 16 << 30,
    "used": 4 << 30,
    "utilizationrates": SimpleNamespace(gpu=87, memory=40),
    "temperature": 61,
    "powerusage": 210_500,
    "enforcedpowerlimit": 300_000,
    "computerunningprocesses": [process(41, 3 << 30), process(42, None)],
    "graphicsrunningprocesses": [process(41, 1 << 20), process(7, 1 << 20)],
}


def test_a_busy_card() -> None:
    (card,) = nvidia.read_cards(Nvml(BUSY))
    assert (card.name, card.bus_id, card.uuid) == ("Tesla V100-SXM2-16GB", "0000:3b:00.0", "GPU-1")
    assert (card.load_percent, card.temperature_celsius) == (87, 61)
    assert (card.power_watts, card.power_limit_watts) == (210.5, 300)
    assert (card.memory_used_bytes, card.memory_total_bytes) == (4 << 30, 16 << 30)


def test_a_process_that_computes_and_draws_is_listed_once() -> None:
    (card,) = nvidia.read_cards(Nvml(BUSY))
    assert card.uses == (Use(41, 3 << 30), Use(42, None), Use(7, 1 << 20, "graphics"))


def test_what_an_old_card_does_not_tell_is_none() -> None:
    (card,) = nvidia.read_cards(Nvml({"name": "Tesla K20m", "uuid": "GPU-2", "bus": "0:02:00.0"}))
    assert card.load_percent is card.temperature_celsius is card.power_watts is None
    assert card.uses == card.slices == ()


def test_mig_slices_have_their_own_memory_and_processes() -> None:
    part = {
        "name": "NVIDIA A100 MIG 1g.5gb",
        "uuid": "MIG-1",
        "total": 5 << 30,
        "used": 1 << 30,
        "computerunningprocesses": [process(50, 1 << 30)],
    }
    whole = {
        "name": "NVIDIA A100",
        "uuid": "GPU-3",
        "bus": "0:04:00.0",
        "migmode": (1, 1),
        "slices": [part],
        "computerunningprocesses": [process(50, 1 << 30)],
    }
    (card,) = nvidia.read_cards(Nvml(whole))
    assert card.uses == (), "the slice has them"
    (read,) = card.slices
    assert (read.name, read.uuid) == ("MIG 1g.5gb", "MIG-1")
    assert read.uses == (Use(50, 1 << 30, part="MIG-1"),)
    assert read.memory_total_bytes == 5 << 30


class Lost(Nvml):
    """A machine with a card that fell off the bus."""

    def nvmlDeviceGetHandleByIndex(self, index: int) -> dict[str, Any]:
        if index == 1:
            raise NVMLError("GPU is lost")
        return super().nvmlDeviceGetHandleByIndex(index)


def test_a_lost_card_is_listed_with_the_drivers_reason() -> None:
    good, lost = nvidia.read_cards(Lost(BUSY, BUSY))
    assert good.note == ""
    assert lost.note == "cannot be read: GPU is lost"


def test_a_driver_that_goes_away_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    module = Nvml(BUSY)
    monkeypatch.setattr(nvml, "load", lambda: module)
    monkeypatch.setattr(frame.pci, "find_slots", list)
    monkeypatch.setenv("PLACEWISE_STATUS", "off")
    monitor = Monitor()
    assert len(monitor.read().cards) == 1
    module.nvmlDeviceGetCount = _fail  # type: ignore[method-assign]
    seen = monitor.read()
    assert seen.cards == ()
    assert seen.reasons == ("the NVIDIA driver does not answer: driver reset",)


def _fail() -> int:
    raise NVMLError("driver reset")
