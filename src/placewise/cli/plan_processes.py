"""The processes of `placewise plan`: dry runs, as many at a time as there are processors.

One process (`plan_worker`) loads what the program needs and starts the dry runs, on Linux as copies
of itself. Both sides talk by files of a temporary folder: `N.request` asks for a dry run,
`N.status` says that it has ended.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from placewise.core import environment
from placewise.core.activity import phase
from placewise.forecast.forecast import Forecast

_POLL_SECONDS = 0.05
_END_SECONDS = 5.0  # that the processes have to end in


class PlanError(Exception):
    """The program could not be planned; the message says why, and what the program printed."""


class Group(NamedTuple):
    """Machines that share a dry run."""

    cards: int
    machines: list[str]
    smaller_machines: list[str]  # with fewer GPUs, if the program uses one and does not ask
    scaled_machines: list[str]  # with as many, if the program uses several


class _Worker(NamedTuple):
    """One dry run that was asked for."""

    group: Group
    path: Path  # of its files, without their endings

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self.path.with_suffix(".status").exists()

    @property
    def has_result(self) -> bool:
        """Whether the program ran."""
        return self.path.with_suffix(".pickle").exists()

    def result(self) -> dict[str, Forecast]:
        """Return the forecasts of a process that has ended; raise PlanError if it failed."""
        if not self.has_result:
            status = self.path.with_suffix(".status").read_text()
            raise PlanError(
                f"the program failed on {self.group.machines[0]} (status {status})"
                + _last_lines(self.path.with_suffix(".txt"))
            )
        forecasts: dict[str, Forecast] = pickle.loads(self.path.with_suffix(".pickle").read_bytes())
        return forecasts


def _last_lines(file: Path) -> str:
    text = file.read_text(errors="replace").strip() if file.exists() else ""
    return ":\n" + "\n".join(text.splitlines()[-30:]) if text else ""


class Workers:
    """Asks for dry runs, and collects their forecasts."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._options = {**vars(arguments), "on": None}
        # Timelines of many replicas are long: they are made only for who asks for them.
        self._has_spans = arguments.json or arguments.report is not None
        self._count = 0

    def __enter__(self) -> Workers:
        self._folder = tempfile.TemporaryDirectory(prefix="placewise-plan-")
        command = [sys.executable, "-m", "placewise.cli.plan_worker", self._folder.name]
        # What the program prints is of no use: its numbers have no contents.
        with Path(self._folder.name, "server.txt").open("wb") as file:
            self._server = subprocess.Popen(
                [*command, json.dumps(self._options)],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr if self._options["verbose"] else file,
                stderr=None if self._options["verbose"] else file,
                # Programs and Keras iterate over sets of names: two plans of one program agree.
                env=environment.of_process({"PYTHONHASHSEED": "0"}),
            )
        return self

    def __exit__(self, *exception: object) -> None:
        Path(self._folder.name, "end").touch()
        try:
            self._server.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        self._folder.cleanup()

    def run(
        self, groups: Sequence[Group], has_spans: bool = True, must_run: bool = True
    ) -> dict[str, Forecast]:
        """Return the forecast of each machine; without `must_run`, of those where it runs."""
        waiting = list(groups)
        running: list[_Worker] = []
        forecasts: dict[str, Forecast] = {}
        is_first = True  # which may serve all others
        with phase("planning", f"on {', '.join(group.machines[0] for group in groups)}"):
            while waiting or running:
                most = 1 if is_first else max(os.cpu_count() or 1, 1)
                while waiting and len(running) < most:
                    uses_several = any(one.uses_several_gpus for one in forecasts.values())
                    running.append(self._start(waiting.pop(0), has_spans, uses_several))
                is_server_gone = self._server.poll() is not None
                for worker in [one for one in running if one.has_ended]:
                    running.remove(worker)
                    if must_run or worker.has_result:
                        forecasts |= worker.result()
                    is_first = is_server_gone = False
                waiting = [one for one in waiting if not forecasts.keys() >= {*one.machines}]
                if is_server_gone:
                    raise PlanError(self._why_it_is_gone())
                time.sleep(_POLL_SECONDS)
        return forecasts

    def _start(self, group: Group, has_spans: bool, uses_several: bool) -> _Worker:
        self._count += 1
        path = Path(self._folder.name, str(self._count))
        request: dict[str, Any] = group._asdict()
        request |= {"has_spans": has_spans and self._has_spans, "uses_several": uses_several}
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps(request))
        unfinished.rename(path.with_suffix(".request"))
        return _Worker(group, path)

    def _why_it_is_gone(self) -> str:
        status = self._server.returncode
        file = Path(self._folder.name, "server.txt")
        return f"the process that plans has ended (status {status}){_last_lines(file)}"
