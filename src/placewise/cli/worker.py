"""One task of `placewise run --workers` or `--cluster`: learns its task, then runs the program."""

from __future__ import annotations

import argparse
import ctypes
import json
import signal
import sys

from placewise.cli.cluster.launch import run_task
from placewise.cli.cluster.layout import Task
from placewise.core import environment

_PARENT_DEATH_SIGNAL = 1  # prctl's PR_SET_PDEATHSIG


def main(told: str) -> int:
    """Run the program as the task that the launcher, or torchrun's rank, names."""
    _end_with_launcher()
    read = json.loads(told)
    tasks = [Task(*task) for task in read["tasks"]]
    rank = read.get("rank")
    task = tasks[int(environment.read("RANK") or 0) if rank is None else rank]
    arguments = argparse.Namespace(**read["options"])
    return run_task(arguments, task, tasks, frozenset(read.get("flags", ())))


def _end_with_launcher() -> None:
    """Ask Linux for a signal when the launcher is killed: nobody else would end this process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
