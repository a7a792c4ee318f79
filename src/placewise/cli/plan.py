"""`placewise plan`: what a program needs and takes on machines that are not here.

Programs see how many GPUs there are, so machines with the same number share one dry run, in a
process of its own (`plan_worker`). The one with most GPUs goes first: of a program that uses one
and does not ask how many there are, it serves all machines.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from placewise.cli.errors import UnusableError
from placewise.cli.recording import check_files, write_plan_page
from placewise.cli.run import words_of
from placewise.core import environment
from placewise.core.activity import phase
from placewise.devices import inventory
from placewise.devices.cards import find_model
from placewise.devices.cluster_machine import is_cluster
from placewise.devices.machine import parse_machine
from placewise.forecast.forecast import Forecast, from_json
from placewise.forecast.report import to_text
from placewise.forecast.scaling import CARD_COUNTS, measured_scaling

DOES_NOT_FIT, NOT_PLANNED = 1, 2
_POLL_SECONDS = 0.05


class PlanError(Exception):
    """The program could not be planned; the message says why, and what the program printed."""


def plan(arguments: argparse.Namespace) -> int:
    """Plan the program that the arguments name, print it, and return the exit status."""
    try:
        words = words_of(arguments)
        if words[0] == "-":
            raise UnusableError("a program from standard input cannot be planned: give its file")
        check_files(arguments)
        machines = [_checked(text) for text in arguments.on or [_here()]]
        forecasts = _forecasts(arguments, machines)
    except (UnusableError, PlanError) as error:
        print(f"placewise plan: {error}", file=sys.stderr)
        return NOT_PLANNED
    except KeyboardInterrupt:
        return 130
    if not all(one.steps for one in forecasts):
        print(f"placewise plan: {_no_step(forecasts[0])}", file=sys.stderr)
        return NOT_PLANNED
    if arguments.report is not None:
        write_plan_page(arguments.report, forecasts, words[0])
    if arguments.json:
        machines_json = [one.to_json() for one in forecasts]
        print(json.dumps({"program": words, "machines": machines_json}, indent=2))
    else:
        print(to_text(forecasts))
    return 0 if all(one.fits for one in forecasts) else DOES_NOT_FIT


def _no_step(one: Forecast) -> str:
    why = {
        "program": "it ran to its end",
        "seconds": "--max-seconds ended it",
        "steps": "it was ended",
    }[one.ended]
    return (
        f"no training step was seen: {why}. A step is a Session.run, a call of a tf.function, a "
        "batch of fit or an eager tape that changes trainable variables."
    )


# Machines.


def _checked(text: str) -> str:
    try:
        cards = parse_machine(text)
    except ValueError as error:
        raise UnusableError(f"--on: {error}") from None
    if not cards:
        raise UnusableError(
            f"--on {text}: there is no GPU; each machine is compared with its CPU anyway"
        )
    return text


def _here() -> str:
    """Return the GPUs of this machine as a description."""
    simulated = environment.read("PLACEWISE_SIMULATE")
    if simulated:
        return simulated
    cards = [device.card for device in inventory.planned() if device.card is not None]
    names = [card.name for card in cards if find_model(card.name) is not None]
    if not names:
        raise UnusableError("which machine? there is no GPU here: write --on 4xV100, for example")
    return ",".join(names)


class _Group(NamedTuple):
    """Machines with the same number of GPUs, and those with fewer."""

    cards: int
    machines: list[str]
    smaller_machines: list[str]


def _groups(machines: Sequence[str]) -> list[_Group]:
    groups: dict[int, _Group] = {}
    for text in dict.fromkeys(machines):
        cards = len(parse_machine(text))
        groups.setdefault(cards, _Group(cards, [], [])).machines.append(text)
    ordered = sorted(groups.values(), key=lambda group: -group.cards)
    for position, group in enumerate(ordered):
        for other in ordered[position + 1 :]:
            group.smaller_machines.extend(other.machines)
    return ordered


def _forecasts(arguments: argparse.Namespace, machines: Sequence[str]) -> list[Forecast]:
    with _Workers(arguments) as workers:
        forecasts = workers.run(_groups(machines))
        # A program that uses all cards is planned on other numbers of them, too.
        wider = [t for t in machines if not is_cluster(t) and _uses_several(forecasts[t])]
        counts = {text: _counts(text) for text in wider}
        others = {machine for text in wider for machine in counts[text].values()}
        forecasts |= workers.run(_groups(sorted(others - set(forecasts))))
    for text in wider:
        rows = measured_scaling([forecasts[machine] for machine in counts[text].values()])
        source = "the program planned on each number of cards"
        forecasts[text] = replace(forecasts[text], scaling=rows, scaling_source=source)
    return [forecasts[text] for text in machines]


def _uses_several(one: Forecast) -> bool:
    return bool(one.steps) and sum(device.utilisation > 0 for device in one.devices) > 1


def _counts(text: str) -> dict[int, str]:
    """Return machines with 1, 2, 4 and 8 cards of the first model, and the machine itself."""
    cards = parse_machine(text)
    first = cards[0]
    name = f"{first.name}:{first.total_bytes >> 20}MiB"
    counts = {count: f"{count}x{name}" for count in CARD_COUNTS}
    counts[len(cards)] = text
    return counts


# Processes.


class _Workers:
    """Runs dry runs in processes, as many at a time as there are processors."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.options = {**vars(arguments), "on": None}
        self.is_verbose = arguments.verbose

    def __enter__(self) -> _Workers:
        self._folder = tempfile.TemporaryDirectory(prefix="placewise-plan-")
        return self

    def __exit__(self, *exception: object) -> None:
        self._folder.cleanup()

    def run(self, groups: Sequence[_Group]) -> dict[str, Forecast]:
        """Return the forecast of each machine."""
        waiting = list(groups)
        running: list[_Worker] = []
        forecasts: dict[str, Forecast] = {}
        is_first = True  # which may serve all others
        try:
            with phase("planning", f"on {', '.join(group.machines[0] for group in groups)}"):
                while waiting or running:
                    most = 1 if is_first else max(os.cpu_count() or 1, 1)
                    while waiting and len(running) < most:
                        running.append(self._start(waiting.pop(0)))
                    for worker in [one for one in running if one.process.poll() is not None]:
                        running.remove(worker)
                        forecasts |= worker.result()
                        is_first = False
                    waiting = [one for one in waiting if not forecasts.keys() >= {*one.machines}]
                    time.sleep(_POLL_SECONDS)
        finally:
            for worker in running:
                worker.process.kill()
                worker.process.wait()
        return forecasts

    def _start(self, group: _Group) -> _Worker:
        result = Path(self._folder.name, f"{group.cards}.json")
        printed = Path(self._folder.name, f"{group.cards}.txt")
        machines = {"machines": group.machines, "smaller_machines": group.smaller_machines}
        options = json.dumps({**self.options, **machines, "result": str(result)})
        command = [sys.executable, "-m", "placewise.cli.plan_worker", options]
        # What the program prints is of no use: its numbers have no contents.
        with printed.open("wb") as file:
            out = None if self.is_verbose else file
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr if self.is_verbose else file,
                stderr=out,
            )
        return _Worker(process, group, result, printed)


class _Worker(NamedTuple):
    process: subprocess.Popen[bytes]
    group: _Group
    file: Path
    printed: Path

    def result(self) -> dict[str, Forecast]:
        """Return the forecasts of a process that has ended; raise PlanError if it failed."""
        if not self.file.exists():
            text = self.printed.read_text(errors="replace").strip()
            lines = "\n".join(text.splitlines()[-30:])
            raise PlanError(
                f"the program failed on {self.group.machines[0]} (status "
                f"{self.process.returncode})" + (f":\n{lines}" if lines else "")
            )
        data: dict[str, Any] = json.loads(self.file.read_text())
        return {text: from_json(Forecast, one) for text, one in data.items()}
