"""Reads the arguments of `placewise` and calls the command; each loads only what it needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any

from placewise.cli.arguments.check import add_check
from placewise.cli.arguments.completion import add_completion, add_man
from placewise.cli.arguments.devices import add_devices
from placewise.cli.arguments.parser import Parser
from placewise.cli.arguments.plan import add_plan
from placewise.cli.arguments.run import add_run
from placewise.cli.arguments.shared import add_examples
from placewise.cli.arguments.top import add_top
from placewise.cli.closed_pipe import quiet_when_closed

# Loaded when called: listing devices takes a fraction of what planning loads.
_COMMANDS = {
    "devices": "placewise.cli.devices:devices",
    "run": "placewise.cli.run:run",
    "run --workers": "placewise.cli.workers:run_workers",
    "run --cluster": "placewise.cli.cluster.launch:run_cluster",
    "plan": "placewise.cli.plan:plan",
    "check": "placewise.cli.check:check",
    "check --kernels": "placewise.cli.kernel_check:check_kernels",
    "top": "placewise.cli.top.command:top",
    "completion": "placewise.cli.completion.command:completion",
    "man": "placewise.cli.man:man",
}

EXAMPLES = (
    ("placewise run train.py", "run a program that was written for TensorFlow"),
    ("placewise run --simulate 4xV100 train.py", "the same, as if there were four V100"),
    ("placewise devices", "which GPUs there are, and what hides them"),
    ("placewise top", "what they do"),
)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser: argparse.ArgumentParser = Parser(
        prog="placewise",
        description="TensorFlow's device runtime, in Python, on PyTorch kernels.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="show the versions of placewise, torch, Python and the driver, and the cards",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_devices(commands)
    add_run(commands)
    add_plan(commands)
    add_check(commands)
    add_top(commands)
    add_completion(commands)
    add_man(commands)
    add_examples(parser, EXAMPLES)
    return parser


class _Version(argparse.Action):
    """Prints versions and ends; found out only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        with quiet_when_closed():
            print(resolve_name("placewise.cli.version:version_text")())
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = build_parser().parse_args(argv)
    command = resolve_name(_COMMANDS[_command_name(arguments)])
    status: int = 0
    if arguments.command == "run":  # a program's own closed pipe ends as it does under Python
        status = command(arguments)
    else:
        with quiet_when_closed():
            status = command(arguments)
    return status


def _command_name(arguments: argparse.Namespace) -> str:
    name: str = arguments.command
    if name == "run" and arguments.cluster is not None:
        return "run --cluster"
    if name == "run" and arguments.workers is not None:
        return "run --workers"
    if name == "check" and arguments.kernels:
        return "check --kernels"
    return name
