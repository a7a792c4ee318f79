"""Builds the wheel with the build backend that is installed: nothing is downloaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def build_wheel(folder: Path) -> Path:
    """Build the wheel into a folder and return its file."""
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,  # a compiler among other work
        check=True,
    )
    return folder / done.stdout.split()[-1]
