"""Runs a program with the arguments of `placewise run`, in a process of its own."""

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from placewise.devices.environment import VARIABLES

WARM = Path(__file__).with_name("warm.py")
# Long enough for a crowded machine; a program that hangs shows where.
SECONDS = 120


class Done(NamedTuple):
    """How a program ended, and all it printed."""

    status: int
    stdout: str
    stderr: str


class Warm:
    """One warm process; each program run is a fork of it."""

    def __init__(self, kind: str) -> None:
        kept = {key: value for key, value in os.environ.items() if key not in VARIABLES.values()}
        # Small kernels gain nothing from threads, and threads that wait turn cores busy with tests.
        kept["OMP_NUM_THREADS"] = "1"
        # Which devices there are is each program's own: the forked process looks for them.
        kept["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
        self.process = subprocess.Popen(
            [sys.executable, str(WARM), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=kept,
        )

    def run(
        self, arguments: list[str], folder: Path, environment: dict[str, str] | None = None
    ) -> Done:
        """Run `placewise` with these arguments in a folder, with variables of the environment."""
        printed = [folder / ".stdout", folder / ".stderr"]
        asked = {
            "arguments": arguments,
            "folder": str(folder),
            "environment": environment or {},
            "stdout": str(printed[0]),
            "stderr": str(printed[1]),
            "seconds": SECONDS,
        }
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return Done(int(answer), *(file.read_text() for file in printed))

    def close(self) -> None:
        """End the warm process."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(SECONDS)


@cache
def warm(kind: str) -> Warm:
    """Give the warm process of a kind, "plain" or "keras"; it lasts as long as the tests."""
    started = Warm(kind)
    atexit.register(started.close)
    return started


def run_cold(arguments: list[str], folder: Path) -> Done:
    """Run `placewise` with these arguments as a shell would start it."""
    done = subprocess.run(
        [sys.executable, "-m", "placewise", *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        cwd=folder,
    )
    return Done(done.returncode, done.stdout, done.stderr)
