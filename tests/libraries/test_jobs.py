"""A small real job of each library, through `placewise run`: built, trained, saved."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.libraries.versions import JOBS

FOLDER = Path(__file__).parent / "jobs"


@pytest.mark.parametrize("library", JOBS)
def test_the_library_does_its_job(library, tmp_path):
    program = FOLDER / f"{JOBS[library].module}_job.py"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "placewise", "run", program],
        capture_output=True,
        text=True,
        timeout=900,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for line in JOBS[library].prints:
        assert line in done.stdout, done.stdout
    print(f"{library} {JOBS[library].version}: works")
