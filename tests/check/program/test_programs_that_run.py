"""No false alarms: the programs of the tests and examples, which all run, are looked at."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from placewise.check.machine import MachineFacts
from placewise.check.reading.machine import read_machine
from placewise.check.reading.sources import Sources
from placewise.cli.main import build_parser
from placewise.cli.program_check import check_program
from tests.programs.test_tutorials import WITHOUT_GPUS

ROOT = Path(__file__).parents[3]
PROGRAMS = ROOT / "tests" / "programs"
FILES = sorted(
    path
    for folder in (PROGRAMS, ROOT / "examples")
    for pattern in ("*.py", "*/*.py", "*/*.ipynb")
    for path in folder.glob(pattern)
    if path.stem not in ("__init__", "running", "warm") and not path.stem.startswith("test_")
)
# They fail without GPUs as well, and are not among those whose answers are recorded.
ALSO_FAIL = {
    "examples/session_towers.py",
    "graphs/out_of_memory.py",
    "graphs/timeline_trace.py",
    "models/mirrored_fit.py",
}


@functools.cache
def read(machine: str) -> MachineFacts:
    """Return the facts about a simulated machine."""
    return read_machine(Sources(variables={}), machine)


def errors_in(path: Path, machine: str) -> list[str]:
    """Return the errors and warnings about a program, on a simulated machine."""
    arguments = build_parser().parse_args(["check", str(path)])
    findings = check_program(arguments, read(machine))[1]
    return [
        f"{finding.where}: {finding.what}"
        for finding in findings
        if finding.severity in ("error", "warning")
    ]


def test_programs_that_run_raise_no_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(FILES) > 100
    assert [said for path in FILES for said in errors_in(path, "4xV100")] == []


def test_without_gpus_the_alarm_is_raised_for_those_that_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = {f"{path.parent.name}/{path.name}": path for path in FILES}
    alarmed = {name for name, path in named.items() if errors_in(path, "0")}
    fail = {name for name, recorded in WITHOUT_GPUS.items() if recorded["error"]} | ALSO_FAIL
    assert alarmed <= fail
    assert alarmed >= ALSO_FAIL
