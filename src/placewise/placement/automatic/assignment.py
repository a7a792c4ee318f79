"""Which device each task gets, so that every card keeps to its limit and the step is shortest.

1. Tasks become clusters that move together (`clustering.py`).
2. Several placements are made: one card, cards filled in order, balanced, cut where copies are
   cheapest (`starts.py`), m-ETF and m-SCT (`list_scheduling.py`).
3. Those that exceed a limit are repaired; the quickest are improved by local search (`search.py`).

The same tasks give the same assignment. Cards filled in order are among the starts, so the result
is never slower than they are by the same estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from placewise.placement.automatic.clustering import Clusters, grouped, joined
from placewise.placement.automatic.filling import Shapes
from placewise.placement.automatic.list_scheduling import (
    earliest_task_first,
    small_communication_time,
)
from placewise.placement.automatic.memory import overflow, peaks
from placewise.placement.automatic.problem import Problem
from placewise.placement.automatic.reasons import reasons
from placewise.placement.automatic.search import Effort, Search
from placewise.placement.automatic.starts import beside_fixed, filled, on_one, starts_in_order
from placewise.placement.automatic.tasks import (
    Assignment,
    DeviceLimit,
    LinkBetween,
    Task,
    check,
)
from placewise.placement.automatic.timing import step_seconds

# About a second of work here; a step of 20,000 tasks gets some 60 moves, a small one thousands.
VISITS = 1_200_000
_IMPROVED_STARTS = 2  # of large steps
_IMPROVED_STARTS_OF_SMALL = 8
# Copies, and what they may disturb, are worth it only for a gain that is larger than the estimate's
# error between two placements of one step.
_WORTH_SPREADING = 0.9
_FILLED = "filled in order"
_SMALL = 2000  # tasks: below that, single groups are moved too


class _Candidate(NamedTuple):
    excess: int
    seconds: float
    rank: int  # among the starts: earlier ones win ties
    method: str
    placed: list[int]


def assign(
    tasks: Sequence[Task],
    devices: Sequence[DeviceLimit],
    link_between: LinkBetween,
    overhead_seconds: float = 0.0,
    visits: int | None = None,
) -> Assignment:
    """Return a device for each task.

    `link_between` says how long copies between two devices take. `overhead_seconds` is what a step
    takes beside its tasks, wherever they are: it makes small gains smaller. `visits` bounds the
    search; None is `VISITS`. If no placement within the limits is found, the assignment says so
    (`fits`) and exceeds them least.
    Raises ValueError if tasks are not in order or groups contradict each other.
    """
    check(tasks, devices)
    problem = Problem(tasks, devices, link_between)
    single = grouped(problem)
    shapes = Shapes(problem, single)
    if not problem.choices or not single.movable():
        placed = on_one(shapes, 0)
        return _assignment(problem, shapes, placed, None, "no choice")
    large = joined(problem)
    joined_shapes = Shapes(problem, large)
    effort = Effort(VISITS if visits is None else visits)
    starts = _starts(problem, shapes, joined_shapes)
    fillings = [start for start in starts if start.method == _FILLED and not start.excess]
    best = _searched(problem, single, large, starts, effort)
    alone = next(c for c in starts if c.method == "one card")
    longest = (alone.seconds + overhead_seconds) * _WORTH_SPREADING
    if not alone.excess and best.seconds + overhead_seconds > longest:
        best = alone
    seconds = None if alone.excess else alone.seconds
    result = _assignment(problem, shapes, best.placed, seconds, best.method)
    in_order = [
        _assignment(problem, shapes, filling.placed, seconds, filling.method)
        for filling in fillings
    ]
    return replace(result, in_order=tuple(in_order))


def _starts(problem: Problem, single: Shapes, large: Shapes) -> list[_Candidate]:
    starts = [("one card", on_one(large, problem.choices[0]))]
    if len(problem.choices) > 1:
        starts += starts_in_order(problem, large)
        # Without the joined clusters, too: what somebody who fills cards by hand would do.
        starts.append((_FILLED, filled(single).placed()))
        if any(device in problem.choices for device in problem.fixed):
            starts.append(("beside what is fixed", beside_fixed(single)))
        starts.append(("m-ETF", earliest_task_first(large).placed()))
        starts.append(("m-SCT", small_communication_time(large).placed()))
    return [_rated(problem, method, placed, n) for n, (method, placed) in enumerate(starts)]


def _rated(problem: Problem, method: str, placed: list[int], rank: int) -> _Candidate:
    excess = overflow(problem, peaks(problem, placed))
    return _Candidate(excess, step_seconds(problem, placed), rank, method, placed)


def _searched(
    problem: Problem, single: Clusters, large: Clusters, starts: list[_Candidate], effort: Effort
) -> _Candidate:
    """Return the best placement that the search finds from the starts."""
    search = Search(problem, large, effort)
    fine = Search(problem, single, effort)
    if all(start.excess for start in starts):
        starts = _repaired(problem, search, fine, starts)
    found: list[_Candidate] = []
    count = _improved_starts(problem)
    for position, start in enumerate(_distinct(starts)[:count]):
        found.append(start)
        if start.excess:
            continue
        # Each gets its part of what is left, so that the last one is tried at all.
        share = max(0, effort.left) // (count - position)
        own = Effort(share)
        search.effort = fine.effort = own
        placed, seconds = search.improve(start.placed, start.seconds)
        if problem.count <= _SMALL:
            placed, seconds = fine.improve(placed, seconds)
        effort.left -= share - max(0, own.left)
        found.append(_Candidate(0, seconds, start.rank, start.method, placed))
    return min(found)


def _improved_starts(problem: Problem) -> int:
    return _IMPROVED_STARTS if problem.count > _SMALL else _IMPROVED_STARTS_OF_SMALL


def _distinct(starts: list[_Candidate]) -> list[_Candidate]:
    """Return the starts, best first, without those that are placed like a better one."""
    return list({tuple(start.placed): start for start in sorted(starts, reverse=True)}.values())[
        ::-1
    ]


def _repaired(
    problem: Problem, search: Search, fine: Search, starts: list[_Candidate]
) -> list[_Candidate]:
    """Return the starts with clusters moved off full cards until everything fits."""
    repaired: list[_Candidate] = []
    for start in sorted(starts):
        placed = fine.repair(search.repair(start.placed))
        repaired.append(_rated(problem, f"{start.method}, repaired", placed, start.rank))
        if sum(not candidate.excess for candidate in repaired) >= _improved_starts(problem):
            break
    return repaired


def _assignment(
    problem: Problem,
    shapes: Shapes,
    placed: list[int],
    alone: float | None,
    method: str,
) -> Assignment:
    seconds = step_seconds(problem, placed)
    peak_bytes = peaks(problem, placed)
    return Assignment(
        tuple(problem.devices[device].name for device in placed),
        tuple(reasons(shapes, placed, seconds, alone)),
        seconds,
        {device.name: peak for device, peak in zip(problem.devices, peak_bytes, strict=True)},
        not overflow(problem, peak_bytes),
        method=method,
    )
