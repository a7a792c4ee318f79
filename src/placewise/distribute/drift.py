"""Whether the copies of mirrored variables are still the same: `PLACEWISE_CHECK_REPLICAS=100`.

Every so many steps each replica computes a checksum of each variable, on its own device, and the
checksums are compared, over all workers. Values are copied only when they differ.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from placewise.core import environment
from placewise.core.activity import activity
from placewise.core.errors import DataLossError, hint
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, Unit, current, watch
from placewise.distribute.checksums import checksum, hash_of, largest_difference
from placewise.distribute.worker_group import WorkerGroup, as_received, as_sent, groups
from placewise.memory.transfer import to_host
from placewise.ops.declare import define
from placewise.ops.values import Handle
from placewise.session.session import living_sessions


class Interval(NamedTuple):
    """How often replicas are compared, and whether a difference is an error."""

    steps: int
    warns: bool


def interval() -> Interval | None:
    """Return what PLACEWISE_CHECK_REPLICAS says; None if it is not set, or 0."""
    text = environment.read("PLACEWISE_CHECK_REPLICAS") or "0"
    number, _, how = text.partition(",")
    if not number.strip().isdecimal() or how.strip() not in ("", "warn", "raise"):
        raise ValueError(
            f"PLACEWISE_CHECK_REPLICAS is {text!r}: write a number of steps, such as 100, or "
            "100,warn for a warning instead of an error"
        )
    return Interval(int(number), how.strip() == "warn") if int(number) else None


class Drift:
    """The mirrored variables of a strategy, compared every so many steps."""

    def __init__(self, every: Interval, extended: Any, number: int) -> None:
        self.every, self.number = every, number
        self.steps = 0
        self._extended = weakref.ref(extended)
        self._variables: list[weakref.ref[Any]] = []
        self._said: set[str] = set()

    def add(self, variable: Any) -> None:
        """Compare a variable from now on."""
        self._variables.append(weakref.ref(variable))

    def after_step(self) -> None:
        """Count a step that was taken at once, or write into the graph that one is taken."""
        if current.interpreter is Scope.eager:
            self.count(_eager_handle)
        elif current.interpreter.is_function:
            _check_replicas(strategy=self.number)
        elif watch.unit is None:
            watch.unit = _SessionSteps(self)

    def count(self, handle_of: Callable[[Any], Handle | None]) -> None:
        """Count a step, and compare if it is time."""
        self.steps += 1
        if self.steps % self.every.steps == 0:
            self.compare(handle_of)

    def compare(self, handle_of: Callable[[Any], Handle | None]) -> None:
        """Raise DataLossError, or warn, if the copies of a variable are not the same."""
        extended = self._extended()
        variables = [one for ref in self._variables if (one := ref()) is not None]
        copies = [_Copies(one.name, [handle_of(part) for part in one.values]) for one in variables]
        copies = [one for one in copies if one.is_complete]
        if extended is None or not copies:
            return
        member = getattr(extended, "_member", None)
        group = None if member is None else groups.by_number[extended._group]
        sums = _sums(copies)
        drifted = _differing(sums) if group is None else _differing(_gathered(sums, copies, group))
        for place in drifted:
            text = _described(copies[place], extended, group)
            if text is not None and copies[place].name not in self._said:
                self._say(copies[place].name, text, len(drifted), len(copies))

    def _say(self, name: str, text: str, drifted: int, total: int) -> None:
        several = f"; {drifted} of {total} variables differ" if drifted > 1 else ""
        message = hint(
            f"Replicas have drifted apart: after step {self.steps} the variable {name!r} is not "
            f"the same on all of them: {text}{several}",
            "something changed one copy alone: a part of the variable was assigned to, an update "
            "was not reduced over the replicas, or a device computed wrongly",
        )
        if not self.every.warns:
            raise DataLossError(None, None, message)
        self._said.add(name)
        logging.getLogger("tensorflow").warning("%s", message)


class _Copies(NamedTuple):
    """The contents of a variable, one for each replica of this machine."""

    name: str
    handles: list[Handle | None]

    @property
    def is_complete(self) -> bool:
        """Has each copy a value?"""
        return all(handle is not None and handle.value is not None for handle in self.handles)

    @property
    def contents(self) -> list[Any]:
        """The contents, each in the memory of its device."""
        return [handle.value for handle in self.handles if handle is not None]


def _sums(copies: list[_Copies]) -> torch.Tensor:
    """Return the checksums by replica and variable, in host memory; one transfer for a device."""
    rows = []
    for replica in range(max(len(one.handles) for one in copies)):
        handles = [one.handles[min(replica, len(one.handles) - 1)] for one in copies]
        row = torch.stack([checksum(handle.value) for handle in handles if handle is not None])
        device = getattr(handles[0], "device", None)
        if watch.fetching is not None and device is not None:
            watch.fetching(row, device, "check")
        rows.append(to_host(row))
    return torch.stack(rows)


def _gathered(sums: torch.Tensor, copies: list[_Copies], group: WorkerGroup) -> torch.Tensor:
    """Return the checksums of all workers; raise if they do not have the same variables."""
    names = hash_of(one.name for one in copies)
    shapes = group.gathered(torch.tensor([*sums.shape, names]))
    if any(shape.tolist()[1:] != shapes[0].tolist()[1:] for shape in shapes):
        raise DataLossError(
            None,
            None,
            "PLACEWISE_CHECK_REPLICAS: the workers have different variables: "
            + ", ".join(
                f"{name} {int(shape[1])}"
                for name, shape in zip(group.member.names, shapes, strict=True)
            ),
        )
    most = max(int(shape[0]) for shape in shapes)
    own = torch.cat([sums, sums[-1:].expand(most - len(sums), -1)])
    return torch.cat(group.gathered(own.contiguous()))


def _differing(sums: torch.Tensor) -> list[int]:
    """Return the places of variables whose checksums are not all the same."""
    return (sums != sums[:1]).any(dim=0).nonzero().flatten().tolist()


def _described(copies: _Copies, extended: Any, group: WorkerGroup | None) -> str | None:
    """Return which replicas differ from the first and by how much; None if only bits do."""
    contents = [to_host(one) if isinstance(one, torch.Tensor) else one for one in copies.contents]
    first = contents[0]
    if group is not None and isinstance(first, torch.Tensor):
        first = _first_workers(first, group)
    gaps = [largest_difference(first, content) for content in contents]
    names = [_replica_name(extended, place) for place in range(len(contents))]
    found = [(name, gap, index) for name, (gap, index) in zip(names, gaps, strict=True) if gap > 0]
    largest = max(found, key=lambda one: one[1], default=("", 0.0, ()))
    texts = [f"{name} differs by up to {gap:.6g}" for name, gap, _ in found]
    if largest[1]:
        texts[-1] += f" (element {list(largest[2])})" if largest[2] else ""
    if group is not None:
        texts = _texts_of_all(texts, group)
    if not texts:
        return None
    base = "replica 0" if group is None else f"replica 0 of {group.member.names[0]}"
    return f"from {base}, {'; '.join(texts)}"


def _replica_name(extended: Any, place: int) -> str:
    devices = extended.worker_devices
    device = devices[min(place, len(devices) - 1)].rpartition("/device:")[2]
    member = getattr(extended, "_member", None)
    worker = "" if member is None else f" of {member.names[member.rank]}"
    return f"replica {extended.first_replica + place} ({device}){worker}"


def _first_workers(content: torch.Tensor, group: WorkerGroup) -> torch.Tensor:
    """Return the first worker's content."""
    return as_received(group.from_first(as_sent(content)), content)


