"""`make test-pythons`: which Pythons it finds, and what it says of those it does not."""

import os
import subprocess
import sys
from pathlib import Path

from tests.wheel import pythons

OURS = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_a_python_is_found_by_its_version(tmp_path, monkeypatch):
    (tmp_path / f"python{OURS}").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    program = pythons.find_python(OURS)
    code = "import sys; print(sys.version_info[:2])"
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sys.version_info[:2])


def test_pyenv_is_searched_too(tmp_path, monkeypatch):
    programs = tmp_path / "versions" / f"{OURS}.99" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pythons.find_python(OURS) == str(programs / "python")


def test_a_python_that_is_not_here_is_skipped_with_the_reason():
    assert pythons.try_version("2.0", Path("x"), Path("y")).startswith("skipped: this Python")


def test_its_parts_are_there():
    assert [part for part in pythons.PARTS if not (pythons.ROOT / part).exists()] == []
