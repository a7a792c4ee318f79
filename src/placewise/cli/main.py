"""Reads the arguments of `placewise` and calls the command; each loads only what it needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pkgutil import resolve_name

from placewise import __version__
from placewise.cli.arguments.check import add_check
from placewise.cli.arguments.devices import add_devices
from placewise.cli.arguments.plan import add_plan
from placewise.cli.arguments.run import add_run

# Loaded when called: listing devices takes a fraction of what planning loads.
_COMMANDS = {
    "devices": "placewise.cli.devices:devices",
    "run": "placewise.cli.run:run",
    "run --workers": "placewise.cli.workers:run_workers",
    "run --cluster": "placewise.cli.cluster.launch:run_cluster",
    "plan": "placewise.cli.plan:plan",
    "check": "placewise.cli.check:check",
}


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="placewise",
        description="TensorFlow's device runtime, in Python, on PyTorch kernels.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_devices(commands)
    add_run(commands)
    add_plan(commands)
    add_check(commands)
    return parser


def _version() -> str:
    return f"placewise (TensorFlow {__version__} namespace)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = build_parser().parse_args(argv)
    name = arguments.command
    if name == "run" and arguments.cluster is not None:
        name = "run --cluster"
    elif name == "run" and arguments.workers is not None:
        name = "run --workers"
    status: int = resolve_name(_COMMANDS[name])(arguments)
    return status
