"""The command line as data: commands, options, and what may follow an option.

Read from the parser itself, so that completion and the man page know what the commands take.
"""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import dataclass
from typing import Literal

from placewise.devices.cards import MODELS

Values = Literal["none", "words", "machine", "file", "other"]
# What can be said for values that are neither files nor a fixed choice.
_USUAL = {"--gpus": ("free", "none"), "--device": ("GPU:0", "GPU:1")}


@dataclass(frozen=True, slots=True)
class Option:
    """An option. `values` says what follows it: nothing, one of `words`, a machine, a file."""

    names: tuple[str, ...]
    help: str
    values: Values = "none"
    words: tuple[str, ...] = ()
    metavar: str = ""

    @property
    def brief(self) -> str:
        """The help, as short as a list of choices needs it."""
        return textwrap.shorten(self.help, 60, placeholder=" …")


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what follows it, `words` of a choice or a program and its arguments."""

    name: str
    help: str
    description: str
    usage: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()
    takes_program: bool = False
    examples: tuple[tuple[str, str], ...] = ()


def describe(parser: argparse.ArgumentParser) -> tuple[Command, tuple[Command, ...]]:
    """Return the command line as a whole, and each of its commands."""
    (commands,) = (
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    helps = {entry.dest: entry.help or "" for entry in commands._choices_actions}
    return _command(parser, parser.prog, ""), tuple(
        _command(inner, name, helps[name]) for name, inner in commands.choices.items()
    )


def models() -> tuple[str, ...]:
    """Return the usual name of each card, for machines to simulate."""
    return tuple(model.aliases[0] for model in MODELS)


def _command(parser: argparse.ArgumentParser, name: str, text: str) -> Command:
    options: list[Option] = []
    words: tuple[str, ...] = ()
    takes_program = False
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        if action.option_strings:
            options.append(_option(action))
        elif action.choices:
            words = tuple(map(str, action.choices))
        else:
            takes_program = True
    return Command(
        name=name,
        help=text,
        description=parser.description or "",
        usage=" ".join(parser.format_usage().removeprefix("usage: ").split()),
        options=tuple(options),
        words=words,
        takes_program=takes_program,
        examples=examples_of(parser),
    )


def _option(action: argparse.Action) -> Option:
    names = tuple(action.option_strings)
    text = " ".join((action.help or "").split()) % vars(action) if action.help else ""
    if action.nargs == 0:
        return Option(names, text)
    metavar = str(action.metavar or action.dest.upper())
    if action.choices:
        words = tuple(map(str, action.choices))
        return Option(names, text, "words", words, "|".join(words))
    if metavar == "MACHINE":
        return Option(names, text, "machine", (), metavar)
    if "|" in metavar:
        return Option(names, text, "words", tuple(metavar.split("|")), metavar)
    if names[0] in _USUAL:
        return Option(names, text, "words", _USUAL[names[0]], metavar)
    if action.type is None and action.nargs != argparse.REMAINDER:
        return Option(names, text, "file", (), metavar)
    return Option(names, text, "other", (), metavar)


def examples_of(parser: argparse.ArgumentParser) -> tuple[tuple[str, str], ...]:
    """Return the examples at the end of a command's help: a command line, and what it does."""
    _, _, text = (parser.epilog or "").partition("examples:\n")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(zip(lines[::2], lines[1::2], strict=True))
