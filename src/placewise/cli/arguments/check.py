"""The arguments of `placewise check`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.shared import MACHINE, add_era, add_examples, add_program

EXAMPLES = (
    ("placewise check", "why the GPU is not used, and what to do"),
    ("placewise check train.py", "what in a program will not work here; it is not run"),
    ("placewise check --kernels", "compare the first GPU with the CPU, operation by operation"),
    ("placewise check --kernels --device GPU:1 --json", "the second GPU, for a bug report"),
)


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = commands.add_parser(
        "check",
        help="why a GPU is not used, and what in a program will not work here",
        description="Look at this machine (driver, permissions, container, torch, environment, "
        "threads, disk) and at a program, if one is given, without running it. Each finding says "
        "what is wrong, why it matters, and the one fix. Exit status: 0 fine, 1 warnings, 2 no GPU "
        "can be used. With --kernels: run sample calls of every operation on a GPU and on the CPU, "
        "and print what differs (0 all is the same, 1 something differs or fails, 2 no GPU).",
        usage="placewise check [--simulate MACHINE] [--json] [options] "
        "[SCRIPT | NOTEBOOK | -m MODULE | -c TEXT] [ARGS...]",
        allow_abbrev=False,
    )
    check.add_argument(
        "--kernels",
        action="store_true",
        help="check each operation by itself: values, dtypes, shapes, gradients, memory",
    )
    check.add_argument(
        "--device",
        metavar="GPU:0",
        default="GPU:0",
        help="with --kernels: the GPU, as TensorFlow names it",
    )
    check.add_argument("--simulate", metavar="MACHINE", help=MACHINE)
    check.add_argument("--json", action="store_true", help="print JSON, for programs")
    add_era(check)
    add_program(check)
    add_examples(check, EXAMPLES)
