"""All rules about a program, and the reading of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from placewise.check.finding import Finding, sort_findings
from placewise.check.program import clusters, data_paths, device_strings, modules, names, timing
from placewise.check.program.facts import Devices, ProgramFacts
from placewise.check.program.scan import scan
from placewise.check.program.source import ProgramText, Reader

Rule = Callable[[ProgramFacts], Iterable[Finding]]

PROGRAM_RULES: tuple[Rule, ...] = (
    *modules.RULES,
    *names.RULES,
    *device_strings.RULES,
    *timing.RULES,
    *clusters.RULES,
    *data_paths.RULES,
)


def read_program(
    program: ProgramText,
    *,
    is_tf1: bool,
    era_reason: str = "",
    has_tf1_names: bool = False,
    devices: Devices | None = None,
    skipped: tuple[tuple[str, str], ...] = (),
) -> ProgramFacts:
    """Return what can be known of a program without running it."""
    reader = Reader(program.folder)
    reader.read(program)
    return ProgramFacts(
        scans=tuple(scan(source) for source in reader.sources),
        is_tf1=is_tf1,
        era_reason=era_reason,
        has_tf1_names=has_tf1_names,
        unreadable=tuple(reader.unreadable),
        devices=devices or Devices(),
        folder=program.folder,
        working_folder=Path.cwd(),
        skipped=skipped,
        local_modules=_local_modules(program.folder),
    )


def _local_modules(folder: Path) -> frozenset[str]:
    """Return the modules and packages beside the program; a folder without __init__ is one too."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return frozenset()
    return frozenset(
        entry.name.partition(".")[0]
        for entry in entries
        if entry.suffix in (".py", ".so", ".pyd", "")
        and entry.name.partition(".")[0].isidentifier()
    )


def judge_program(facts: ProgramFacts) -> list[Finding]:
    """Return what the rules say about a program, worst first, then in the order of its lines."""
    findings = [finding for rule in PROGRAM_RULES for finding in _apply(rule, facts)]
    return sort_findings(sorted(findings, key=_place))


def _apply(rule: Rule, facts: ProgramFacts) -> list[Finding]:
    try:
        return list(rule(facts))
    except RecursionError:
        topic = rule.__name__.replace("_", " ")
        return [
            Finding(
                "too-deep",
                "note",
                f"An expression of this program is nested too deep: {topic} were not looked at.",
                "What is said here may not be all.",
                "write the expression as several",
            )
        ]


def _place(finding: Finding) -> tuple[str, list[int]]:
    """Return a file and line as sorting wants them: line 9 before line 10."""
    file = re.split(r":\d+$|, cell", finding.where)[0]
    return file, [int(number) for number in re.findall(r"\d+", finding.where[len(file) :])]
