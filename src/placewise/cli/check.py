"""`placewise check`: why a GPU is not used, and what in a program will not work here.

Reads the machine and the program, has the rules of `placewise.check` judge them, and prints what
they say. Loads neither torch nor the program.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placewise.check.finding import Finding, exit_status, sort_findings
from placewise.check.reading.machine import read_machine
from placewise.check.reading.sources import Sources
from placewise.check.rules import judge_machine
from placewise.cli import leases
from placewise.cli.check_text import describe, to_lines
from placewise.cli.closed_pipe import quiet_when_closed
from placewise.cli.errors import UnusableError
from placewise.cli.program import CannotRunError
from placewise.devices.machine import parse_machine

if TYPE_CHECKING:
    from placewise.check.machine import MachineFacts


def check(arguments: argparse.Namespace, sources: Sources | None = None) -> int:
    """Look at the machine and the program, print what was found, and return the exit status."""
    sources = sources or replace(Sources(), leases=_leases())
    try:
        facts = read_machine(sources, _machine(arguments, sources))
        findings = judge_machine(facts)
        era = ""
        if arguments.module or arguments.text or arguments.program:
            # Loaded here: the machine alone is looked at in half the time.
            from placewise.cli.program_check import check_program  # noqa: PLC0415

            era, in_program = check_program(arguments, facts)
            findings = sort_findings(findings + in_program)
    except UnusableError as error:
        print(f"placewise check: {error}", file=sys.stderr)
        return 2
    except CannotRunError as error:
        print(f"placewise check: {error}", file=sys.stderr)
        return error.status
    _print(arguments, facts, findings, era)
    return exit_status(findings)


def _machine(arguments: argparse.Namespace, sources: Sources) -> str | None:
    """Return the simulated machine in force; one that is no machine is left to its rule."""
    text = arguments.simulate
    if text is None:
        text = sources.variables.get("PLACEWISE_SIMULATE")
    try:
        return None if text is None else _checked(text)
    except ValueError as error:
        if arguments.simulate is not None:
            raise UnusableError(f"--simulate: {error}") from None
        return None


def _checked(text: str) -> str:
    parse_machine(text)
    return text


def _leases() -> dict[str, tuple[str, ...]]:
    mine = os.getpid()
    return {
        card: tuple(str(lease) for lease in held if lease.pid != mine)
        for card, held in leases.current().items()
    }


def _print(
    arguments: argparse.Namespace, facts: MachineFacts, findings: list[Finding], era: str
) -> None:
    with quiet_when_closed():  # the status still says what was found
        if arguments.json:
            print(json.dumps(to_json(facts, findings, era), indent=2))
        else:
            print("\n".join(to_lines(facts, findings, era)))


def to_json(facts: MachineFacts, findings: list[Finding], era: str = "") -> dict[str, Any]:
    """Return the findings as data, with what is here."""
    return {
        "status": exit_status(findings),
        "machine": describe(facts),
        "program": era or None,
        "folder": str(Path.cwd()),
        "findings": [finding.to_json() for finding in findings],
    }