def _texts_of_all(texts: list[str], group: WorkerGroup) -> list[str]:
    """Return the texts of all workers."""
    own = "\n".join(texts).encode()
    sizes = [int(size) for size in group.gathered(torch.tensor([len(own)]))]
    padded = torch.zeros(max(*sizes, 1), dtype=torch.uint8)
    if own:
        padded[: len(own)] = torch.frombuffer(bytearray(own), dtype=torch.uint8)
    rows = group.gathered(padded)
    parts = [
        bytes(row[:size].tolist()).decode() for row, size in zip(rows, sizes, strict=True) if size
    ]
    return [line for part in parts for line in part.split("\n")]


def _eager_handle(part: Any) -> Handle | None:
    value = getattr(part.handle, "_value", None)
    return value if isinstance(value, Handle) else None


class _SessionSteps:
    """Counts the training steps that sessions take, for graphs of TensorFlow 1."""

    def __init__(self, drift: Drift) -> None:
        self._drift, self._steps = drift, activity.steps

    def __call__(self, unit: Unit) -> None:
        if unit.kind != "session" or not unit.is_end or activity.steps == self._steps:
            return
        self._steps = activity.steps
        for session in living_sessions():
            if session.graph is unit.graph:
                self._drift.count(session._handle_of)
                return


@dataclass(slots=True)
class Drifts(State):
    """What compares the replicas of strategies. Graphs name it by number."""

    by_number: dict[int, Drift] = field(default_factory=dict)


drifts = runtime.state(Drifts, lasting=True)


def drift_of(extended: Any) -> Drift | None:
    """Return what compares the replicas of a strategy; None if nobody asked for it."""
    every = interval()
    if every is None:
        return None
    number = len(drifts.by_number)
    drifts.by_number[number] = Drift(every, extended, number)
    return drifts.by_number[number]


_check_replicas = define(
    "CheckReplicas(; strategy: int)",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    doc="Counts a step of a strategy, and compares its replicas when it is time.",
)
_check_replicas.shape(lambda *_, **__: [])


@_check_replicas.kernel
def check_replicas_kernel(*, strategy: int) -> None:
    """Count a step."""
    drifts.by_number[strategy].count(_eager_handle)
