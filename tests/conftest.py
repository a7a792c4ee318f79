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


@pytest.fixture
def graph_mode() -> Iterator[None]:
    """Let a test be a TensorFlow 1 program: a fresh default graph, undone afterwards."""
    from placewise.core.scope import Scope, local
    from placewise.graph import defaults

    before = (Scope.base, local.interpreter, local.fast, list(defaults._default))
    defaults._default[:] = []
    defaults.disable_eager_execution()
    yield
    defaults.enable_eager_execution()
    Scope.base, local.interpreter, local.fast = before[:3]
    defaults._default[:] = before[3]
