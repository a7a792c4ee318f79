"""Which processes are shown, and in which order: sort, filter, tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from placewise.cli.top.snapshot import ProcessLine
from placewise.monitor.readings import ProcessFacts

# What can be sorted by, in the order of the keys that choose it; large figures come first.
SORTS: dict[str, Callable[[ProcessLine], Any]] = {
    "gpu": lambda line: (not line.cards, line.cards, -(line.used_bytes or 0), line.pid),
    "memory": lambda line: (-(line.used_bytes or 0), line.pid),
    "rate": lambda line: (-(line.steps_per_second or 0), line.pid),
    "time": lambda line: (-(line.seconds or 0), line.pid),
    "user": lambda line: (line.user, line.pid),
    "pid": lambda line: line.pid,
    "command": lambda line: (line.command, line.pid),
}


def filtered(lines: Iterable[ProcessLine], text: str) -> list[ProcessLine]:
    """Return the lines in which each word of a text occurs: in pid, user, phase, GPU or command.

    `gpu:1` and `user:ann` look at these alone.
    """
    return [line for line in lines if all(_has(line, word) for word in text.lower().split())]


def _has(line: ProcessLine, word: str) -> bool:
    field, colon, wanted = word.partition(":")
    if colon and field == "gpu":
        return any(wanted == card or wanted == card.rpartition(" ")[2] for card in line.cards)
    if colon and field == "user":
        return wanted == line.user.lower()
    return any(
        word in text.lower()
        for text in (str(line.pid), line.user, line.phase, line.command, *line.cards)
    )


def ordered(lines: Iterable[ProcessLine], by: str, is_reversed: bool = False) -> list[ProcessLine]:
    """Return lines sorted by one of SORTS."""
    return sorted(lines, key=SORTS[by], reverse=is_reversed)


def as_tree(lines: list[ProcessLine], facts: dict[int, ProcessFacts]) -> list[ProcessLine]:
    """Return lines under the processes that started them, in the order they have.

    `facts` has the ancestors, too; one that started a single shown process alone is left out, and
    so is the first process of the machine.
    """
    known = {line.pid: line for line in lines}
    children: dict[int, list[int]] = {}
    shown = _joined(known, facts)
    for pid in shown:
        above = (ancestor for ancestor in _ancestors(pid, facts) if ancestor in shown)
        children.setdefault(next(above, 0), []).append(pid)
    tree: list[ProcessLine] = []

    def add(pid: int, depth: int) -> None:
        facts_of = facts.get(pid)
        line = known.get(pid)
        if line is None and facts_of is not None:
            line = ProcessLine(
                pid, facts_of.user, facts_of.uid, facts_of.start, facts_of.parent, facts_of.command
            )
        if line is not None:
            tree.append(replace(line, depth=depth))
        for child in children.get(pid, ()):
            add(child, depth + 1)

    for pid in children.get(0, ()):
        add(pid, 0)
    return tree


def _joined(known: dict[int, ProcessLine], facts: dict[int, ProcessFacts]) -> dict[int, None]:
    """Return the shown processes and every ancestor that joins two of them."""
    below: dict[int, int] = {}
    for pid in known:
        for ancestor in _ancestors(pid, facts):
            below[ancestor] = below.get(ancestor, 0) + 1
    joins = [
        pid
        for pid, count in below.items()
        if pid not in known
        and count > 1
        # An ancestor above a join that joins nothing more adds a line and no knowledge.
        and not any(below.get(child) == count for child in _children(pid, facts))
    ]
    return dict.fromkeys([*joins, *known])


def _children(pid: int, facts: dict[int, ProcessFacts]) -> list[int]:
    return [child for child, known in facts.items() if known.parent == pid]


def _ancestors(pid: int, facts: dict[int, ProcessFacts]) -> list[int]:
    ancestors = []
    known = facts.get(pid)
    while known is not None and known.parent > 1 and known.parent not in ancestors:
        ancestors.append(known.parent)
        known = facts.get(known.parent)
    return ancestors
