"""Runs samples in a process of their own, and another one after each that broke the GPU."""

from __future__ import annotations

import json
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
from placewise.core.environment import of_process

# A sample takes milliseconds; the first ones of a process load torch, and a GPU's own libraries.
PATIENCE_SECONDS = 90.0
MOST_RESTARTS = 15
_END = ""


class NotStartedError(Exception):
    """The process ended before it ran a sample; the message says why."""


@dataclass
class Supervisor:
    """Runs the samples on a GPU; `outcomes` yields what came of each, in order.

    `cases` are all samples and `facts` what torch told, once the first process runs. `program` is
    what Python runs there.
    """

    gpu_index: int
    environment: dict[str, str]
    program: tuple[str, ...] = ("-m", "placewise.check.worker")
    patience_seconds: float = PATIENCE_SECONDS
    cases: list[Case] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the outcome of each case, in order."""
        done = starts = 0
        while not starts or done < len(self.cases):
            if starts > MOST_RESTARTS:
                why = f"not run: the GPU stopped working {starts} times before"
                for op, sample in self.cases[done:]:
                    yield Outcome(op, sample, op, "skipped", why)
                return
            for outcome in self._run(done):
                done += 1
                yield outcome
            starts += 1

    def _run(self, first: int) -> Iterator[Outcome]:
        """Yield outcomes until all cases are done, or one ended the process."""
        with tempfile.TemporaryFile() as errors, self._process(first, errors) as lines:
            running: Case | None = None
            is_started = False
            while line := lines.read(self.patience_seconds):
                message = json.loads(line)
                if "facts" in message:
                    self.facts, self.cases, is_started = message["facts"], message["cases"], True
                elif "start" in message:
                    running = message["start"]
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
    def _process(self, first: int, errors: IO[bytes]) -> Iterator[_Lines]:
        process = subprocess.Popen(
            [sys.executable, *self.program, str(self.gpu_index), str(first)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=of_process(self.environment),
        )
        try:
            yield _Lines(process)
        finally:
            process.kill()
            process.wait()


class _Lines:
    """The lines a process writes, as they come."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        if self._process.stdout is not None:
            with self._process.stdout as pipe:
                for line in pipe:
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
