"""`placewise man`: the man page in roff, from the same text as `--help`."""

from __future__ import annotations

import argparse
import sys
from importlib import metadata

from placewise.cli.completion.described import Command, Option, describe
from placewise.cli.main import build_parser

_FILES = (
    ("/run/lock/placewise-leases", "who has leased which GPU; PLACEWISE_LEASES names another"),
    ("/tmp/placewise-status-UID", "what running programs do; PLACEWISE_STATUS names another"),
)
_SEE = "nvidia-smi(1), python3(1), torchrun(1)"


def man(arguments: argparse.Namespace) -> int:
    """Print the man page."""
    del arguments
    program, commands = describe(build_parser())
    sys.stdout.write(page(program, commands, metadata.version("placewise")))
    return 0


def page(program: Command, commands: tuple[Command, ...], version: str) -> str:
    """Return the page of the whole command line."""
    lines = [
        f'.TH PLACEWISE 1 "" "placewise {version}" "User Commands"',
        ".SH NAME",
        f"placewise \\- {_escaped(program.description.rstrip('.'))}",
        ".SH SYNOPSIS",
        *(_synopsis(command) for command in commands),
        ".SH COMMANDS",
    ]
    for command in commands:
        lines += _command(command)
    lines += [".SH OPTIONS", *_options(program.options)]
    lines += [".SH FILES"]
    for name, text in _FILES:
        lines += [".TP", f".I {_escaped(name)}", _escaped(text)]
    lines += [".SH SEE ALSO", _escaped(_SEE)]
    return "\n".join(lines) + "\n"


def _synopsis(command: Command) -> str:
    rest = command.usage.removeprefix("placewise ").removeprefix(command.name).strip()
    return f".B placewise {command.name}\n{_escaped(rest)}\n.br"


def _command(command: Command) -> list[str]:
    lines = [f".SS placewise {command.name}", _escaped(command.description)]
    lines += _options(command.options)
    if command.examples:
        lines += [".PP", "Examples:"]
    for line, text in command.examples:
        lines += [".TP", f".B {_escaped(line)}", _escaped(text)]
    return lines


def _options(options: tuple[Option, ...]) -> list[str]:
    lines = []
    for option in options:
        value = f" \\fI{_escaped(option.metavar)}\\fR" if option.metavar else ""
        names = ", ".join(f"\\fB{_escaped(name)}\\fR{value}" for name in option.names)
        lines += [".TP", names, _escaped(option.help)]
    return lines


def _escaped(text: str) -> str:
    """Return text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return "\\&" + text if text.startswith((".", "'")) else text
