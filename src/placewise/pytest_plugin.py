"""The pytest plug-in: `pytest -p placewise.pytest_plugin` (docs/testing.md).

It is no entry point: pytest loads those in every run of every project, and rewrites all modules of
the package they belong to. It loads torch only for tests that use it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from placewise.devices import inventory
from placewise.tensorflow.installation import install_as_tensorflow

if TYPE_CHECKING:
    from placewise.devices.inventory import Simulation
    from placewise.eager.log import Log

_HAS_BEGUN = pytest.StashKey[bool]()
_MARKERS = (
    "simulate(machine): the test sees that machine, such as '4xV100' or '0'",
    "runs_on(device): the test fails if an operation runs on another device",
    "no_copies: the test fails at a copy between devices that nobody asked for",
    "no_fallbacks: the test fails if an operation runs elsewhere than asked",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("placewise", "TensorFlow on placewise")
    group.addoption(
        "--simulate",
        metavar="MACHINE",
        help="the machine of tests without a `simulate` marker, such as 4xV100 (default: the one "
        "that PLACEWISE_SIMULATE names, or this one)",
    )
    group.addoption(
        "--tensorflow",
        choices=("1", "2", "own"),
        default="2",
        help="what `import tensorflow` is in this run: placewise as TensorFlow 1 or 2 (default: "
        "2), or `own`: whatever is installed under that name",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before a file of the tests is imported."""
    _begin(early_config, early_config.known_args_namespace)


def pytest_configure(config: pytest.Config) -> None:
    """Make the markers known; begin, if a conftest file has named the plug-in, and not `-p`."""
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    _begin(config, config.option)


def _begin(config: pytest.Config, options: argparse.Namespace) -> None:
    """Choose the machine, and what `import tensorflow` means, once."""
    if config.stash.get(_HAS_BEGUN, False):
        return
    config.stash[_HAS_BEGUN] = True
    try:
        if options.simulate is not None:
            inventory.simulate(options.simulate)
        if options.tensorflow != "own":
            install_as_tensorflow(int(options.tensorflow))
    except (ValueError, RuntimeError) as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header() -> str:
    """Return the line that says which machine the tests see."""
    machine = inventory.discovery().machine
    return f"placewise: {f'simulated machine {machine}' if machine else 'this machine'}"


@pytest.fixture(autouse=True)
def _fresh_devices(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the devices, and settings of them, begin anew for a test."""
    marker = request.node.get_closest_marker("simulate")
    with inventory.renew():
        if marker is not None:
            inventory.simulate(_argument(marker, "a machine, such as '4xV100'"))
        yield


@pytest.fixture
def simulated_machine(_fresh_devices: None) -> Callable[[Any], Simulation]:
    """Return a function that lets the rest of the test see another machine."""
    return inventory.simulate


@pytest.fixture
def assert_on() -> Any:
    """Return `placewise.assert_on`: `with assert_on("/GPU:0"): ...`."""
    from placewise.eager import observe  # noqa: PLC0415 - keeps torch out

    return observe.assert_on


@pytest.fixture
def placement_log(_fresh_devices: None) -> Iterator[Log]:
    """Return a log of all that runs in the test from here on, as `placewise.record()` does."""
    from placewise.eager import observe  # noqa: PLC0415 - keeps torch out

    with observe.record() as log:
        yield log


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run a test, not its fixtures, under the guards that its markers ask for."""
    __tracebackhide__ = True
    marked = {
        name: marker
        for name in ("runs_on", "no_copies", "no_fallbacks")
        if (marker := item.get_closest_marker(name)) is not None
    }
    if not marked:
        return (yield)
    from placewise.eager import observe  # noqa: PLC0415 - keeps torch out

    with ExitStack() as guards:
        if "no_copies" in marked:
            guards.enter_context(observe.copies("forbid"))
        if "no_fallbacks" in marked:
            guards.enter_context(observe.strict())
        if "runs_on" in marked:
            device = _argument(marked["runs_on"], "a device, such as '/GPU:0'")
            guards.enter_context(observe.assert_on(device))
        return (yield)


def _argument(marker: pytest.Mark, what: str) -> Any:
    if len(marker.args) != 1 or marker.kwargs:
        raise pytest.UsageError(f"@pytest.mark.{marker.name} takes one argument: {what}")
    return marker.args[0]
