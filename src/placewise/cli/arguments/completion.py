"""The arguments of `placewise completion` and `placewise man`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.shared import add_examples

EXAMPLES = (
    ("source <(placewise completion bash)", "completion in this bash; put it into ~/.bashrc"),
    ("placewise completion zsh > ~/.zfunc/_placewise", "for zsh, in a folder of $fpath"),
    ("placewise completion fish | source", "completion in this fish"),
)
MAN_EXAMPLES = (
    ("placewise man | man -l -", "read it"),
    ("placewise man > placewise.1", "keep it"),
)


def add_completion(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    completion = commands.add_parser(
        "completion",
        help="print the completion script for a shell",
        description="Print a script that lets a shell complete commands, options, card models and "
        "files of placewise.",
        allow_abbrev=False,
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    add_examples(completion, EXAMPLES)


def add_man(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    man = commands.add_parser(
        "man",
        help="print the man page",
        description="Print the man page of placewise, in roff; it has the text of all --help.",
        allow_abbrev=False,
    )
    add_examples(man, MAN_EXAMPLES)
