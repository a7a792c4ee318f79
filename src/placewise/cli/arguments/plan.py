"""The arguments of `placewise plan`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.shared import add_era, add_examples, add_program, count, seconds

EXAMPLES = (
    ("placewise plan train.py", "does a step fit on the GPUs here, and what bounds it"),
    ("placewise plan --on 4xV100 --on 8xH100 train.py", "compare two machines"),
    ("placewise plan --on A100 --precision bf16 -m my.training --epochs 1", "in mixed precision"),
)


def add_plan(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    plan = commands.add_parser(
        "plan",
        help="whether a program fits on a machine, and how fast it would be",
        description="Run a program up to its first training steps with tensors that have shapes "
        "and no contents on the GPUs, and say what memory and time a step takes, what bounds it, "
        "and what is copied. Files that the program writes until then are written. Exit status: "
        "0 it fits on every machine, 1 it does not on one, 2 it could not be planned.",
        usage="placewise plan [--on MACHINE]... [options] (SCRIPT | NOTEBOOK | -m MODULE | "
        "-c TEXT) [ARGS...]",
        allow_abbrev=False,
    )
    plan.add_argument(
        "--on",
        metavar="MACHINE",
        action="append",
        help="the machine, again for each to compare; default: the GPUs that are here. "
        "[Nx]MODEL[:MEMORY][@LINK] such as K80, 4xV100@nvlink, 8xH100",
    )
    plan.add_argument(
        "--precision",
        choices=("auto", "fp32", "tf32", "fp16", "bf16"),
        default="auto",
        help="of products of float32: auto is tf32 where the card has it, fp16 and bf16 are mixed "
        "precision",
    )
    plan.add_argument(
        "--place",
        choices=("auto",),
        help="auto: choose devices for what asks for none, as run --place auto does",
    )
    plan.add_argument(
        "--steps",
        metavar="N",
        type=count,
        default=1,
        help="see so many training steps after the first (default 1)",
    )
    plan.add_argument(
        "--max-seconds",
        metavar="SECONDS",
        type=seconds,
        help="end the program after so long, whatever was seen",
    )
    plan.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page that shows the step over time on each machine",
    )
    plan.add_argument("--json", action="store_true", help="print JSON, for programs")
    add_era(plan)
    plan.add_argument("-v", "--verbose", action="store_true", help="show what the program prints")
    add_program(plan)
    add_examples(plan, EXAMPLES)
