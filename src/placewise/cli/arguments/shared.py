"""Arguments that several commands take, and the kinds of values arguments have."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence

MACHINE = (
    "pretend to be this machine: a comma list of [Nx]MODEL[/MIG-SLICE][:MEMORY][@BUS][@LINK], such "
    "as 4, 4xV100, K40c:2GiB@05:00.0, A100/MIG-1g.5gb or 0 for no GPU; or these machines: "
    "ps=1x0, worker=4x(8xV100)@25gbe"
)


Example = tuple[str, str]  # a command line, and what it does


def add_examples(parser: argparse.ArgumentParser, examples: Sequence[Example]) -> None:
    """End the help of a command with examples; the man page has the same."""
    parser.formatter_class = HelpFormatter
    parser.epilog = "examples:\n" + "\n".join(
        f"  {command}\n      {text}" for command, text in examples
    )


class HelpFormatter(argparse.HelpFormatter):
    """Lays out help as argparse does, and leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:\n"):
            return textwrap.indent(text, indent)
        return super()._fill_text(text, width, indent)


def add_era(parser: argparse.ArgumentParser) -> None:
    era = parser.add_mutually_exclusive_group()
    era.add_argument(
        "--tf1",
        dest="era",
        action="store_const",
        const="tf1",
        help="run as a TensorFlow 1 program (otherwise told from the names it uses)",
    )
    era.add_argument(
        "--tf2",
        dest="era",
        action="store_const",
        const="tf2",
        help="run as a TensorFlow 2 program",
    )


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add the program: everything after -m MODULE, -c TEXT or SCRIPT is its own."""
    parser.add_argument(
        "-m",
        dest="module",
        nargs=argparse.REMAINDER,
        metavar="MODULE",
        help="run a module, as python -m does",
    )
    parser.add_argument(
        "-c",
        dest="text",
        nargs=argparse.REMAINDER,
        metavar="TEXT",
        help="run a program given as text, as python -c does",
    )
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="SCRIPT", help="the program and its arguments"
    )


def count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def count_or_none(text: str) -> int:
    if int(text) < 0:
        raise ValueError
    return int(text)


def seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise ValueError
    return seconds


def interval(text: str) -> float:
    if not 0.1 <= seconds(text) <= 86400:
        raise ValueError
    return seconds(text)
