"""The processes of a cluster's tasks: started, listened to, started again, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from typing import IO

from placewise.cli.cluster.layout import Task
from placewise.core.launcher import SERVING

_INTERVAL = 0.05
_GRACE_SECONDS = 10.0  # from the signal that asks a task to end to the one that ends it


class TaskProcess:
    """One task's process. What it prints comes out here, a line at a time, with its name."""

    def __init__(self, task: Task, command: list[str], environment: dict[str, str]) -> None:
        self.task, self._command, self._environment = task, command, environment
        self.restarts = 0
        self.start()

    def start(self) -> None:
        """Start it, or start it again. Its own group: signals reach what it starts, too."""
        self._is_serving = False
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        pipes = ((self._process.stdout, sys.stdout), (self._process.stderr, sys.stderr))
        self._readers = [
            threading.Thread(target=self._pass_on, args=pair, daemon=True) for pair in pipes
        ]
        for reader in self._readers:
            reader.start()

    def _pass_on(self, pipe: IO[bytes], out: IO[str]) -> None:
        prefix = f"[{self.task.name}] "
        for line in pipe:
            text = line.decode(errors="replace").rstrip("\r\n")
            if text == SERVING:
                self._is_serving = True
                continue
            with _printing:
                out.write(f"{prefix}{text}\n")
                out.flush()

    @property
    def status(self) -> int | None:
        """What it ended with; negative for a signal, None while it runs."""
        return self._process.poll()

    @property
    def only_serves(self) -> bool:
        """Whether it is a parameter server, or waits in `server.join()` for others to use it."""
        return self.task.job == "ps" or self._is_serving

    def signal(self, number: int) -> None:
        """Send a signal to the process and those it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def finish(self, deadline: float) -> None:
        """Wait until it has ended and all it printed is out; kill it at the deadline."""
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            self._process.wait()
        for reader in self._readers:
            reader.join(1.0)

    def describe_end(self) -> str:
        """Return how it ended, in words."""
        status = self._process.returncode
        if status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"


_printing = threading.Lock()


class Watch:
    """Watches the tasks of a cluster until they are done.

    A task that fails is started again while restarts are left. Without: a worker's failure leaves
    the others alone, a parameter server's or the chief's ends all. Tasks that only serve are ended
    when all others are done.
    """

    def __init__(self, processes: list[TaskProcess], restarts: int) -> None:
        self._processes, self._restarts = processes, restarts
        self._status = 0
        self._signal: int | None = None

    def run(self) -> int:
        """Return the exit status of the cluster: that of the first task that failed for good."""
        kept = {number: signal.signal(number, self._caught) for number in _SIGNALS}
        try:
            while self._goes_on():
                time.sleep(_INTERVAL)
        finally:
            self._end()
            for number, handler in kept.items():
                signal.signal(number, handler)
        return self._status if self._signal is None else 128 + self._signal

    def _caught(self, number: int, frame: object) -> None:
        self._signal = number

    def _goes_on(self) -> bool:
        if self._signal is not None:
            return False
        for process in list(self._processes):
            if process.status and not self._survives(process):
                return False
        return any(p.status is None and not p.only_serves for p in self._processes)

    def _survives(self, process: TaskProcess) -> bool:
        """Start a failed task again, or leave it out; False: the cluster cannot go on."""
        process.finish(time.monotonic() + 1.0)
        ended, task = process.describe_end(), process.task
        if process.restarts < self._restarts:
            process.restarts += 1
            again = f"started again ({process.restarts} of {self._restarts})"
            _say(f"{task.name} {ended}; {again}")
            process.start()
            return True
        self._status = self._status or _shell_status(process.status or 1)
        self._processes.remove(process)
        if task.job in ("ps", "chief", "master"):
            _say(f"{task.name} {ended}{_after(self._restarts)}; the other tasks are ended")
            return False
        left = any(not p.only_serves and p.status is None for p in self._processes)
        rest = "; the others go on" if left else ""
        _say(f"{task.name} {ended}{_after(self._restarts)}{rest}")
        return True

    def _end(self) -> None:
        running = [process for process in self._processes if process.status is None]
        for process in running:
            process.signal(self._signal or signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_SECONDS
        for process in self._processes:
            process.finish(deadline)


_SIGNALS: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _shell_status(status: int) -> int:
    return 128 - status if status < 0 else status


def _after(restarts: int) -> str:
    return f" after {restarts} restarts" if restarts else ""


def _say(message: str) -> None:
    with _printing:
        print(f"placewise run: {message}", file=sys.stderr, flush=True)
