"""The arguments of `placewise run`."""

from __future__ import annotations

import argparse

from placewise.cli.arguments.parser import Parser
from placewise.cli.arguments.shared import (
    MACHINE,
    add_era,
    add_examples,
    add_program,
    count,
    count_or_none,
    seconds,
)
from placewise.devices.settings import PLACES
from placewise.watchdog.settings import ASKED_SECONDS

EXAMPLES = (
    ("placewise run train.py --epochs 3", "an unmodified program; what follows it is its own"),
    ("placewise run --simulate 4xV100 train.py", "as if this machine had four V100"),
    ("placewise run --gpus free:2 --memory 0.5 train.py", "two free GPUs, half of each"),
    ("placewise run --workers 2 -m my.training", "two workers of a cluster, on this machine"),
)


def add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
        type=seconds,
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
    add_era(run)
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
        type=count,
        help="start N workers of a cluster on this machine, each with its own TF_CONFIG, for "
        "tf.distribute.MultiWorkerMirroredStrategy",
    )
    run.add_argument(
        "--restarts",
        metavar="K",
        type=count_or_none,
        default=0,
        help="with --workers: start all anew, up to K times, when one of them fails; with "
        "parameter servers in --cluster: start the one that failed, up to K times each",
    )
    run.add_argument(
        "--watch",
        metavar="SECONDS",
        type=seconds,
        help="say when the program stands still for SECONDS, and where each of its threads is; "
        f"--watch alone: {ASKED_SECONDS:g} s. SECONDS follow an equals sign",
    )
    if isinstance(run, Parser):
        run.implied["--watch"] = f"{ASKED_SECONDS:g}"
    run.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page that shows where ops ran and why, over time, with copies and memory; "
        "with --workers one a worker",
    )
    run.add_argument(
        "--trace",
        metavar="FILE.json.gz",
        help="write the same as a trace for Perfetto and chrome://tracing",
    )
    add_cluster(run)
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
    add_program(run)
    add_examples(run, EXAMPLES)


def add_cluster(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--cluster",
        metavar="JOBS",
        help="start a whole cluster, such as ps=2,worker=4: a process for each task, with "
        "TF_CONFIG and, where the program defines them, the flags --ps_hosts, --worker_hosts, "
        "--job_name and --task_index",
    )
    run.add_argument(
        "--hosts",
        metavar="HOSTS",
        help="with --cluster: print the command of each task on these machines (a,b,c:2300)",
    )
    run.add_argument(
        "--ssh",
        action="store_true",
        help="with --hosts: start the tasks over ssh instead",
    )
    run.add_argument(
        "--task",
        metavar="JOB:N",
        help="with --cluster and --hosts: run this one task, here",
    )
