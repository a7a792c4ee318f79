"""The commands that start a cluster's tasks on other machines."""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from placewise.cli.cluster.layout import Task

# What of `run`'s options is said again to each machine, with the word that says it.
_VALUES = {
    "simulate": "--simulate",
    "place": "--place",
    "gpus": "--gpus",
    "wait": "--wait",
    "memory": "--memory",
    "cluster": "--cluster",
    "hosts": "--hosts",
}


def command_of(arguments: argparse.Namespace, task: Task, start: list[str]) -> list[str]:
    """Return the words that run one task on its machine; `start` begins the command there."""
    words = [*start, "run"]
    for name, option in _VALUES.items():
        value = getattr(arguments, name)
        if value is not None:
            words += [option, str(value)]
    words += ["--task", f"{task.job}:{task.number}"]
    for name, option in (("log_placement", "--log-placement"), ("verbose", "--verbose")):
        if getattr(arguments, name):
            words.append(option)
    if arguments.era:
        words.append(f"--{arguments.era}")
    if arguments.soft is not None:
        words.append("--soft" if arguments.soft else "--strict")
    if arguments.traceback == "full":
        words += ["--traceback", "full"]
    if arguments.module:
        return [*words, "-m", *arguments.module]
    return [*words, *(["-c", *arguments.text] if arguments.text else arguments.program)]


def print_commands(arguments: argparse.Namespace, tasks: list[Task]) -> None:
    """Print what to type on which machine."""
    for task in tasks:
        command = shlex.join(command_of(arguments, task, ["placewise"]))
        print(f"{task.host}: {command}")


def ssh_command(arguments: argparse.Namespace, task: Task) -> list[str]:
    """Return the command that runs a task over ssh, in this folder, with this Python.

    With a terminal of its own (-tt) the task gets a hangup when ssh ends, and does not go on alone.
    """
    there = shlex.join(command_of(arguments, task, [sys.executable, "-m", "placewise"]))
    place = f"cd {shlex.quote(os.getcwd())} && PLACEWISE_LAUNCHED=1 exec {there}"
    return ["ssh", "-tt", "-o", "BatchMode=yes", str(task.host), place]
