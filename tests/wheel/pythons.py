"""Installs the wheel under several Pythons and runs what differs between them there.

    python -m tests.wheel.pythons 3.11 3.12 3.13

A Python is looked for on PATH, then by pyenv. One that is not here, or that torch has no wheel
for, is skipped with the reason; the exit status is 1 if a test fails, or if all were skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .building import ROOT, build_wheel
from .trial import TRIALS, try_command

TORCH = "torch==2.13.0"
# What rests on Python's own inner side: its syntax tree and code objects, imports, signatures,
# pickles, annotations, enumerations and threads.
PARTS = (
    "tests/core",
    "tests/functions",
    "tests/tensorflow",
    "tests/native",
    "tests/messages",
    "tests/surface/test_import.py",
    "tests/cli/test_main.py",
    "tests/data",
)
NEEDS = ("pytest", "pytest-timeout", "pytest-xdist", "hypothesis")


def find_python(version: str) -> str | None:
    """Return the program of a Python such as `3.12`, or None."""
    for program in (shutil.which(f"python{version}"), *_of_pyenv(version)):
        if program and _version(program) == version:
            return program
    return None


def _of_pyenv(version: str) -> list[str]:
    root = os.environ.get("PYENV_ROOT")
    if not root and shutil.which("pyenv"):
        root = subprocess.run(
            ["pyenv", "root"], capture_output=True, text=True, check=False
        ).stdout.strip()
    folder = Path(root or "") / "versions"
    return [str(path) for path in sorted(folder.glob(f"{version}.*/bin/python"))] if root else []


def _version(program: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def install(program: str, wheel: Path, environment: Path) -> str:
    """Make an environment with the wheel; return why that is not possible, or nothing."""
    subprocess.run([program, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check"]
    for wanted in ([TORCH], [str(wheel), *NEEDS]):
        print("  installing", *wanted, flush=True)
        command = [*pip, "--quiet", "-c", ROOT / "constraints.txt", *wanted]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            return (errors or ["pip failed"])[-1]
    return ""


def run_tests(programs: Path, work: Path) -> bool:
    """Run the commands of `make wheel-test`, and a part of the tests from a copy of them."""
    for example in ("session_towers.py", "mirrored_keras.py"):
        shutil.copy(ROOT / "examples" / example, work)
    shutil.copytree(ROOT / "tests", work / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "examples", work / "examples")
    shutil.copy(ROOT / "pyproject.toml", work)
    outcomes = [
        try_command(command, said, programs, work)
        for command, said in TRIALS
        if "pytest" not in command
    ]
    done = subprocess.run(
        [programs / "python", "-m", "pytest", "-q", "-n", "auto", *PARTS], cwd=work, check=False
    )
    return all(outcomes) and done.returncode == 0


def main(versions: list[str]) -> int:
    """Try each version, print what came of it, and return the exit status."""
    outcomes: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        wheel = build_wheel(Path(name))
        for version in versions:
            print(f"Python {version}", flush=True)
            outcomes[version] = try_version(version, wheel, Path(name) / version)
            print(f"Python {version}: {outcomes[version]}", flush=True)
    print("\n".join(f"{version}: {outcome}" for version, outcome in outcomes.items()))
    return 0 if {"passed"} <= {*outcomes.values()} and "FAILED" not in outcomes.values() else 1


def try_version(version: str, wheel: Path, folder: Path) -> str:
    """Return `passed`, `FAILED`, or why a version was skipped."""
    program = find_python(version)
    if program is None:
        return "skipped: this Python is not here (PATH and pyenv were searched)"
    work = folder / "work"
    work.mkdir(parents=True)
    problem = install(program, wheel, folder / "environment")
    if problem:
        return f"skipped: {problem}"
    return "passed" if run_tests(folder / "environment" / "bin", work) else "FAILED"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["3.11", "3.12", "3.13"]))
