"""A small real job of each library: built, trained, saved."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.libraries.versions import JOBS

FOLDER = Path(__file__).parent


def _check(library, command, folder):
    job = JOBS[library]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command, FOLDER / "jobs" / f"{job.module}_job.py"],
        capture_output=True,
        text=True,
        timeout=900,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for line in job.prints:
        assert line in done.stdout, done.stdout


@pytest.mark.parametrize("library", JOBS)
def test_the_library_does_its_job_under_placewise_run(library, tmp_path):
    _check(library, ["-m", "placewise", "run"], tmp_path)
    print(f"{library} {JOBS[library].version}: works")


@pytest.mark.parametrize("library", JOBS)
def test_the_library_does_its_job_as_a_dependency_of_a_program(library, tmp_path):
    _check(library, [FOLDER / "as_dependency.py"], tmp_path)
