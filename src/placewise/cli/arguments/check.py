"""The arguments of `placewise check`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.shared import MACHINE, add_examples

EXAMPLES = (
    ("placewise check --kernels", "compare the first GPU with the CPU, operation by operation"),
    ("placewise check --kernels --device GPU:1 --json", "the second GPU, for a bug report"),
)


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = commands.add_parser(
        "check",
        help="whether a GPU computes what the CPU does",
        description="Run sample calls of every operation on a GPU of this machine and on its CPU, "
        "and print what differs. Exit status: 0 all is the same, 1 something differs or fails, "
        "2 there is no GPU.",
        allow_abbrev=False,
    )
    check.add_argument(
        "--kernels",
        action="store_true",
        required=True,
        help="check each operation by itself: values, dtypes, shapes, gradients, memory",
    )
    check.add_argument(
        "--device", metavar="GPU:0", default="GPU:0", help="the GPU, as TensorFlow names it"
    )
    check.add_argument("--simulate", metavar="MACHINE", help=MACHINE)
    check.add_argument("--json", action="store_true", help="print JSON, for a bug report")
    add_examples(check, EXAMPLES)
