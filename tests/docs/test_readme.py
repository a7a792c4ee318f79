"""The commands of README.md print what it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import placewise as tf

from .examples import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^```\n\$ (.+)\n((?:.*\n)*?)```$", README, re.MULTILINE)
# A minute; tests/check and tests/accelerator run the same samples.
LONG = "placewise check --kernels"


def _without_machine(text: str) -> str:
    """Return what is printed without the lines of CPU and torch, and the widths of columns."""
    lines = [re.sub("  +", "  ", line) for line in text.splitlines()]
    return "\n".join(line for line in lines if not line.startswith(("CPU:0 ", "  torch is built")))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        pytest.param(*session, id=session[0])
        for session in SESSIONS
        if not session[0].startswith(LONG)
    ],
)
def test_command_prints_what_readme_shows(command: str, shown: str, tmp_path: Path):
    if "No GPU can be used" in shown and tf.config.list_physical_devices("GPU"):
        pytest.skip("README.md shows a machine without a GPU")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert _without_machine(done.stdout) == _without_machine(shown), done.stderr
