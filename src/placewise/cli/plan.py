"""`placewise plan`: what a program needs and takes on machines that are not here.

Programs see how many GPUs there are, so machines with the same number share one dry run, in a
process of its own (`plan_processes`). The one with most GPUs goes first: of a program that uses one
and does not ask how many there are, it serves all machines.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from placewise.cli import program
from placewise.cli.errors import UnusableError
from placewise.cli.plan_processes import Group, PlanError, Workers
from placewise.cli.recording import check_files, write_plan_page
from placewise.cli.run import words_of
from placewise.core import environment
from placewise.devices import inventory
from placewise.devices.cards import find_model
from placewise.devices.cluster_machine import is_cluster
from placewise.devices.machine import parse_machine
from placewise.forecast.forecast import Forecast
from placewise.forecast.report import to_text
from placewise.forecast.scaling import CARD_COUNTS, measured_scaling

DOES_NOT_FIT, NOT_PLANNED = 1, 2


def plan(arguments: argparse.Namespace) -> int:
    """Plan the program that the arguments name, print it, and return the exit status."""
    try:
        words = words_of(arguments)
        if words[0] == "-":
            raise UnusableError("a program from standard input cannot be planned: give its file")
        check_files(arguments)
        machines = [_checked(text) for text in arguments.on or [_here()]]
        if not (arguments.module or arguments.text):
            program.check_file(words[0])
        forecasts = _forecasts(arguments, machines)
    except (UnusableError, PlanError, program.CannotRunError) as error:
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


def _groups(machines: Sequence[str], place: str | None) -> list[Group]:
    """Return the machines by their number of GPUs; placed automatically, each alone."""
    groups: dict[tuple[int, str], Group] = {}
    for text in dict.fromkeys(machines):
        cards = len(parse_machine(text))
        # Where automatic placement puts an op depends on the cards themselves.
        key = cards, "" if place is None else text
        groups.setdefault(key, Group(cards, [], [], [])).machines.append(text)
    ordered = sorted(groups.values(), key=lambda group: -group.cards)
    for position, group in enumerate(ordered):
        for other in ordered[position + 1 :]:
            group.smaller_machines.extend(other.machines)
    return ordered


def _forecasts(arguments: argparse.Namespace, machines: Sequence[str]) -> list[Forecast]:
    # A program that uses all cards is planned on other numbers of them, too.
    counts = {text: _counts(text) for text in machines if not is_cluster(text)}
    groups = _groups(machines, arguments.place)
    if arguments.place is None:
        for group in groups:
            of_same_size = {by_cards.get(group.cards, "") for by_cards in counts.values()}
            group.scaled_machines.extend(sorted(of_same_size - {"", *machines}))
    with Workers(arguments) as workers:
        forecasts = workers.run(groups)
        wider = [text for text in machines if text in counts and forecasts[text].uses_several_gpus]
        others = {machine for text in wider for machine in counts[text].values()}
        missing = _groups(sorted(others - set(forecasts)), arguments.place)
        forecasts |= workers.run(missing, has_spans=False, must_run=False)
    for text in wider:
        rows = measured_scaling(
            [forecasts[machine] for machine in counts[text].values() if machine in forecasts]
        )
        source = _source(sorted(set(counts[text]) - {row.cards for row in rows}))
        forecasts[text] = replace(forecasts[text], scaling=rows, scaling_source=source)
    return [forecasts[text] for text in machines]


def _source(missing: Sequence[int]) -> str:
    """Return how the rows of a program that uses several cards came about."""
    text = "the program planned on each number of cards"
    if missing:
        numbers = " and ".join(map(str, missing))
        text += f"; it makes no step on {numbers}: does it name its devices?"
    return text


def _counts(text: str) -> dict[int, str]:
    """Return machines with 1, 2, 4 and 8 cards of the first model, and the machine itself."""
    cards = parse_machine(text)
    first = cards[0]
    name = f"{first.name}:{first.total_bytes >> 20}MiB"
    counts = {count: f"{count}x{name}" for count in CARD_COUNTS}
    counts[len(cards)] = text
    return counts
