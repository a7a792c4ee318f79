"""`placewise check --kernels` on a GPU with memory of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from placewise.check.supervisor import Supervisor

pytestmark = pytest.mark.usefixtures("backend_on_path")
BREAKING = str(Path(__file__).parent / "breaking_worker.py")


def test_every_kernel_gives_what_the_cpu_gives():
    done = subprocess.run(
        [sys.executable, "-m", "placewise", "check", "--kernels", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["samples"] == []
    assert done.returncode == 0
    assert report["summary"].endswith("on Test Accelerator (accel:0)")
    assert report["device"]["torch"] == "accel:0" and not report["device"]["simulated"]
    assert "Test Accelerator" in report["torch"]["properties"]


def test_an_op_that_breaks_the_gpu_is_named_and_the_rest_still_runs():
    watched = Supervisor(0, {}, (BREAKING,))
    found = list(watched.outcomes())
    assert len(found) == len(watched.cases)
    failed = [outcome for outcome in found if outcome.verdict != "same"]
    assert {outcome.op for outcome in failed} == {"Rint", "Spence"}
    assert failed[0].has_broken_the_device
    assert "assert" in failed[0].what
