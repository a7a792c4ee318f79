"""The order in which operations can run: each after those it depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def in_order(operations: Iterable[Any], before: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """Return operations, and all that `before` names, each after what `before` returns for it.

    Where there is a choice, by creation. A graph's operations are in order as they are created,
    unless an input was replaced afterwards: only then this walk is needed.
    """
    done: set[int] = set()
    result: list[Any] = []
    for root in operations:
        # A stack of its own: graphs are deeper than Python lets functions call themselves.
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            op, is_ready = stack.pop()
            if op.id in done:
                continue
            if is_ready:
                done.add(op.id)
                result.append(op)
            else:
                stack.append((op, True))
                later = sorted(before(op), key=lambda one: -one.id)
                stack.extend((one, False) for one in later if one.id not in done)
    return result
