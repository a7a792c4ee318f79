"""A run of a graph, cut into one part per task.

Pure: reads operations and where they are placed. Every tensor that one task computes and another
reads is transferred once per reading task. Constants are not: each task that reads one has it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from placewise.core import dtypes
from placewise.core.errors import UnimplementedError, hint
from placewise.graph.function_defs import captures
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only
from placewise.planning.passes.prune import needed

_CONSTANT = graph_only.const.op


class Send(NamedTuple):
    """A tensor, or that an operation has run, for another task."""

    source: Any  # GraphTensor or Operation
    after: Operation | None
    target: str
    key: int


class Receive(NamedTuple):
    """What another task sends, taken before an operation."""

    source: Any
    before: Operation
    task: str
    key: int


@dataclass
class PartSpec:
    """What one task runs; `operations` in the order of the whole graph."""

    task: str
    operations: list[Operation] = field(default_factory=list)
    feeds: list[GraphTensor] = field(default_factory=list)
    fetches: list[Any] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    receives: list[Receive] = field(default_factory=list)

    def sources(self) -> dict[str, int]:
        """Return the tasks it receives from, and how many tensors."""
        counts: dict[str, int] = {}
        for receive in self.receives:
            counts[receive.task] = counts.get(receive.task, 0) + 1
        return counts


def cut(
    fetches: list[Any], feeds: list[GraphTensor], placement: Mapping[Any, Any], own: str
) -> dict[str, PartSpec]:
    """Return the parts of a run by task; a fetch is in the part that computes it.

    `own` is the master's task, which runs branches and loops that use state of several tasks.
    """
    return _Cut(fetches, feeds, placement, own).parts


class _Cut:
    def __init__(
        self,
        fetches: list[Any],
        feeds: list[GraphTensor],
        placement: Mapping[Any, Any],
        own: str,
    ) -> None:
        self.placement, self._own = placement, own
        self._spread: set[int] = set()  # branches and loops that use state of several tasks
        self.fed = {id(tensor): tensor for tensor in feeds}
        self.parts: dict[str, PartSpec] = {}
        self._order = needed(fetches, feeds)
        self._position = {op.id: number for number, op in enumerate(self._order)}
        self._home: dict[int, str] = {}
        self._has: set[tuple[int, str]] = set()  # operations and fed tensors that parts have
        self._transfers: dict[tuple[int, str], int] = {}
        self._sends: list[tuple[Any, int, str, str, int]] = []
        self._keys = itertools.count()
        for number, op in enumerate(self._order):
            if op.declaration is not _CONSTANT:
                self._add(op, number)
        for element in fetches:
            self._fetch(element)
        for part in self.parts.values():
            part.operations.sort(key=lambda op: self._position[op.id])
        self._place_sends()

    def _part(self, task: str) -> PartSpec:
        return self.parts.setdefault(task, PartSpec(task))

    def home(self, op: Operation) -> str:
        """Return the task of an operation; of a branch or loop, that of the state it touches."""
        task = self._home.get(op.id)
        if task is None:
            if op.blocks:
                tasks = tasks_of_state(op, self.placement) or {self.placement[op].task}
                if len(tasks) > 1:
                    self._spread.add(op.id)
                task = self._own if len(tasks) > 1 else next(iter(tasks))
            else:
                task = self.placement[op].task
            self._home[op.id] = task
        return task

    def _add(self, op: Operation, number: int) -> None:
        task = self.home(op)
        part = self._part(task)
        part.operations.append(op)
        for tensor in inputs_of(op):
            self._read(tensor, part, op, number)
        for before in op.control:
            if before.declaration is not _CONSTANT and self.home(before) != task:
                self._transfer(before, before, part, op, number)

    def _read(self, tensor: GraphTensor, part: PartSpec, op: Operation, number: int) -> None:
        if id(tensor) in self.fed:
            if (id(tensor), part.task) not in self._has:
                self._has.add((id(tensor), part.task))
                part.feeds.append(tensor)
        elif tensor.op.declaration is _CONSTANT:
            self._copy_constant(tensor.op, part)
        elif self.home(tensor.op) != part.task:
            if op.id in self._spread and tensor.op.declaration.makes_state:
                self._copy_constant(tensor.op, part)  # as a stand-in: see foreign_state.py
                return
            self._transfer(tensor, tensor.op, part, op, number)

    def _copy_constant(self, op: Operation, part: PartSpec) -> None:
        if (op.id, part.task) not in self._has:
            self._has.add((op.id, part.task))
            part.operations.append(op)

    def _transfer(
        self, source: Any, maker: Operation, part: PartSpec, reader: Operation, number: int
    ) -> None:
        if (id(source), part.task) in self._transfers:
            return
        if isinstance(source, GraphTensor) and source.dtype in (dtypes.resource, dtypes.variant):
            raise _cannot_travel(source, reader, self.home(maker), part.task)
        key = self._transfers[id(source), part.task] = next(self._keys)
        part.receives.append(Receive(source, reader, self.home(maker), key))
        # What is read from a TensorFlow 1 variable is read when it is used, as inside of one task.
        at = number - 1 if _is_variable_read(source) else self._position[maker.id]
        self._sends.append((source, at, self.home(maker), part.task, key))

    def _place_sends(self) -> None:
        for source, at, task, target, key in self._sends:
            part = self.parts[task]
            before = [op for op in part.operations if self._position[op.id] <= at]
            part.sends.append(Send(source, before[-1] if before else None, target, key))

    def _fetch(self, element: Any) -> None:
        if id(element) in self.fed:
            return
        op = element if isinstance(element, Operation) else element.op
        if op.declaration is _CONSTANT:
            part = self._part(self.placement[op].task)
            self._copy_constant(op, part)
        else:
            part = self._part(self.home(op))
        part.fetches.append(element)


def inputs_of(op: Operation) -> list[GraphTensor]:
    """Return all tensors an operation reads, also those that only its blocks do."""
    if not op.blocks:
        return list(op.inputs)
    values, references = captures(op)
    unique = {id(tensor): tensor for tensor in (*op.inputs, *values, *references)}
    return list(unique.values())


def inner_operations(op: Operation) -> list[Operation]:
    """Return the operations of all blocks of an operation, and of theirs."""
    inner = [operation for block in op.blocks for operation in block.operations]
    return inner + [nested for operation in inner for nested in inner_operations(operation)]


def tasks_of_state(op: Operation, placement: Mapping[Any, Any]) -> set[str]:
    """Return the tasks whose state the operations of a branch or loop touch."""
    inside = [inner for inner in inner_operations(op) if inner in placement]
    return {placement[inner].task for inner in inside if _touches_state(inner)}


def _touches_state(op: Operation) -> bool:
    declared = op.declaration
    return bool(declared.refs or declared.makes_state or declared.follows_resource)


def _is_variable_read(source: Any) -> bool:
    if not isinstance(source, GraphTensor):
        return False
    while not source.dtype._is_ref:
        if source.op.type != "Identity":
            return False
        source = source.op.inputs[0]
    return True


def _cannot_travel(tensor: GraphTensor, reader: Operation, home: str, target: str) -> Exception:
    places = f"is on {home}, and '{reader.name}' on {target}"
    said = f"'{tensor.name}' of dtype {tensor.dtype.name} {places}"
    advice = f"let both run on one task, with tf.device('{home}')"
    return UnimplementedError(None, None, hint(f"{said}: such a tensor cannot be sent", advice))
