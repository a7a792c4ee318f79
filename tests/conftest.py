"""Each test sees a fresh device state, an environment without device variables, and leaves none."""

from collections.abc import Iterator

import pytest

from placewise.devices import inventory, testing
from placewise.devices.environment import VARIABLES


@pytest.fixture(autouse=True)
def fresh_devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clear what decides about devices before a test, and put back what was after it."""
    for name in VARIABLES.values():
        monkeypatch.delenv(name, raising=False)
    before, lives = inventory._state, inventory._lives
    inventory.reset()
    yield
    inventory.set_lives(lives)
    inventory._replace(before)
    testing._said.clear()
