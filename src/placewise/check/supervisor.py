"""Runs samples in a process of their own, and another one after each that broke the GPU."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from placewise.check.outcome import Case, Outcome

# A sample takes milliseconds; the first ones of a process load torch, and a GPU's own libraries.
PATIENCE_SECONDS = 90.0
MOST_RESTARTS = 15
_END = ""


class NotStartedError(Exception):
    """The process ended before it ran a sample; the message says why."""


@dataclass
class Supervisor:
    """Runs cases on a GPU; `outcomes` yields what came of each, `facts` is what torch told."""

    gpu_index: int
    environment: dict[str, str]
    patience_seconds: float = PATIENCE_SECONDS
    facts: dict[str, Any] = field(default_factory=dict)
    restarts: int = 0

    def outcomes(self, cases: list[Case]) -> Iterator[Outcome]:
        """Yield the outcome of each case, in order."""
        left = list(cases)
        while left:
            if self.restarts > MOST_RESTARTS:
                why = f"not run: the GPU stopped working {self.restarts} times before"
                yield from (Outcome(op, sample, op, "skipped", why) for op, sample in left)
                return
            for outcome in self._run(tuple(left)):
                left.pop(0)
                yield outcome
            self.restarts += bool(left)

    def _run(self, cases: tuple[Case, ...]) -> Iterator[Outcome]:
        """Yield outcomes until all cases are done, or one ended the process."""
        with tempfile.TemporaryFile() as errors, self._process(cases, errors) as lines:
            running: Case | None = None
            is_started = False
            while line := lines.read(self.patience_seconds):
                message = json.loads(line)
                if "facts" in message:
                    self.facts, is_started = message["facts"], True
                elif "start" in message:
                    running = (message["start"][0], message["start"][1])
                else:
                    running = None
                    yield Outcome(**message["outcome"])
            is_silent = line is None
            status = lines.end(is_silent)
            errors.seek(0)
            why = _why(status, is_silent, self.patience_seconds, errors.read())
            if not is_started:
                raise NotStartedError(why)
            if running is not None:
                op, sample = running
                yield Outcome(op, sample, op, "fails", why, has_broken_the_device=True)

    @contextmanager
    def _process(self, cases: tuple[Case, ...], errors: IO[bytes]) -> Iterator[_Lines]:
        process = subprocess.Popen(
            [sys.executable, "-m", "placewise.check.worker", str(self.gpu_index)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **self.environment},
        )
        try:
            _opened(process.stdin).write(json.dumps(cases).encode())
            _opened(process.stdin).close()
            yield _Lines(process)
        finally:
            process.kill()
            process.wait()
            _opened(process.stdout).close()


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    """Return a pipe that Popen was asked for."""
    if pipe is None:
        raise ValueError("the process was started without a pipe")
    return pipe


class _Lines:
    """The lines a process writes, as they come."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        for line in _opened(self._process.stdout):
            self._lines.put(line.decode())
        self._lines.put(_END)

    def read(self, patience_seconds: float) -> str | None:
        """Return the next line; empty at the end, None if none came in time."""
        try:
            return self._lines.get(timeout=patience_seconds)
        except queue.Empty:
            return None

    def end(self, is_silent: bool) -> int:
        """Return the exit status; a process that does not answer, or does not end, is killed."""
        if is_silent:
            self._process.kill()
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def _why(status: int, is_silent: bool, patience_seconds: float, errors: bytes) -> str:
    """Return why a process ended before it was done, with the last it wrote."""
    if is_silent:
        return f"no answer in {patience_seconds:g} seconds"
    how = f"exit status {status}"
    if status < 0:
        how = signal.Signals(-status).name
    written = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    asserted = [line for line in written if "ssert" in line]
    last = (asserted or written)[-1:]
    return f"the process ended: {how}" + (f": {last[0].strip()[:300]}" if last else "")
