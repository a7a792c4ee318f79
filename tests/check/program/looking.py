"""Looks at a program that is written in a test."""

from __future__ import annotations

import textwrap
from pathlib import Path

from placewise.check.finding import Finding
from placewise.check.program.facts import Devices
from placewise.check.program.rules import judge_program, read_program
from placewise.check.program.source import ProgramText
from placewise.cli.era import judge


def look(
    text: str,
    *,
    gpus: int = 1,
    folder: Path = Path(),
    is_tf1: bool | None = None,
    name: str = "program.py",
) -> list[Finding]:
    """Return what is found in a program on a machine with so many GPUs."""
    text = textwrap.dedent(text)
    era = judge(text, name, folder)
    facts = read_program(
        ProgramText(text, name, folder),
        is_tf1=era.is_old if is_tf1 is None else is_tf1,
        era_reason=era.why,
        has_tf1_names=era.with_old_names,
        devices=Devices(gpus=gpus),
    )
    return judge_program(facts)


def brief(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return the code and the place of each finding."""
    return [(finding.code, finding.where) for finding in findings]
