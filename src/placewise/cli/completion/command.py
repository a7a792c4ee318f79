"""The command `placewise completion`."""

from __future__ import annotations

import argparse
import sys

from placewise.cli.completion import bash, fish, zsh
from placewise.cli.completion.described import describe
from placewise.cli.main import build_parser

_WRITERS = {"bash": bash.write, "zsh": zsh.write, "fish": fish.write}


def completion(arguments: argparse.Namespace) -> int:
    """Print the script for a shell."""
    sys.stdout.write(_WRITERS[arguments.shell](*describe(build_parser())))
    return 0
