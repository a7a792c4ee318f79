"""Each test sees a fresh device state, an environment without device variables, and leaves none."""

import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from placewise.core.scope import Scope, current
from placewise.devices import claims, inventory, test_queries
from placewise.devices.environment import VARIABLES

# A shell that starts the tests in the background lets Ctrl-C be ignored; some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


# No test depends on how fast the machine is.
settings.register_profile("any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_speed")


def _eager_world() -> None:
    """Leave graph mode, scopes and tapes that a test may have left open."""
    Scope.base, Scope.is_tf1 = None, False
    current.interpreter, current.fast = Scope.eager, None
    current.request, current.requests, current.tapes, current.name_scope = "", (), (), ""
    shapes = sys.modules.get("placewise.core.shapes")
    if shapes is not None:
        shapes.TensorShape.dimensions_are_objects = False
    scopes = sys.modules.get("placewise.graph.variable_scope")
    if scopes is not None:
        scopes._resources[0] = None
    graphs = sys.modules.get("placewise.graph.defaults")
    if graphs is not None:
        graphs._default.clear()
    streams = sys.modules.get("placewise.ops.random.streams")
    if streams is not None and streams.SEEDS.seed is not None:
        streams.SEEDS.set(None)


def _forget_memory_of_devices() -> None:
    """Drop what is known of the memory of devices, also of those on which something is still held.

    Cycles of Python objects that are not collected yet may hold tensors of an earlier test.
    """
    ledgers = sys.modules.get("placewise.memory.ledgers")
    if ledgers is not None:
        for device in ledgers._by_device:
            if device.account is not None:
                device.account.reopen()
        ledgers._by_device.clear()
        ledgers._accelerators.clear()
    claims._claims.clear()
    claims._fixed.clear()


@pytest.fixture(autouse=True)
def fresh_devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clear what decides about devices before a test, and put back what was after it."""
    for name in VARIABLES.values():
        monkeypatch.delenv(name, raising=False)
    before, lives = inventory._state, inventory._lives
    inventory.set_lives(None)
    inventory.reset()
    _eager_world()
    yield
    _eager_world()
    _forget_memory_of_devices()
    inventory.set_lives(lives)
    inventory._replace(before)
    test_queries._said.clear()


@pytest.fixture
def graph_mode() -> Iterator[None]:
    """Let a test be a TensorFlow 1 program: a fresh default graph, undone afterwards."""
    from placewise.core.scope import Scope, current
    from placewise.graph import defaults

    before = (Scope.base, current.interpreter, current.fast, list(defaults._default))
    defaults._default[:] = []
    defaults.disable_eager_execution()
    Scope.is_tf1 = True
    yield
    defaults.enable_eager_execution()
    Scope.is_tf1 = False
    Scope.base, current.interpreter, current.fast = before[:3]
    defaults._default[:] = before[3]
