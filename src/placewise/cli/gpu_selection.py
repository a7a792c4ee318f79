"""Which GPUs a program gets: the value of `--gpus` as what CUDA_VISIBLE_DEVICES is set to.

A number says how many, a list which, in the numbering the program would see without the option.
`free` and `free:N` choose among those with free memory that nobody has leased, and lease them.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from placewise.cli import leases
from placewise.cli.errors import NoneFreeError, UnusableError
from placewise.cli.lease_files import Lease
from placewise.cli.lease_folder import UnavailableError
from placewise.devices.report import Machine, Row

# A card counts as free when this much of its memory is, unless `--memory` says how much is needed.
FREE_FRACTION = 0.9
_PAUSE_SECONDS = 0.2


class Wanted(NamedTuple):
    """`free:2` as data: how many, or None for all that are free."""

    number: int | None


def parse_free(gpus: str) -> Wanted | None:
    """Return what `free` or `free:N` asks for, or None if the value is another.

    >>> parse_free("free:2"), parse_free("free"), parse_free("0,1")
    (Wanted(number=2), Wanted(number=None), None)
    """
    word, colon, count = gpus.partition(":")
    if word.strip() != "free":
        return None
    if not colon:
        return Wanted(None)
    if not (count.isdecimal() and int(count)):
        raise UnusableError(f"--gpus {gpus}: how many? such as free:2")
    return Wanted(int(count))


def identity(machine: Machine, row: Row) -> str:
    """Return what names a card for all processes of this machine; simulated ones by their machine.

    Two runs that simulate the same machine share its cards, as they would the real one.
    """
    own = row.card.uuid or row.card.bus_id
    return own if machine.simulated is None else f"simulated {machine.simulated}: {own}"


def lease_free(machine: Machine, gpus: str, needed_bytes: float | None, wait_seconds: float) -> str:
    """Choose free GPUs and lease them in one step; return them as CUDA_VISIBLE_DEVICES has them."""
    wanted = parse_free(gpus) or Wanted(None)
    rows = [row for row in machine.rows if row.tensorflow]
    if not rows or (wanted.number or 1) > len(rows):
        raise UnusableError(
            f"--gpus {gpus}: this process sees {len(rows)} usable GPU{'s' * (len(rows) != 1)}"
        )
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            return _lease(machine, rows, gpus, wanted, needed_bytes)
        except NoneFreeError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE_SECONDS)


def _lease(
    machine: Machine, rows: list[Row], gpus: str, wanted: Wanted, needed_bytes: float | None
) -> str:
    known = {identity(machine, row): row for row in rows}

    def choose(taken: dict[str, list[Lease]]) -> list[str]:
        why = {
            card: _why_not(row, taken.get(card, []), needed_bytes) for card, row in known.items()
        }
        free = [card for card, reason in why.items() if not reason]
        # Most free memory first; among equals in CUDA's order.
        free.sort(key=lambda card: -_free_bytes(known[card]))
        chosen = free if wanted.number is None else free[: wanted.number]
        if len(chosen) < (wanted.number or 1):
            raise NoneFreeError(_all_taken(gpus, wanted, len(free), known, why))
        return sorted(chosen, key=lambda card: known[card].cuda_index or 0)

    try:
        chosen = leases.take(choose)
    except UnavailableError as error:
        raise UnusableError(f"--gpus {gpus}: {error}") from None
    return ",".join(_entry(machine, known[card]) for card in chosen)


def _entry(machine: Machine, row: Row) -> str:
    # UUIDs hold whatever the order is; a simulated card has a number as short as a real one's.
    if machine.simulated is None and row.card.uuid.startswith(("GPU-", "MIG-")):
        return row.card.uuid
    return str(row.cuda_order)


def _free_bytes(row: Row) -> int:
    return row.reading.total_bytes - row.reading.used_bytes


def _why_not(row: Row, holders: list[Lease], needed_bytes: float | None) -> str:
    if holders:
        return "; ".join(map(str, holders))
    total = row.reading.total_bytes
    needed = FREE_FRACTION * total if needed_bytes is None else needed_bytes
    if _free_bytes(row) >= needed:
        return ""
    used = ", ".join(f"pid {process.pid} ({process.name})" for process in row.reading.processes)
    mib = 1 << 20
    return f"{_free_bytes(row) // mib} of {total // mib} MiB free" + (f": {used}" if used else "")


def _all_taken(
    gpus: str, wanted: Wanted, free: int, known: dict[str, Row], why: dict[str, str]
) -> str:
    asked = wanted.number or 1
    said = "no GPU is free" if not free else f"{free} of the {asked} GPUs asked for are free"
    lines = [f"--gpus {gpus}: {said}"]
    for card, row in known.items():
        name = row.tensorflow[0].removeprefix("/device:")
        lines.append(f"  {name} {row.card.name}: {why[card] or 'free'}")
    return "\n".join(
        [*lines, "  --wait SECONDS waits for one; --gpus 0,1 shares those of your choice"]
    )


def share(machine: Machine, visible: str) -> list[str]:
    """Note that this process uses the GPUs of `visible`, so that `free` leaves them alone.

    Returns a line for each that another process has leased already.
    """
    entries = [entry.strip() for entry in visible.split(",")]
    rows = [
        row
        for row in machine.rows
        if str(row.cuda_order) in entries
        or any(entry[:1].isalpha() and row.card.uuid.startswith(entry) for entry in entries)
    ]
    known = {identity(machine, row): row for row in rows}
    also: list[str] = []

    def choose(taken: dict[str, list[Lease]]) -> list[str]:
        for card, row in known.items():
            who = f"{row.card.name} (CUDA {row.cuda_order})"
            also.extend(f"{who} is also used by {lease}" for lease in taken.get(card, []))
        return list(known)

    try:
        leases.take(choose)
    except UnavailableError:
        return []  # nobody can lease here, so there is nobody to tell
    return also
