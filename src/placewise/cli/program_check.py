"""The program of `placewise check`: found as `run` finds it, read, and judged; never run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts
from placewise.check.program.facts import Devices
from placewise.check.program.rules import judge_program, read_program
from placewise.check.program.source import ProgramText
from placewise.check.visibility import seen_by
from placewise.cli import notebook, program
from placewise.cli.era import Era, judge
from placewise.cli.program import Text


def check_program(arguments: argparse.Namespace, facts: MachineFacts) -> tuple[str, list[Finding]]:
    """Return the program's era in words, and what was found in it."""
    words = arguments.module or arguments.text or arguments.program
    text, skipped = find_program(arguments, words[0])
    era = _era(arguments, text)
    shown = "-c" if arguments.text else words[0]
    if words[0] == "-":
        shown = text.file
    if arguments.module:
        shown = os.path.relpath(text.file)
    read = read_program(
        ProgramText(text.source, shown, Path(text.folder or "."), _cells(text)),
        is_tf1=era.is_old,
        era_reason=era.why,
        has_tf1_names=era.with_old_names,
        devices=devices_of(facts),
        skipped=skipped,
    )
    number = 1 if era.is_old else 2
    return f"{shown} (TensorFlow {number}: {era.why})", judge_program(read)


def find_program(
    arguments: argparse.Namespace, target: str
) -> tuple[Text, tuple[tuple[str, str], ...]]:
    """Return a program's text, and the lines of a notebook that are passed over."""
    skipped: list[tuple[str, str]] = []
    if arguments.module:
        text = program.find_text(target)
        if text is None:
            raise program.CannotRunError(f"No module named {target}", 1)
        return text, ()
    if arguments.text:
        return program.given_text(target, "<string>"), ()
    if target == "-":
        return program.given_text(sys.stdin.read(), "<stdin>"), ()

    def note(file: str, cell: notebook.Cell, line: str, what: str) -> None:
        skipped.append((f"{file}, cell {cell.number}", line.strip()))

    text = program.read_text(target, note)
    return text or program.archive_text(target), tuple(skipped)


def _cells(text: Text) -> tuple[tuple[int, str], ...]:
    """Return the first line and the label of each cell in the text of a notebook."""
    starts = []
    line = 1
    for cell in text.cells or ():
        starts.append((line, f"cell {cell.number}"))
        line += cell.text.count("\n") + 1
    return tuple(starts)


def _era(arguments: argparse.Namespace, text: Text) -> Era:
    if arguments.era:
        return Era(arguments.era == "tf1", f"--{arguments.era} says so")
    if text.asks_for_old:
        return Era(True, "%tensorflow_version 1.x says so")
    return judge(text.source, text.file, Path(text.folder))


def devices_of(facts: MachineFacts) -> Devices:
    """Return how many devices a program finds on a machine."""
    if facts.simulated is not None:
        machine = f"the simulated machine {facts.simulated!r}"
    else:
        machine = "this machine"
    return Devices(gpus=len(seen_by(facts).seen), machine=machine)
