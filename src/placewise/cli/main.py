"""Reads the arguments of `placewise` and calls the command; each loads only what it needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pkgutil import resolve_name

from placewise import __version__
from placewise.devices.settings import PLACES

# Loaded when called: listing devices takes a fraction of what planning loads.
_COMMANDS = {
    "devices": "placewise.cli.devices:devices",
    "run": "placewise.cli.run:run",
    "run --workers": "placewise.cli.workers:run_workers",
    "plan": "placewise.cli.plan:plan",
    "check": "placewise.cli.check:check",
}
MACHINE = (
    "pretend to be this machine: a comma list of [Nx]MODEL[/MIG-SLICE][:MEMORY][@BUS][@LINK], such "
    "as 4, 4xV100, K40c:2GiB@05:00.0, A100/MIG-1g.5gb or 0 for no GPU"
)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="placewise",
        description="TensorFlow's device runtime, in Python, on PyTorch kernels.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_devices(commands)
    _add_run(commands)
    _add_plan(commands)
    _add_check(commands)
    return parser


def _version() -> str:
    return f"placewise (TensorFlow {__version__} namespace)"


def _add_devices(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    devices = commands.add_parser(
        "devices",
        help="every device, what uses it, and what hides it",
        description="Every device of this machine: its names in TensorFlow, CUDA and nvidia-smi, "
        "its memory and load, who uses it, and what hides it.",
        allow_abbrev=False,
    )
    devices.add_argument("--simulate", metavar="MACHINE", help=MACHINE)
    devices.add_argument("--json", action="store_true", help="print JSON, for programs")


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="run a program written for TensorFlow",
        description="Run an unmodified program; `import tensorflow` in it means placewise.",
        usage="placewise run [options] (SCRIPT | NOTEBOOK | - | -m MODULE | -c TEXT) [ARGS...]",
        allow_abbrev=False,
    )
    run.add_argument("--simulate", metavar="MACHINE", help=MACHINE)
    run.add_argument(
        "--place",
        choices=PLACES,
        help="where operations run that ask for no device: auto, over all GPUs so that they fit "
        "and a step is shortest; first, on the first GPU (default)",
    )
    run.add_argument(
        "--gpus",
        metavar="GPUS",
        help="the GPUs the program sees: how many (2), which (0,2), none, free (those with free "
        "memory that no other run has) or free:2; free ones are leased until the program ends",
    )
    run.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_seconds,
        help="with --gpus free: how long to wait until enough are free",
    )
    run.add_argument(
        "--log-placement", action="store_true", help="say for each operation where it runs"
    )
    run.add_argument(
        "--memory",
        metavar="growth|0.4|4GiB",
        help="how much of each GPU the program may have: taken as needed, a part of it, or a size",
    )
    _add_era(run)
    soft = run.add_mutually_exclusive_group()
    soft.add_argument(
        "--soft",
        action="store_true",
        default=None,
        help="an operation that cannot run where it was asked to runs elsewhere",
    )
    soft.add_argument(
        "--strict",
        dest="soft",
        action="store_false",
        help="an operation that cannot run where it was asked to is an error",
    )
    run.add_argument(
        "--workers",
        metavar="N",
        type=_count,
        help="start N workers of a cluster on this machine, each with its own TF_CONFIG, for "
        "tf.distribute.MultiWorkerMirroredStrategy",
    )
    run.add_argument(
        "--restarts",
        metavar="K",
        type=_count_or_none,
        default=0,
        help="with --workers: start all anew, up to K times, when one of them fails",
    )
    run.set_defaults(share=None)  # which of how many workers this is
    run.add_argument(
        "--traceback",
        choices=("short", "full"),
        default="short",
        help="full: with the frames inside placewise",
    )
    run.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="say which TensorFlow the program is for and why, and which GPUs it got",
    )
    _add_program(run)


def _add_era(parser: argparse.ArgumentParser) -> None:
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


def _add_program(parser: argparse.ArgumentParser) -> None:
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


def _add_plan(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
        type=_count,
        default=1,
        help="see so many training steps after the first (default 1)",
    )
    plan.add_argument(
        "--max-seconds",
        metavar="SECONDS",
        type=_seconds,
        help="end the program after so long, whatever was seen",
    )
    plan.add_argument("--json", action="store_true", help="print JSON, for programs")
    _add_era(plan)
    plan.add_argument("-v", "--verbose", action="store_true", help="show what the program prints")
    _add_program(plan)


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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


def _count(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def _count_or_none(text: str) -> int:
    if int(text) < 0:
        raise ValueError
    return int(text)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise ValueError
    return seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = build_parser().parse_args(argv)
    name = arguments.command
    if name == "run" and arguments.workers is not None:
        name = "run --workers"
    status: int = resolve_name(_COMMANDS[name])(arguments)
    return status
