"""Installs the wheel into an environment of its own and uses it there: `make wheel-test`.

    python -m tests.wheel.trial [WHEEL]

Nothing of the project's folder is on the path of that environment but copies of its examples.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from .building import ROOT, build_wheel

MACHINE = "K20m@02:00.0,K20m@03:00.0,K20m@83:00.0,K20m@84:00.0"
TESTS = """
import pytest, tensorflow as tf

@pytest.mark.simulate("2xV100")
@pytest.mark.runs_on("/GPU:1")
def test_second_gpu():
    with tf.device("/GPU:1"):
        tf.ones([2]) + tf.ones([2])
"""
# What is run, and what it must print.
TRIALS = (
    (("placewise", "devices", "--simulate", MACHINE), "Tesla K20m"),
    (("placewise", "run", "--simulate", MACHINE, "session_towers.py"), "[[ 44.  56.]"),
    (("placewise", "run", "--simulate", "2xV100", "mirrored_keras.py"), "2 replicas"),
    (("python", "-c", "import placewise.v1 as tf; print(tf.Session)"), "Session"),
    (("python", "-m", "pytest", "-p", "placewise.pytest_plugin", "test_gpu.py"), "1 passed"),
)


def main(wheels: list[str]) -> int:
    """Try the wheel, or one that is built now, and return the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = Path(wheels[0]).resolve() if wheels else build_wheel(folder)
        programs = install(wheel, folder / "environment")
        work = folder / "work"
        work.mkdir()
        (work / "test_gpu.py").write_text(TESTS)
        for example in ("session_towers.py", "mirrored_keras.py"):
            shutil.copy(ROOT / "examples" / example, work)
        outcomes = [try_command(command, said, programs, work) for command, said in TRIALS]
    return 0 if all(outcomes) else 1


def install(wheel: Path, environment: Path) -> Path:
    """Make an environment with the wheel, and return the folder of its programs."""
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for wanted in (["torch==2.13.0"], [f"{wheel}[pytest]"]):
        print("installing", *wanted, flush=True)
        subprocess.run([*pip, "-c", ROOT / "constraints.txt", *wanted], check=True, timeout=1800)
    return programs


def try_command(command: tuple[str, ...], said: str, programs: Path, work: Path) -> bool:
    """Run a command of the environment, and print and return whether it prints what it must."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [programs / command[0], *command[1:]],
        cwd=work,
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    is_right = done.returncode == 0 and said in done.stdout
    print("right" if is_right else "WRONG", *command, flush=True)
    if not is_right:
        print(done.stdout, done.stderr, sep="\n", flush=True)
    return is_right


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
