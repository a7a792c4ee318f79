"""Attempts at an assignment: how much of each card it may use, and how many of the cards.

Allocators round and leave gaps: of an assignment that fits by its sum, a tensor may find no block.
The replay of the allocators says so, and the next attempt uses less of each card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from placewise.cost.timeline import STEP_SECONDS
from placewise.placement.automatic.assignment import assign
from placewise.placement.automatic.tasks import Assignment, DeviceLimit
from placewise.planning.automatic.costs import Costs, kind_of, short_name
from placewise.planning.automatic.graph_tasks import GraphTasks

# A limit is used to the full only where nothing else fits, or where that is quicker.
_USED_PARTS = (0.97, 0.9, 0.8, 0.7)
SPARE_TENSORS = 1
# Tasks. The search adds little to the starts of larger steps, which fewer cards are among.
_MOST_TASKS = 2000


class SpareClock(Protocol):
    """A clock that refuses placements without room for so many more of the largest tensors."""

    spare_tensors: int

    def __call__(self, devices: tuple[str, ...]) -> float | None:
        """Return the duration of a step; None if the cards cannot serve it."""


def assigned(
    graph: GraphTasks, devices: Sequence[Any], free_bytes: Mapping[Any, int], clock: SpareClock
) -> Assignment:
    """Return an assignment that the allocators of the cards can serve, if one is found.

    A search over more cards may end at a worse place than one over fewer: the quicker one counts.
    """
    attempts = _Attempts(graph, devices, free_bytes, clock)
    cards = sum(device.is_accelerator for device in devices)
    best = attempts.best(cards)
    if len(graph.tasks) > _MOST_TASKS or best.method == "one card":
        return best
    for count in _fewer(cards):
        other = attempts.best(count)
        if _is_usable(other) and (not _is_usable(best) or other.seconds < best.seconds):
            best = other
    return best


def _fewer(cards: int) -> list[int]:
    """Return the powers of two from 2 to below a number."""
    return [1 << power for power in range(1, cards.bit_length()) if 1 << power < cards]


def _is_usable(assignment: Assignment) -> bool:
    return assignment.fits and assignment.is_served


class _Attempts:
    def __init__(
        self,
        graph: GraphTasks,
        devices: Sequence[Any],
        free_bytes: Mapping[Any, int],
        clock: SpareClock,
    ) -> None:
        self.graph, self.devices, self.free_bytes, self.clock = graph, devices, free_bytes, clock
        self.link_between = Costs(devices).link_between

    def best(self, cards: int) -> Assignment:
        """Return the best assignment over the first cards.

        Best is one that they serve with room to spare for the largest tensors: what a plan does in
        place or in another order changes where gaps are. Room is given up where that is quicker.
        """
        best = self._with_room(cards)
        if best is None:
            return self._attempt(cards, 1.0, 0)
        # Cards filled in order to the last byte may be quicker; only the starts are tried here.
        full = self._attempt(cards, 1.0, 0, visits=0)
        if _is_usable(full) and full.seconds < best.seconds:
            full = self._attempt(cards, 1.0, 0)
            if _is_usable(full) and full.seconds < best.seconds:
                return full
        return best

    def _with_room(self, cards: int) -> Assignment | None:
        """Return an assignment that leaves some of each card, as much as is possible."""
        for spare in (SPARE_TENSORS, 0):
            for part in _USED_PARTS:
                assignment = self._attempt(cards, part, spare)
                if _is_usable(assignment):
                    return assignment
                if not assignment.fits:
                    break  # less of each card would not do either
        return None

    def _attempt(
        self, cards: int, part: float, spare: int, visits: int | None = None
    ) -> Assignment:
        self.clock.spare_tensors = spare
        limits = limits_of(self.devices, self.free_bytes, part, cards)
        return assign(self.graph.tasks, limits, self.link_between, STEP_SECONDS, visits, self.clock)


def limits_of(
    devices: Sequence[Any],
    free_bytes: Mapping[Any, int],
    part: float = 1.0,
    cards: int | None = None,
) -> list[DeviceLimit]:
    """Return the devices as the search has them: a part of their memory, the first cards."""
    choices = [device for device in devices if device.is_accelerator][:cards]
    return [
        DeviceLimit(
            short_name(device),
            kind_of(device),
            int(part * free_bytes[device]) if device in free_bytes else None,
            device in choices,
        )
        for device in devices
    ]
