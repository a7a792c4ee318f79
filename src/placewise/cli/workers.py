"""`placewise run --workers N`: tasks that train together, all on this machine.

Started, watched and restarted by torchrun's own launcher; each finds its task in TF_CONFIG.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import tempfile
import uuid
from typing import Any

from placewise.cli import program
from placewise.cli.cluster.layout import Task, local_tasks
from placewise.cli.errors import UnusableError
from placewise.cli.recording import check_files
from placewise.cli.restarts import Restarts, how_it_ended
from placewise.core import environment


def run_workers(arguments: argparse.Namespace) -> int:
    """Run the program in several workers; return the status of the first that failed."""
    given = arguments.module or arguments.text or arguments.program
    if not given or given[0] == "-":
        print("placewise run: --workers needs a SCRIPT, -m MODULE or -c TEXT", file=sys.stderr)
        return 2
    try:
        check_files(arguments)
        if arguments.program and not (arguments.module or arguments.text):
            program.check_file(given[0])
        tasks = local_tasks({"worker": arguments.workers})
    except (UnusableError, program.CannotRunError) as error:
        print(f"placewise run: {error}", file=sys.stderr)
        return 2
    return run_together(arguments, tasks)


def run_together(arguments: argparse.Namespace, tasks: list[Task]) -> int:
    """Run the program as tasks that start anew together; return the first failure's status."""
    from torch.distributed.elastic.multiprocessing import SignalException  # noqa: PLC0415 - a slow part of torch that few programs use
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError  # noqa: PLC0415 - a slow part of torch that few programs use
    from torch.distributed.launcher.api import launch_agent  # noqa: PLC0415 - a slow part of torch that few programs use

    for name in ("torch.distributed.elastic", "torch.distributed.launcher"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if arguments.restarts:
        Restarts()
    environment.put("PYTHONUNBUFFERED", "1")
    threads = max(1, (os.cpu_count() or 1) // len(tasks))
    environment.put_default("OMP_NUM_THREADS", str(threads))
    with tempfile.TemporaryDirectory(prefix="placewise-workers-") as folder:
        config, command = _config(arguments, tasks, folder), _command(arguments, tasks)
        try:
            launch_agent(config, sys.executable, command)
        except ChildFailedError as failed:
            return _told(failed, tasks, arguments.restarts)
        except SignalException as caught:
            return 128 + int(caught.sigval)
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
    return 0


def _config(arguments: argparse.Namespace, tasks: list[Task], folder: str) -> Any:
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std  # noqa: PLC0415 - a slow part of torch that few programs use
    from torch.distributed.launcher.api import LaunchConfig  # noqa: PLC0415 - a slow part of torch that few programs use

    are_workers = all(task.job == "worker" for task in tasks)
    if not are_workers:  # torchrun knows ranks, not jobs
        named = ", ".join(f"rank {rank} is {task.name}" for rank, task in enumerate(tasks))
        print(f"placewise run: {named}", file=sys.stderr)
    return LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=len(tasks),
        run_id=uuid.uuid4().hex,
        role="worker",
        rdzv_backend="c10d",
        rdzv_endpoint="127.0.0.1:0",
        local_addr="127.0.0.1",
        max_restarts=arguments.restarts,
        monitor_interval=0.1,
        log_line_prefix_template="[worker ${rank}] " if are_workers else "[rank ${rank}] ",
        shutdown_timeout=10,
        logs_specs=DefaultLogsSpecs(log_dir=folder, tee=Std.ALL),
    )


def _command(arguments: argparse.Namespace, tasks: list[Task]) -> list[str]:
    """Return what Python is started with: a worker, the tasks, and its options."""
    options = {**vars(arguments), "workers": None, "restarts": 0}
    return ["-m", "placewise.cli.worker", json.dumps({"tasks": tasks, "options": options})]


def _told(failed: Any, tasks: list[Task], restarts: int) -> int:
    """Say which task failed first, and return its status as a shell would have it."""
    rank, failure = failed.get_first_failure()
    status, how = failure.exitcode, how_it_ended(failure.exitcode)
    status = 128 - status if status < 0 else status
    again = f" after {restarts} restarts" if restarts else ""
    print(f"placewise run: {tasks[rank].name} {how}{again}", file=sys.stderr)
    return int(status)
