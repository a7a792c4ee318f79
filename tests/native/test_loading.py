"""The extension is used only where it fits, and nothing fails without it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from placewise import native
from placewise.core import environment

TOOLS = Path(__file__).parents[2] / "tools"
BUILD = f"import sys; sys.path.insert(0, {str(TOOLS)!r}); import build_native as b; "
PATH = "import pathlib; print(b.build(pathlib.Path(sys.argv[1])))"


def test_it_is_built_where_a_compiler_is() -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is here")
    assert native.load()[1] == "built"


def test_a_variable_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEWISE_NATIVE", "0")
    assert native.load() == (None, "off by PLACEWISE_NATIVE=0")


def test_a_binary_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    if native.code is None:
        pytest.skip("it is not built")
    monkeypatch.setattr(native, "fingerprint", lambda folder: 1)
    module, state = native.load()
    assert module is None
    assert state == "built of other sources: install placewise again"


def test_a_file_that_is_no_module_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "placewise._native", None)
    monkeypatch.delattr("placewise._native", raising=False)
    module, state = native.load()
    assert module is None
    assert state.startswith("not built (")


def test_without_a_compiler_the_build_says_so_and_goes_on(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUILD + PATH, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment.of_process({"PATH": str(tmp_path), "CC": "none-such"}),
    )
    assert (done.returncode, done.stdout) == (0, "None\n")
    assert "without its native module: no C compiler is on the path" in done.stderr
    assert not list(tmp_path.iterdir())
