"""Puts the test device into the process that runs these tests, seen by none of the others.

torch keeps a backend once it is registered, and starts autograd's threads by the devices of its
first backward pass. So it is registered, switched off, before the first test of the process; the
fixture switches it on for one test.
"""

import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import torch

import placewise
import placewise.compat.v1
import placewise.v1
from placewise.devices import accelerator as discovery
from placewise.devices import inventory
from placewise.devices.facts import Found
from placewise.devices.machine import parse_machine

from . import BACKEND
from .fake_cuda import Cards, cuda_cards

_reason = ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Register the device, after compiling it if need be."""
    global _reason
    sys.path.insert(0, str(BACKEND))
    try:
        import test_accelerator

        test_accelerator.load(on=False)
    except test_accelerator.NotBuiltError as error:
        _reason = str(error)
    finally:
        # torch must not find it by itself: processes that tests start would have GPUs.
        sys.path.remove(str(BACKEND))


@pytest.fixture
def accelerator(fresh_runtime: None) -> Iterator[ModuleType]:
    """Let the test see four cards, accel:0 to accel:3; return torch.accel."""
    if _reason:
        pytest.skip(_reason)

    module = torch.accel
    module.switch(True)
    inventory.reset()
    module.reset_counters()
    yield module
    module.set_total_memory(None)
    for index in range(module.device_count()):
        module.reset_device(index)
        module.set_memory_limit(None, index)
        module.reset_peak_memory_stats(index)
    module.set_device(0)
    module.set_asynchronous_asserts(True)
    module.empty_cache()
    module.switch(False)
    inventory.reset()


@pytest.fixture
def instead_of_simulation(
    accelerator: ModuleType, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Let tests that simulate a machine have test cards: as many, of the same memory."""

    class Cards(inventory.Simulation):
        def __exit__(self, *exception: object) -> None:
            super().__exit__(*exception)
            accelerator.set_total_memory(None)

    def simulate(machine: str) -> inventory.Simulation:
        cards = parse_machine(machine)
        accelerator.set_total_memory(cards[0].total_bytes)
        find = discovery.find_with_torch

        def find_some(torch: Any) -> Found:
            found = find(torch).cards[: len(cards)]
            return Found(found, shown=tuple(card.uuid for card in found))

        monkeypatch.setattr(discovery, "find_with_torch", find_some)
        cards_in_force = Cards(None)
        inventory._replace(inventory.Machine(None, inventory.settings().without_devices()))
        return cards_in_force

    where = [placewise, placewise.v1, placewise.compat.v1, inventory]
    if "simulate" in vars(sys.modules[request.function.__module__]):
        where.append(sys.modules[request.function.__module__])
    for module in where:
        assert module.simulate is not simulate  # names are looked up at first use: before the next
    for module in where:
        monkeypatch.setattr(module, "simulate", simulate)


@pytest.fixture
def backend_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that the test starts find the cards."""
    if _reason:
        pytest.skip(_reason)
    monkeypatch.setenv("PYTHONPATH", str(BACKEND), prepend=os.pathsep)


@pytest.fixture
def cuda(fresh_runtime: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cards]:
    """Let the test see four CUDA cards, whose tensors have no data."""
    if torch.cuda.is_available():
        pytest.skip("there are real cards")
    with cuda_cards(monkeypatch) as cards:
        yield cards
