"""A real Chromium, and the pages it opens. `make browser-tests` installs what they need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from placewise.reports.page import to_html
from placewise.reports.run_data import run_data
from tests.reports.large import large_devices, large_recording

_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --force-device-scale-factor=1 --hide-scrollbars"
)
ROOT = Path(__file__).parents[2]


def _missing() -> str:
    if not os.environ.get("PLACEWISE_BROWSER_TESTS"):
        return "a browser takes long to start: run make browser-tests"
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return "there is no chromium with its chromedriver here"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed: run make browser-tests"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = _missing()
    for item in items:
        if reason and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a Chromium that has a new profile and logs all that pages write to the console."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in _FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def cnn_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a short run of the CNN example on four simulated GPUs."""
    page = tmp_path_factory.mktemp("pages") / "cnn.html"
    options = ("--simulate", "4xK20m", "--report", str(page), "examples/cifar10_multi_gpu.py")
    flags = ("--num_gpus", "4", "--max_steps", "9", "--batch_size", "8", "--width", "24")
    command = [sys.executable, "-m", "placewise", "run", *options, *flags]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    return page


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a graph with 20,000 nodes."""
    page = tmp_path_factory.mktemp("pages") / "large.html"
    data = run_data(large_recording(20_000), large_devices(), program="large.py")
    page.write_text(to_html([data], "large.py"), encoding="utf-8")
    return page
