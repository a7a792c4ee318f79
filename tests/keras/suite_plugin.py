"""A pytest plugin: runs Keras's own tests on placewise and writes down how each of them ended.

`--on tensorflow` leaves the installed TensorFlow in place, to record what it passes.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import Any

import pytest

_ended = 0  # tests, in this process


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare which library is asked and where the outcomes go."""
    group = parser.getgroup("keras suite")
    group.addoption("--on", choices=("placewise", "tensorflow"), default="placewise")
    group.addoption("--outcomes", default="")
    group.addoption("--run-gpu-skips", action="store_true", help="what crashes TensorFlow on GPUs")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the backend before anything imports Keras."""
    os.environ["KERAS_BACKEND"] = "tensorflow"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    for mark in ("requires_trainable_backend", "multi_device"):
        config.addinivalue_line("markers", f"{mark}: set by Keras")
    runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if runs_tests and config.getoption("--on") == "placewise":
        import placewise

        placewise.keras.__version__  # noqa: B018 (loads Keras with `tensorflow` as placewise)
    # Keras's repository has this file beside the package; some of its tests import it.
    shared = ModuleType("conftest")
    shared.skip_if_backend = lambda backend, reason: pytest.mark.skipif(
        backend == "tensorflow", reason=reason
    )
    sys.modules["conftest"] = shared
    if not hasattr(config, "workerinput") and config.getoption("--outcomes"):
        config.pluginmanager.register(Outcomes(config.getoption("--outcomes")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let tests run that are skipped where there is a GPU, since TensorFlow crashes there."""
    if config.getoption("--run-gpu-skips"):
        for node in {node for item in items for node in item.listchain()}:
            node.own_markers[:] = [mark for mark in node.own_markers if not _is_gpu_skip(mark)]


def _is_gpu_skip(mark: pytest.Mark) -> bool:
    reason = mark.kwargs.get("reason", "")
    # What forks cannot run there: it is not that TensorFlow crashes.
    return mark.name == "skipif" and "GPU" in reason and "support" not in reason


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Let go of what jax, which Keras's tests ask for dtypes, compiled: gigabytes in all."""
    global _ended
    _ended += 1
    if _ended % 100 == 0 and "jax" in sys.modules:
        sys.modules["jax"].clear_caches()


class Outcomes:
    """Writes one line of JSON a test: its name below keras/src, how it ended, and why."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "w")  # noqa: SIM115 (closed when pytest ends)
        self.seen: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a test that ended, once; a failure in any phase counts."""
        if report.when == "call" or report.outcome != "passed":
            self._write(report.nodeid, report.outcome, report)

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that could not be read."""
        if report.failed:
            self._write(report.nodeid, "failed", report)

    def _write(self, name: str, outcome: str, report: Any) -> None:
        name = name.split("keras/src/")[-1]
        why = ""
        if outcome != "passed":
            crash = getattr(report.longrepr, "reprcrash", None)
            why = crash.message if crash is not None else str(report.longrepr)[-600:]
            if hasattr(report, "wasxfail"):
                why = f"expected to fail: {report.wasxfail}"
        line = {"test": name, "outcome": outcome, "why": why[:600]}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def pytest_unconfigure(self) -> None:
        """Close the file."""
        self.file.close()
