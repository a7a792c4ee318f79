"""The man page and the examples of each command."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

from placewise.cli.completion.described import describe
from placewise.cli.main import build_parser
from placewise.cli.man import page

PROGRAM, COMMANDS = describe(build_parser())
EXAMPLES = [line for command in (PROGRAM, *COMMANDS) for line, _ in command.examples]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_command_has_examples(command: object) -> None:
    assert 2 <= len(command.examples) <= 4  # type: ignore[attr-defined]


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_can_be_run(line: str) -> None:
    """What stands before a pipe or inside `<(…)` is a command line that the parser takes."""
    text = line.removeprefix("source <(").rstrip(")").partition("|")[0].partition(">")[0]
    words = shlex.split(text)
    assert words[0] == "placewise"
    assert build_parser().parse_args(words[1:]).command == words[1]


def test_the_page_has_every_option_and_example() -> None:
    text = page(PROGRAM, COMMANDS, "1.2.3").replace("\\-", "-")
    assert '"placewise 1.2.3"' in text
    for command in COMMANDS:
        assert f".SS placewise {command.name}\n" in text
        assert all(name in text for option in command.options for name in option.names)
        assert all(line in text for line, _ in command.examples)


def test_lines_that_begin_with_a_dot_or_quote_are_no_requests() -> None:
    text = page(PROGRAM, COMMANDS, "1")
    known = (".TH", ".SH", ".SS", ".TP", ".B ", ".I ", ".PP", ".br")
    assert all(line.startswith(known) for line in text.splitlines() if line[0] in ".'")


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_has_nothing_to_complain_about() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"],
        input=page(PROGRAM, COMMANDS, "1"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "PLACEWISE(1)" in done.stdout
