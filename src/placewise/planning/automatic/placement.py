"""Where the operations of a graph run when nobody says: over all cards, within their memory.

The placer decides first as ever. What took the first GPU only for want of anything better is then
assigned to the cards so that each keeps to its limit and the step is shortest; the placer decides
again with that. Requests, colocation and resources are the placer's, and stay.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from placewise.core.log import is_first
from placewise.devices import claims
from placewise.memory import ledgers
from placewise.placement.automatic.reasons import size_text
from placewise.placement.automatic.tasks import Assignment
from placewise.placement.decision import Choice
from placewise.placement.placer import Placement, place
from placewise.planning.automatic.attempts import SPARE_TENSORS, assigned
from placewise.planning.automatic.costs import Costs, short_name
from placewise.planning.automatic.graph_tasks import GraphTasks
from placewise.planning.automatic.replay import is_served
from placewise.planning.automatic.sizes import Shape, Sizes
from placewise.planning.automatic.training_step import in_step
from placewise.planning.passes.prune import needed

_log = logging.getLogger("tensorflow")


@dataclass(frozen=True)
class Request:
    """What the placer is asked: its own arguments."""

    operations: list[Any]
    devices: tuple[Any, ...]
    soft: bool | None
    kept: Mapping[Any, Any] = field(default_factory=dict)
    fixed: Mapping[Any, Any] = field(default_factory=dict)
    default: Any = None
    is_tf1: bool = False

    def place(self, chosen: Mapping[Any, Choice] | None = None, ask: bool = False) -> Placement:
        """Return the placer's answer."""
        return place(
            self.operations,
            self.devices,
            self.soft,
            dict(self.kept),
            dict(self.fixed),
            self.default,
            self.is_tf1,
            chosen,
            ask,
        )


@dataclass(frozen=True)
class Circumstances:
    """What is known of the run that a graph is placed for."""

    shapes: Mapping[Any, Shape] = field(default_factory=dict)  # of tensors that are fed or passed
    fed: Sequence[Any] = ()  # tensors that come from the host
    results: Sequence[Any] = ()  # tensors that live on after the run
    counted: Iterable[Any] = ()  # operations whose memory is in use already
    free_bytes: Mapping[Any, int] = field(default_factory=dict)  # device → what may be taken of it


def place_automatically(request: Request, circumstances: Circumstances) -> Placement:
    """Return the placement of a graph over all cards."""
    cards = [device for device in request.devices if device.is_accelerator]
    base = request.place(ask=True)
    # A function that is called under a device request has its device already.
    if len(cards) < 2 or request.default is not None or not base.undecided:
        return base
    tasks = _tasks(request, circumstances, base)
    clock = _Clock(request, tasks, base, circumstances.free_bytes)
    assignment = assigned(tasks, request.devices, circumstances.free_bytes, clock)
    if not assignment.fits:
        _say_that_it_does_not_fit(assignment, cards, circumstances.free_bytes)
    assignment = replace(assignment, has_assumed_sizes=tasks.has_assumed_sizes)
    return _placed(request, tasks, assignment, base)


class _Clock:
    """The duration of a step on the timeline, of placements that the cards' allocators serve."""

    def __init__(
        self, request: Request, tasks: GraphTasks, base: Placement, free_bytes: Mapping[Any, int]
    ) -> None:
        self.request, self.tasks, self.base, self.free_bytes = request, tasks, base, free_bytes
        self.costs = Costs(request.devices)
        self.spare_tensors = SPARE_TENSORS
        self.known: dict[tuple[str, ...], float] = {}

    def __call__(self, devices: tuple[str, ...]) -> float | None:
        if not is_served(self.tasks, devices, self.free_bytes, self.spare_tensors):
            return None
        if devices not in self.known:
            assignment = Assignment(devices, ("",) * len(devices), 0.0, {}, fits=True)
            placed = _placed(self.request, self.tasks, assignment, self.base)
            self.known[devices] = self.tasks.timeline_seconds(self.costs, placed.devices)
        return self.known[devices]


def _placed(
    request: Request, tasks: GraphTasks, assignment: Assignment, base: Placement
) -> Placement:
    cards = [device for device in request.devices if device.is_accelerator]
    chosen = _choices(tasks, assignment, base, cards)
    return replace(request.place(chosen), assignment=assignment)


def _tasks(request: Request, circumstances: Circumstances, base: Placement) -> GraphTasks:
    operations = needed(list(request.operations), [])
    costs = Costs(request.devices)
    return GraphTasks(
        operations,
        Sizes(operations, circumstances.shapes),
        base.devices,
        base.undecided,
        in_step(operations),
        costs.seconds_of,
        circumstances.fed,
        circumstances.results,
        circumstances.counted,
    )


def free_bytes_of(devices: Iterable[Any]) -> dict[Any, int]:
    """Return how many bytes of each card nobody uses now."""
    free: dict[Any, int] = {}
    for device in devices:
        budget = claims.in_force(device)
        if budget is None:
            continue
        statistics = ledgers.statistics_of(device)
        used = 0 if statistics is None else statistics.bytes_in_use
        free[device] = max(0, budget.limit_bytes - used)
    return free


def _choices(
    graph: GraphTasks, assignment: Assignment, base: Placement, cards: Sequence[Any]
) -> dict[Any, Choice]:
    """Return the device and reason of each operation that had a choice."""
    by_name = {short_name(device): device for device in cards}
    chosen: dict[Any, Choice] = {}
    answers = zip(graph.operations, assignment.devices, assignment.reasons, strict=True)
    for op, name, reason in answers:
        if op in base.undecided and name in by_name:
            chosen[op] = Choice(by_name[name], reason)
    readers: dict[Any, Any] = {}
    for op in graph.operations:
        for tensor in () if op is None else op.inputs:
            readers.setdefault(tensor.op, op)
    for op, source in graph.passing:
        if op in base.undecided and (choice := _beside(op, source, chosen, base, readers)):
            chosen[op] = choice
    return chosen


def _beside(
    op: Any, source: Any, chosen: Mapping[Any, Choice], base: Placement, readers: Mapping[Any, Any]
) -> Choice | None:
    """Return the choice for an operation that passes a value on: at its source or its reader."""
    choice = chosen.get(source)
    if choice is not None:
        return Choice(choice.device, f"where {source.name} is")
    home = base.devices[source]
    if home.is_accelerator and source not in base.undecided:
        return Choice(home, f"where {source.name} is")
    reader = readers.get(op)
    if reader is None or reader not in chosen:
        return None
    return Choice(chosen[reader].device, f"where {reader.name} reads it")


def _say_that_it_does_not_fit(
    assignment: Assignment, cards: Sequence[Any], free_bytes: Mapping[Any, int]
) -> None:
    excess = [
        f"{name} by {size_text(assignment.peak_bytes[name] - free_bytes[device])}"
        for device in cards
        if assignment.peak_bytes[name := short_name(device)] > free_bytes.get(device, 1 << 62)
    ]
    text = ", ".join(excess)
    if is_first("automatic placement", text):
        _log.warning(
            "Automatic placement found no way to fit the graph on the cards: it would exceed the "
            "memory of %s. Try a smaller batch, or more cards.",
            text,
        )
