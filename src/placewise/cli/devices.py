"""`placewise devices`: every device, what uses it, and what hides it.

A table for a terminal (the only case that loads rich), aligned text for a pipe, JSON for programs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TextIO

from placewise.cli import leases
from placewise.cli.errors import UnusableError
from placewise.cli.models import models_as_json, write_models
from placewise.cli.settings import checked_machine
from placewise.cli.sizes import NONE
from placewise.cli.table import HEADER, Line, lines, remarks, to_json
from placewise.devices.inventory import simulate
from placewise.devices.report import Machine, describe_machine


def devices(arguments: argparse.Namespace) -> int:
    """Print the devices of this machine or of a simulated one, or the models there are."""
    if arguments.models:
        _print_models(as_json=arguments.json)
        return 0
    if arguments.simulate is not None:
        try:
            simulate(checked_machine(arguments.simulate))
        except UnusableError as error:
            print(f"placewise devices: {error}", file=sys.stderr)
            return 2
    try:
        machine = describe_machine()
    except ValueError as error:
        print(f"placewise devices: PLACEWISE_SIMULATE: {error}", file=sys.stderr)
        return 2
    _print(machine, as_json=arguments.json)
    return 0


def _print_models(*, as_json: bool) -> None:
    if as_json:
        import json  # noqa: PLC0415 - few programs need it

        print(json.dumps(models_as_json(), indent=2))
    else:
        write_models(sys.stdout)


def _print(machine: Machine, *, as_json: bool) -> None:
    if as_json:
        import json  # noqa: PLC0415 - few programs need it

        print(json.dumps(to_json(machine, leases.current()), indent=2))
    elif sys.stdout.isatty():
        draw(machine)
    else:
        write(machine, sys.stdout)


def write(machine: Machine, out: TextIO) -> None:
    """Write the machine as plain, aligned text."""
    body = lines(machine, leases.current())
    rows = [HEADER[:-1], *(line[:-1] for line in body)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    notes = ["", *(line.note for line in body)]
    for row, note in zip(rows, notes, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.write("  ".join([*cells, note]).rstrip() + "\n")
    said = remarks(machine)
    if said:
        out.write("\n" + "\n".join(said) + "\n")


def draw(machine: Machine) -> None:
    """Draw the machine on a terminal, as wide as it is."""
    from rich.console import Console  # noqa: PLC0415 - few programs need it
    from rich.table import Table  # noqa: PLC0415 - few programs need it
    from rich.text import Text  # noqa: PLC0415 - few programs need it

    console = Console(highlight=False)
    body = lines(machine, leases.current())
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    columns = _columns(body)
    for field in columns:
        table.add_column(
            _TITLES.get(field, getattr(HEADER, field)),
            justify="right" if field in _NUMBERS else "left",
            no_wrap=field != "model",
            overflow="fold",
        )
    for line in body:
        style = "dim" if line.note else "green" if line.tensorflow.startswith("GPU") else ""
        cells = [Text(getattr(line, field), style=style) for field in columns]
        if console.width >= _WIDE and line.uuid != NONE:
            # For copying into CUDA_VISIBLE_DEVICES; a narrow terminal has better uses for the room.
            cells[columns.index("model")].append("\n" + line.uuid, style="dim")
        table.add_row(*cells)
    console.print(table)
    said = [*_notes(body), *remarks(machine)]
    console.print(Text("\n".join(["", *said] if said else [])), end="\n" if said else "")


_NUMBERS = ("cuda", "smi", "capability", "memory", "load")
# A heading in two lines where its column is narrower.
_TITLES = {
    "tensorflow": "Tensor\nFlow",
    "smi": "nvidia\n-smi",
    "capability": "capa-\nbility",
    "memory": "memory\nused / total",
}
_WIDE = 110


def _columns(body: Sequence[Line]) -> list[str]:
    """Return the fields worth a column: those that are not empty for all devices."""
    fields = [field for field in Line._fields if field not in ("uuid", "note")]
    always = ("tensorflow", "model", "memory")
    return [
        field
        for field in fields
        if field in always or any(getattr(line, field) != NONE for line in body)
    ]


def _notes(body: Sequence[Line]) -> list[str]:
    """Return each note once, with the cards it is about."""
    about: dict[str, list[str]] = {}
    for line in body:
        if line.note:
            about.setdefault(line.note, []).append(
                line.bus_id if line.bus_id != NONE else line.model
            )
    return [f"{', '.join(cards)}: {note}" for note, cards in about.items()]
