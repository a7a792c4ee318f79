"""The arguments of `placewise devices`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.shared import MACHINE, add_examples

EXAMPLES = (
    ("placewise devices", "the devices of this machine"),
    ("placewise devices --simulate 2xA100-80GB,V100", "those of another machine"),
    ("placewise devices --models", "the cards that --simulate knows"),
    ("placewise devices --json", "for programs"),
)


def add_devices(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    devices = commands.add_parser(
        "devices",
        help="every device, what uses it, and what hides it",
        description="Every device of this machine: its names in TensorFlow, CUDA and nvidia-smi, "
        "its memory and load, who uses it, and what hides it.",
        allow_abbrev=False,
    )
    devices.add_argument("--simulate", metavar="MACHINE", help=MACHINE)
    devices.add_argument(
        "--models", action="store_true", help="list the models of cards that --simulate knows"
    )
    devices.add_argument("--json", action="store_true", help="print JSON, for programs")
    add_examples(devices, EXAMPLES)
