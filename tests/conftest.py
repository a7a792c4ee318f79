"""Each test sees a fresh runtime and an environment without device variables, and leaves none."""

import gc
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from placewise.core.runtime import runtime
from placewise.core.scope import era
from placewise.devices.environment import VARIABLES

# A shell that starts the tests in the background lets Ctrl-C be ignored; some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)


# No test depends on how fast the machine is.
settings.register_profile("any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_speed")


def pytest_collection_finish() -> None:
    """Keep what collecting the tests has made out of all later searches for garbage.

    It is a million objects, which the tests that count memory would search several times each.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def fresh_runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a test begin as a process does, and put back what was after it."""
    for name in VARIABLES.values():
        monkeypatch.delenv(name, raising=False)
    with runtime.fresh():
        yield


@pytest.fixture
def graph_mode(fresh_runtime: None) -> None:
    """Let a test be a TensorFlow 1 program, with a default graph of its own."""
    from placewise.graph import defaults

    defaults.disable_eager_execution()
    era.is_tf1 = True


@pytest.fixture(params=["native", "python"])
def implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test twice: with the loops in C, where they are built, and with those in Python."""
    from placewise import native

    if request.param == "python":
        monkeypatch.setattr(native, "code", None)
    elif native.code is None:
        pytest.skip("the native module is not built")
    return str(request.param)
