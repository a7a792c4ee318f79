"""The arguments of `placewise top`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.shared import MACHINE, add_examples, interval

EXAMPLES = (
    ("placewise top", "watch cards and programs; q quits, k ends a process after a question"),
    ("placewise top --once", "one frame, as text"),
    ("placewise top --csv --interval 10 > load.csv", "a line for each card every ten seconds"),
    ("placewise top --json | python -m json.tool", "one frame, for programs"),
)


def add_top(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    top = commands.add_parser(
        "top",
        help="live view of cards, and of the programs on them",
        description="Load, memory, temperature and power of every card, the processes on them, "
        "leases, and running placewise programs with their phase and step rate. On a terminal a "
        "live view (needs the package textual), else one frame as text.",
        allow_abbrev=False,
    )
    top.add_argument("--simulate", metavar="MACHINE", help=MACHINE)
    top.add_argument("--once", action="store_true", help="print one frame as text and end")
    form = top.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON, for programs")
    form.add_argument("--csv", action="store_true", help="print CSV, for tables")
    top.add_argument(
        "--interval",
        metavar="SECONDS",
        type=interval,
        help="time between frames (default 2 in the live view); with --json, --csv or a pipe: go "
        "on with a frame every so often",
    )
    add_examples(top, EXAMPLES)
