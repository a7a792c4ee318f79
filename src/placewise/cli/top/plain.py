"""One frame of `top` as aligned text, for pipes and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from placewise.cli.sizes import NONE
from placewise.cli.top.cells import (
    CARD_FIGURES,
    CARD_HEADINGS,
    PROCESS_FIGURES,
    PROCESS_HEADINGS,
    card_cells,
    head_text,
    process_cells,
)
from placewise.cli.top.ordering import ordered
from placewise.cli.top.snapshot import Snapshot


def to_text(snapshot: Snapshot) -> str:
    """Return all of a frame; what no line has gets no column."""
    parts = [head_text(snapshot)]
    if snapshot.cards:
        parts.append(
            table(
                CARD_HEADINGS,
                [card_cells(line) for line in snapshot.cards],
                CARD_FIGURES,
            )
        )
        notes = (f"GPU {line.label}: {line.reading.note}" for line in snapshot.cards)
        parts += ["\n".join(note for note in notes if not note.endswith(": "))]
    if snapshot.processes:
        lines = ordered(snapshot.processes, "gpu")
        parts.append(
            table(PROCESS_HEADINGS, [process_cells(line) for line in lines], PROCESS_FIGURES)
        )
    parts.append("\n".join([*snapshot.remarks, *snapshot.events]))
    return "\n\n".join(part for part in parts if part) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], figures: frozenset[str]) -> str:
    """Return rows under headings, columns aligned; a column that is empty in all rows is left out.

    >>> print(table(("a", "b", "c"), [("1", "-", "x"), ("10", "-", "y")], frozenset({"a"})))
     a  c
     1  x
    10  y
    """
    rows = list(rows)
    kept = [
        place
        for place in range(len(headings))
        if place == 0 or any(row[place] != NONE for row in rows)
    ]
    lines = [[cells[place] for place in kept] for cells in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = [headings[place] in figures for place in kept]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )
