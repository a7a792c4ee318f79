"""`placewise run --cluster ps=2,worker=4`: starts every task, here or on the machines of `--hosts`.

Tasks with parameter servers live and die on their own. A cluster without them trains together, so
that torchrun's launcher starts and restarts it (`cli/workers.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from placewise.cli import program
from placewise.cli.cluster.flags import defined_flags, task_arguments
from placewise.cli.cluster.layout import (
    Task,
    addresses,
    local_tasks,
    parse_cluster,
    share_of,
    tasks_on,
)
from placewise.cli.cluster.machines import print_commands, ssh_command
from placewise.cli.cluster.processes import TaskProcess, Watch
from placewise.cli.errors import UnusableError
from placewise.cli.run import run
from placewise.cli.workers import run_together
from placewise.core import environment
from placewise.devices.cluster_machine import is_cluster, parse_cluster_machine


def run_cluster(arguments: argparse.Namespace) -> int:
    """Run the program as all tasks of a cluster, or as the one that `--task` names."""
    try:
        return _run(arguments)
    except (UnusableError, program.CannotRunError) as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return 2


def _run(arguments: argparse.Namespace) -> int:
    words = _words(arguments)
    counts = parse_cluster(arguments.cluster)
    tasks = tasks_on(arguments.hosts, counts) if arguments.hosts else local_tasks(counts)
    flags = defined_flags(_text(arguments, words[0]))
    if arguments.task is not None:
        return run_task(arguments, _named(arguments.task, tasks), tasks, flags)
    if arguments.hosts and not arguments.ssh:
        print_commands(arguments, tasks)
        return 0
    is_alone = "ps" not in counts and "job_name" not in flags
    if is_alone and not arguments.hosts:
        return run_together(arguments, tasks)
    return _run_apart(arguments, tasks, flags)


def _words(arguments: argparse.Namespace) -> list[str]:
    words: list[str] = arguments.module or arguments.text or arguments.program
    if not words or words[0] == "-":
        raise UnusableError("--cluster needs a SCRIPT, -m MODULE or -c TEXT")
    if (arguments.ssh or arguments.task is not None) and not arguments.hosts:
        raise UnusableError(f"{'--ssh' if arguments.ssh else '--task'} needs --hosts a,b,c")
    if arguments.workers is not None:
        raise UnusableError("--workers N is --cluster worker=N: give one of them")
    return words


def _text(arguments: argparse.Namespace, target: str) -> program.Text | None:
    if arguments.module:
        return program.find_text(target)
    return program.given_text(target, "<string>") if arguments.text else program.read_text(target)


def _named(name: str, tasks: list[Task]) -> Task:
    job, _, index = name.partition(":")
    for task in tasks:
        if (task.job, str(task.number)) == (job, index or "0"):
            return task
    known = ", ".join(f"{task.job}:{task.number}" for task in tasks)
    raise UnusableError(f"--task {name}: the cluster has {known}")


def run_task(
    arguments: argparse.Namespace, task: Task, tasks: list[Task], flags: frozenset[str]
) -> int:
    """Run the program as one task, in this process."""
    config = {"cluster": addresses(tasks), "task": {"type": task.job, "index": task.number}}
    environment.put("TF_CONFIG", json.dumps(config))
    words = arguments.module or arguments.text or arguments.program
    words += task_arguments(flags, task, tasks, words[1:])
    share = share_of(task, tasks)
    gpus = "none" if share is None else arguments.gpus
    options = vars(arguments) | {"gpus": gpus, "share": share, "cluster": None, "restarts": 0}
    options["task_name"] = f"{task.job}-{task.number}"  # in the names of files it writes
    if is_cluster(arguments.simulate):
        options["simulate"] = _machine_of(arguments.simulate, task)
    return run(argparse.Namespace(**options))


def _machine_of(text: str, task: Task) -> str:
    """Return the machine of a task in the description of a simulated cluster."""
    try:
        described = {(one.job, one.task): one.machine for one in parse_cluster_machine(text)}
    except ValueError as error:
        raise UnusableError(f"--simulate {text}: {error}") from None
    machine = described.get((task.job, task.number))
    if machine is None:
        raise UnusableError(f"--simulate {text} describes no machine of {task.name}")
    return machine


def _run_apart(arguments: argparse.Namespace, tasks: list[Task], flags: frozenset[str]) -> int:
    threads = max(1, (os.cpu_count() or 1) // len(tasks))
    environment.put("PYTHONUNBUFFERED", "1")
    environment.put_default("GRPC_VERBOSITY", "ERROR")  # a task that ends is no news to the others
    environment.put_default("OMP_NUM_THREADS", str(threads))
    variables = environment.of_process({"PLACEWISE_LAUNCHED": "1"})

    def start(task: Task) -> TaskProcess:
        if arguments.hosts:
            return TaskProcess(task, ssh_command(arguments, task), variables)
        return TaskProcess(task, _local_command(arguments, task, tasks, flags), variables)

    return Watch([start(task) for task in tasks], arguments.restarts).run()


def _local_command(
    arguments: argparse.Namespace, task: Task, tasks: list[Task], flags: frozenset[str]
) -> list[str]:
    told = {
        "tasks": tasks,
        "rank": tasks.index(task),
        "flags": sorted(flags),
        "options": vars(arguments),
    }
    return [sys.executable, "-m", "placewise.cli.worker", json.dumps(told)]
