"""`placewise --version`: what a bug report needs, quickly."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib import metadata

import pytest

from placewise.cli import version
from placewise.devices import nvml
from tests.devices.stand_ins import Nvml

from .conftest import Run
from .test_devices import HEAVY, cpu_seconds


def rows(text: str) -> dict[str, str]:
    return {line.split()[0]: line.split(None, 1)[1] for line in text.splitlines()}


def test_each_version_has_a_line(placewise: Run) -> None:
    said = rows(placewise("--version").stdout)
    assert list(said) == ["placewise", "torch", "keras", "python", "native", "driver", "cards"]
    own = metadata.version("placewise")
    assert said["placewise"].startswith(f"{own}, answers as TensorFlow 2.21.0, or 1.15.5 to ")
    assert said["torch"].startswith(metadata.version("torch"))
    assert said["python"].startswith(platform.python_version())


def test_driver_and_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    module = Nvml({"name": "NVIDIA A100"}, {"name": b"NVIDIA A100"}, {"name": "Tesla K40c"})
    module.nvmlSystemGetDriverVersion = lambda: b"560.35.03"  # type: ignore[attr-defined]
    monkeypatch.setattr(nvml, "load", lambda: module)
    said = rows(version.version_text())
    assert said["driver"] == "NVIDIA 560.35.03"
    assert said["cards"] == "2x NVIDIA A100, Tesla K40c"


def test_no_driver_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise nvml.UnavailableError("the NVIDIA driver is installed but not loaded")

    monkeypatch.setattr(nvml, "load", fail)
    monkeypatch.setattr(version.amd, "read_system", tuple)
    monkeypatch.setattr(version.IntelReader, "read", lambda self, uses: ())
    said = rows(version.version_text())
    assert said["driver"] == "none: the NVIDIA driver is installed but not loaded"
    assert said["cards"] == "none"


def test_nothing_heavy_is_loaded() -> None:
    text = (
        "import sys; from placewise.cli.version import version_text; version_text()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_it_is_quick(placewise: Run) -> None:
    assert cpu_seconds(placewise, "--version") < 0.3
