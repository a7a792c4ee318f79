"""Runs the command line as a user does: in a process of its own, in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def placewise(tmp_path: Path) -> Run:
    """Return a function that runs `placewise ARGS…` in `tmp_path`."""

    def run(*args: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CUDA_", "PLACEWISE_", "TF_"))
        }
        return subprocess.run(
            [sys.executable, "-m", "placewise", *args],
            cwd=tmp_path,
            # Leases of a test are its own: no other run on this machine sees them.
            env=kept
            | {
                "PLACEWISE_LEASES": str(tmp_path / "leases"),
                "PLACEWISE_STATUS": str(tmp_path / "status"),
            }
            | environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
