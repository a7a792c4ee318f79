"""The process that starts the dry runs of `placewise plan`, and a dry run.

Loading torch and Keras takes longer than most dry runs. On Linux they are loaded once, and each dry
run is a copy of the process; elsewhere copies are not safe, and each is a process of its own.
`plan_processes` is the other side.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from placewise.cli import frames, program
from placewise.cli.run import load, words_of
from placewise.core import environment
from placewise.forecast.dry_run import dry_run
from placewise.forecast.estimate import forecasts

_POLL_SECONDS = 0.02
_HEAVY = ("torch._dynamo", "keras")  # torch loads the first one when it infers shapes


class _Process(Protocol):
    """A dry run under way."""

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""

    def kill(self) -> None:
        """End it."""


def serve(folder: Path, arguments: argparse.Namespace) -> None:
    """Start the dry runs that are asked for, until the command has ended."""
    parent = os.getppid()
    start = _start_process
    if sys.platform == "linux":
        start = _start_copy
        _preload(arguments)
    running: dict[Path, _Process] = {}
    known: set[Path] = set()
    while not (folder / "end").exists() and folder.exists() and os.getppid() == parent:
        for path in set(folder.glob("*.request")) - known:
            known.add(path)
            running[path] = start(path, arguments)
        for path, process in list(running.items()):
            status = process.poll()
            if status is not None:
                del running[path]
                _write(path.with_suffix(".status"), str(status).encode())
        time.sleep(_POLL_SECONDS)
    for process in running.values():
        process.kill()


def _write(path: Path, data: bytes) -> None:
    """Write a file that is complete as soon as it is there."""
    unfinished = path.with_suffix(f"{path.suffix}.new")
    unfinished.write_bytes(data)
    unfinished.rename(path)


def _preload(arguments: argparse.Namespace) -> None:
    """Load what the program will load."""
    # What is wrong with the program shows in the dry run.
    with suppress(Exception, SystemExit):
        loaded = load(arguments, words_of(arguments)[0])
        if arguments.text or arguments.module:
            return
        text = Path(words_of(arguments)[0]).read_text(errors="replace")
        program.put_first(loaded.folder)  # as in the dry run: it may have modules of its own
        for name in _HEAVY if "keras" in text else _HEAVY[:1]:
            importlib.import_module(name)


def _start_process(path: Path, arguments: argparse.Namespace) -> _Process:
    options = json.dumps(vars(arguments))
    command = [sys.executable, "-m", "placewise.cli.plan_worker", str(path), options]
    with path.with_suffix(".txt").open("wb") as file:
        out = None if arguments.verbose else file
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)


def _start_copy(path: Path, arguments: argparse.Namespace) -> _Process:
    gc.collect()
    gc.freeze()  # what is loaded stays: collections of the copies need not look at it
    number = os.fork()
    if not number:
        if not arguments.verbose:
            file = os.open(path.with_suffix(".txt"), os.O_WRONLY | os.O_CREAT)
            os.dup2(file, 1)
            os.dup2(file, 2)
        _end(_status(path, arguments))
    return _Copy(number)


class _Copy:
    """A copy of this process."""

    def __init__(self, number: int) -> None:
        self._number = number

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        ended, status = os.waitpid(self._number, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if ended else None

    def kill(self) -> None:
        """End it."""
        os.kill(self._number, signal.SIGKILL)


def _status(path: Path, arguments: argparse.Namespace) -> int:
    """Run the program and return the exit status; its error is printed."""
    try:
        return run(path, arguments)
    except program.CannotRunError as error:
        print(error)
        return error.status
    except BaseException:
        frames.fold(False)
        sys.excepthook(*sys.exc_info())
        return 1


def _end(status: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of a program that was ended in the middle may wait for ever.
    os._exit(status)


def run(path: Path, arguments: argparse.Namespace) -> int:
    """Run the program on the first of the machines, and estimate its step on all of them."""
    request: dict[str, Any] = json.loads(path.read_text())
    words = words_of(arguments)
    machines: list[str] = request["machines"]
    seen = dry_run(
        lambda: program.execute(load(arguments, words[0]), words[1:]),
        machines[0],
        steps=arguments.steps,
        max_seconds=arguments.max_seconds,
    )
    if seen.serves_fewer_gpus and arguments.place is None:
        machines += request["smaller_machines"]
    results = forecasts(seen, machines, arguments.precision, request["has_spans"])
    if request["uses_several"] or any(one.uses_several_gpus for one in results):
        scaled = request["scaled_machines"]
        results += forecasts(seen, scaled, arguments.precision, has_spans=False)
    by_machine = {one.machine: one for one in results}
    _write(path.with_suffix(".pickle"), pickle.dumps(by_machine))
    return 0


def main(path: Path, options: str) -> int:
    """Serve a folder, or make the dry run of a request."""
    arguments = argparse.Namespace(**json.loads(options))
    if arguments.place is not None:
        environment.put("PLACEWISE_PLACE", arguments.place)
    if path.is_dir():
        serve(path, arguments)
        return 0
    return _status(path, arguments)


if __name__ == "__main__":
    _end(main(Path(sys.argv[1]), sys.argv[2]))
