"""Which device each task gets, so that every card keeps to its limit and the step is shortest.

1. Tasks become clusters that move together (`clustering.py`).
2. Several placements are made: one card, cards filled in order, balanced, cut where copies are
   cheapest (`starts.py`), m-ETF and m-SCT (`list_scheduling.py`).
3. Those that exceed a limit are repaired; the quickest are improved by local search (`search.py`).

The same tasks give the same assignment. Cards filled in order are among the starts and among those
that the last choice is made from, so the result is never slower than they are by the clock that
makes that choice, which is the one that is reported.
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
    Clock,
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
# That the caller's clock chooses from, which takes longer than the search's own.
_FINALISTS, _FINALISTS_OF_SMALL = 1, 6
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
    clock: Clock | None = None,
) -> Assignment:
    """Return a device for each task.

    `link_between` says how long copies between two devices take. `overhead_seconds` is what a step
    takes beside its tasks, wherever they are: it makes small gains smaller. `visits` bounds the
    search; None is `VISITS`. `clock` has the last word among the best placements, and all durations
    of the assignment are its own; None: the clock of the search (`timing.py`). If no placement
    within the limits is found, the assignment says so (`fits`) and exceeds them least.
    Raises ValueError if tasks are not in order or groups contradict each other.
    """
    check(tasks, devices)
    problem = Problem(tasks, devices, link_between)
    single = grouped(problem)
    shapes = Shapes(problem, single)
    judge = _Judge(problem, clock, overhead_seconds)
    if not problem.choices or not single.movable():
        return _assignment(judge, shapes, on_one(shapes, 0), None, "no choice")
    large = joined(problem)
    effort = Effort(VISITS if visits is None else visits)
    starts = _starts(problem, shapes, Shapes(problem, large))
    fillings = [start for start in starts if start.method == _FILLED and not start.excess]
    searched = _searched(problem, single, large, starts, effort)
    finalists = [*_distinct(searched)[: _finalists(problem)], *fillings]
    best = min(finalists, key=judge.rate)
    alone = next(c for c in starts if c.method == "one card")
    if not alone.excess and judge.is_not_worth_spreading(best, alone):
        best = alone
    seconds = None if alone.excess else judge.seconds(alone.placed)
    result = _assignment(judge, shapes, best.placed, seconds, best.method)
    in_order = [
        _assignment(judge, shapes, filling.placed, seconds, filling.method)
        for filling in fillings
        if judge.is_served(filling.placed)
    ]
    return replace(result, in_order=tuple(in_order))


class _Judge:
    """The clock that has the last word."""

    def __init__(self, problem: Problem, clock: Clock | None, overhead_seconds: float) -> None:
        self.problem, self.clock = problem, clock
        # A clock of the caller's counts the overhead itself.
        self.overhead = overhead_seconds if clock is None else 0.0
        self.known: dict[tuple[int, ...], float | None] = {}

    def _time(self, placed: list[int]) -> float | None:
        key = tuple(placed)
        if key not in self.known:
            own = self.clock is None
            self.known[key] = step_seconds(self.problem, placed) if own else self._asked(placed)
        return self.known[key]

    def _asked(self, placed: list[int]) -> float | None:
        names = tuple(self.problem.devices[device].name for device in placed)
        return None if self.clock is None else self.clock(names)

    def is_served(self, placed: list[int]) -> bool:
        return self._time(placed) is not None

    def seconds(self, placed: list[int]) -> float:
        """Return the duration; of a placement that is refused the search's own estimate."""
        duration = self._time(placed)
        return step_seconds(self.problem, placed) if duration is None else duration

    def rate(self, candidate: _Candidate) -> tuple[object, ...]:
        """Return what makes one candidate better than another: the smaller one is."""
        placed = candidate.placed
        return candidate.excess, not self.is_served(placed), self.seconds(placed), candidate.rank

    def is_not_worth_spreading(self, best: _Candidate, alone: _Candidate) -> bool:
        longest = (self.seconds(alone.placed) + self.overhead) * _WORTH_SPREADING
        is_refused = self.is_served(best.placed) and not self.is_served(alone.placed)
        return not is_refused and self.seconds(best.placed) + self.overhead > longest


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
) -> list[_Candidate]:
    """Return the starts and what the search makes of them."""
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
    return found


def _finalists(problem: Problem) -> int:
    return _FINALISTS if problem.count > _SMALL else _FINALISTS_OF_SMALL


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
    judge: _Judge, shapes: Shapes, placed: list[int], alone: float | None, method: str
) -> Assignment:
    problem, seconds = judge.problem, judge.seconds(placed)
    peak_bytes = peaks(problem, placed)
    return Assignment(
        tuple(problem.devices[device].name for device in placed),
        tuple(reasons(shapes, placed, seconds, alone)),
        seconds,
        {device.name: peak for device, peak in zip(problem.devices, peak_bytes, strict=True)},
        not overflow(problem, peak_bytes),
        judge.is_served(placed),
        method=method,
    )
