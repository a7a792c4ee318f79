"""A frame with the leases on its cards, as lines: what every output of `top` is made from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from placewise.cli.lease_files import Lease
from placewise.cli.sizes import to_size
from placewise.monitor.frame import Frame
from placewise.monitor.readings import CardReading, ProcessFacts, Use
from placewise.monitor.status import Status

SILENT_SECONDS = 5.0  # a program that publishes twice a second and has not for so long is stuck
ENDED = "ended"
_TOLD_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class CardLine:
    """A card or a MIG slice; `label` is what process lines call it."""

    label: str
    reading: CardReading
    is_slice: bool = False
    leases: tuple[Lease, ...] = ()


@dataclass(frozen=True, slots=True)
class ProcessLine:
    """A process on cards, a running placewise program, or the holder of a lease.

    `program` is what `placewise run` runs, if it is one of these.
    `depth` is its place in the tree, where that is shown. `is_known` is False for a process that
    is not among those of this machine.
    """

    pid: int
    user: str = ""
    uid: int | None = None
    start: int = 0
    parent: int = 0
    command: str = ""
    program: str = ""
    cards: tuple[str, ...] = ()
    used_bytes: int | None = None
    phase: str = ""
    steps: int | None = None
    steps_per_second: float | None = None
    seconds: float | None = None
    machine: str | None = None
    is_known: bool = True
    has_lease: bool = False
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All lines of a frame, and what must be said beside them.

    `remarks` hold as long as they are there; `events` are told in one frame only.
    """

    frame: Frame
    cards: tuple[CardLine, ...]
    processes: tuple[ProcessLine, ...]
    remarks: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    leases: tuple[Lease, ...] = field(default=())


Holders = Callable[[Lease], Sequence[int]]


def summarize(
    frame: Frame,
    held: Iterable[Lease] = (),
    gone: Iterable[Lease] = (),
    holders: Holders = lambda lease: (),
) -> Snapshot:
    """Return the lines of a frame; `held` are leases in force, `gone` those of ended processes.

    `holders` is asked which processes still hold the lease of one that is gone.
    """
    held, gone = tuple(held), tuple(gone)
    cards = tuple(_card_lines(frame.cards, held))
    lines: dict[int, ProcessLine] = {}
    for line in cards:
        for use in line.reading.uses:
            lines[use.pid] = _with_use(lines.get(use.pid) or _line(use.pid, frame), line, use)
    for entry in frame.programs:
        if entry.is_alive is not False:
            status = entry.status
            known = lines.get(status.pid) or _line(status.pid, frame)
            lines[status.pid] = _with_status(known, status, frame.time, entry.is_alive is not None)
    for lease in held:
        known = lines.get(lease.pid) or _line(lease.pid, frame, lease.command)
        seconds = known.seconds if known.seconds is not None else frame.time - lease.since
        lines[lease.pid] = replace(known, has_lease=True, seconds=seconds)
    remarks = (*_no_gpu(frame), *_dead_owners(frame, cards, held, holders))
    events = (*_deaths(frame), *map(_given_back, gone))
    return Snapshot(frame, cards, tuple(lines.values()), remarks, events, held)


def _card_lines(cards: Iterable[CardReading], held: tuple[Lease, ...]) -> Iterable[CardLine]:
    for card in cards:
        prefix = "sim " if card.simulated else "" if card.vendor == "nvidia" else f"{card.vendor} "
        label = f"{prefix}{card.index}"
        yield CardLine(label, card, leases=_leases_on(card, held))
        for part in card.slices:
            yield CardLine(f"{label}:{part.index}", part, True, _leases_on(part, held))


def _leases_on(card: CardReading, held: tuple[Lease, ...]) -> tuple[Lease, ...]:
    # Leases name a simulated card by its machine and its UUID, a real one by its UUID alone.
    own = card.uuid or card.bus_id
    return tuple(
        lease
        for lease in held
        if any(
            name.rpartition(": ")[2] == own and name.startswith("simulated ") == card.simulated
            for name in lease.cards
        )
    )


def _line(pid: int, frame: Frame, command: str = "") -> ProcessLine:
    facts: ProcessFacts | None = frame.facts.get(pid)
    if facts is None:
        return ProcessLine(pid, command=command, is_known=False, phase="" if command else ENDED)
    return ProcessLine(pid, facts.user, facts.uid, facts.start, facts.parent, facts.command)


def _with_use(line: ProcessLine, card: CardLine, use: Use) -> ProcessLine:
    used = line.used_bytes
    if use.used_bytes is not None:
        used = (used or 0) + use.used_bytes
    return replace(line, cards=(*line.cards, card.label), used_bytes=used)


def _with_status(line: ProcessLine, status: Status, now: float, is_here: bool) -> ProcessLine:
    silent = now - status.updated
    phase = status.phase
    if silent > SILENT_SECONDS:
        phase = f"silent {silent:.0f} s"
    elif phase not in ("starting", "training", "running"):
        phase = f"{phase} {max(int(now - status.phase_since), 0)} s"
    return replace(
        line,
        command=status.command,
        program=status.program,
        phase=phase,
        steps=status.steps,
        steps_per_second=status.steps_per_second,
        seconds=now - status.since,
        machine=status.machine,
        is_known=line.is_known and is_here,
    )


def _no_gpu(frame: Frame) -> list[str]:
    if frame.cards:
        return []
    why = "; ".join(frame.reasons)
    return [f"No GPU{': ' + why if why else ' was found'}."]


def _deaths(frame: Frame) -> list[str]:
    """Return a sentence for each program that ended without removing its status."""
    said = []
    for entry in frame.programs:
        status = entry.status
        # The file of another user stays where it is, and would be told of in every frame.
        is_told = status.uid == os.getuid() or frame.time - status.updated < _TOLD_SECONDS
        if entry.is_alive is False and is_told:
            last = time.strftime("%H:%M:%S", time.localtime(status.updated))
            said.append(
                f"pid {status.pid} ({status.program}) died without a word, last seen {last} "
                f"while {status.phase}, after {status.steps} steps"
            )
    return said


def _given_back(lease: Lease) -> str:
    return f"pid {lease.pid} ({lease.command}) had leased {_cards(lease)} and died: given back"


def _dead_owners(
    frame: Frame, cards: Iterable[CardLine], held: Iterable[Lease], holders: Holders
) -> list[str]:
    """Return a sentence for each lease, and each use of a card, whose process has died."""
    said = [
        f"pid {lease.pid} ({lease.command}) has leased {_cards(lease)} and is gone; "
        + _still_held(holders(lease))
        for lease in held
        if _is_gone(lease.pid, frame)
    ]
    for line in cards:
        for use in line.reading.uses:
            if _is_gone(use.pid, frame):
                size = "memory" if use.used_bytes is None else to_size(use.used_bytes)
                said.append(
                    f"pid {use.pid} holds {size} of GPU {line.label} and is not among this "
                    "machine's processes: it has died, or runs in another container"
                )
    return said


def _still_held(pids: Sequence[int]) -> str:
    if not pids:
        return "a process that it started still holds the lease, or it runs in another container"
    return f"the lease is still held by what it started: pid {', '.join(map(str, pids))}"


def _is_gone(pid: int, frame: Frame) -> bool:
    facts = frame.facts.get(pid)
    return facts is None or facts.is_zombie


def _cards(lease: Lease) -> str:
    count = len(lease.cards)
    return f"{count} GPU{'s' if count != 1 else ''}"
