"""Puts the test device into the process that runs these tests, seen by none of the others.

torch keeps a backend once it is registered, and starts autograd's threads by the devices of its
first backward pass. So it is registered, switched off, before the first test of the process; the
fixture switches it on for one test.
"""

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch

from placewise.devices import inventory

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
def accelerator(fresh_devices: None) -> Iterator[ModuleType]:
    """Let the test see four cards, accel:0 to accel:3; return torch.accel."""
    if _reason:
        pytest.skip(_reason)

    module = torch.accel
    module.switch(True)
    inventory.reset()
    module.reset_counters()
    yield module
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
def backend_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let programs that the test starts find the cards."""
    if _reason:
        pytest.skip(_reason)
    monkeypatch.setenv("PYTHONPATH", str(BACKEND))


@pytest.fixture
def cuda(fresh_devices: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cards]:
    """Let the test see four CUDA cards, whose tensors have no data."""
    if torch.cuda.is_available():
        pytest.skip("there are real cards")
    with cuda_cards(monkeypatch) as cards:
        yield cards
