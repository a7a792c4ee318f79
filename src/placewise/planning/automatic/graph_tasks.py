"""The operations of a graph as tasks for automatic placement.

An operation that passes on what it reads, or another shape of it, is no task: its readers read
what it reads. Memory follows what plans do: a value is freed after its last reader, constants stay,
and what the host keeps (int32, text, handles) counts nowhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from placewise.ops import graph_only
from placewise.ops.values import HOST_KEPT
from placewise.placement.automatic.tasks import Task
from placewise.planning.automatic.costs import Costs, short_name
from placewise.planning.automatic.sizes import Sizes

_CONSTANT = graph_only.const.op
_PASSING = frozenset({"input", "reshaped"})
_GRADIENT = re.compile(r"^(?:.*/)?gradients(?:_\d+)?/(.+?)_grad(?:_\d+)?(?:/|$)")
_READS = frozenset({"ReadVariableOp"})  # whose result is the variable's own memory
_UNIT_BYTES = 256  # that cards allocate in
_SMALL_CONSTANT_BYTES = 4096

Seconds = Callable[[Any, Sizes], Mapping[str, float]]


class GraphTasks:
    """Tasks in the order of the plan, and which operation each of them stands for."""

    def __init__(
        self,
        operations: Sequence[Any],  # each after what it depends on
        sizes: Sizes,
        homes: Mapping[Any, Any],  # operation → device, before anything is chosen
        undecided: Mapping[Any, Any],  # operation that may move → the one that stands for its group
        step: set[Any],  # those that a training step runs: only they take time
        seconds_of: Seconds,
        fed: Iterable[Any] = (),
        held: Iterable[Any] = (),  # tensors that live on after the run
        counted: Iterable[Any] = (),  # operations whose memory is in use already
    ) -> None:
        self.tasks: list[Task] = []
        self.operations: list[Any] = []  # of each task
        self.passing: list[tuple[Any, Any]] = []  # (operation, the one whose value it passes on)
        self._sizes, self._homes, self._undecided = sizes, homes, undecided
        self._step, self._seconds_of = step, seconds_of
        self._fed, self._counted = set(fed), set(counted)
        self._number: dict[Any, int] = {}  # operation → task
        self._source: dict[Any, tuple[int, int] | None] = {}  # tensor → (task, output)
        by_name: dict[str, Any] = {}
        for op in operations:
            by_name[op.name] = op
            self._add(op, by_name)
        for tensor in held:
            self._hold(tensor)

    @property
    def has_assumed_sizes(self) -> bool:
        """Whether the size of some tensor is not known."""
        return self._sizes.has_assumed

    def timeline_seconds(self, costs: Costs, homes: Mapping[Any, Any]) -> float:
        """Return how long a step takes with each operation on its device."""
        read = {tensor.op for op in self._step for tensor in op.inputs}
        read.update(other for op in self._step for other in op.control)
        last = [op for op in self._step if op not in read and op.block is None]
        return costs.step_seconds(last, homes, tuple(self._fed), self._sizes.assumed)

    def _add(self, op: Any, by_name: Mapping[str, Any]) -> None:
        source = self._passed_on(op)
        if source is not None:
            for output in op.outputs:
                self._source[output] = self._source.get(source)
            self.passing.append((op, source.op))
            return
        number = len(self.tasks)
        self._number[op] = number
        self.operations.append(op)
        sizes = [self._bytes(tensor) for tensor in op.outputs]
        is_constant = op.declaration is _CONSTANT
        makes_state = op.declaration.stateful and op.declaration.makes_state
        if makes_state:
            sizes = [_state_bytes(op)]
        is_small_constant = is_constant and sum(sizes) <= _SMALL_CONSTANT_BYTES
        resident = sum(sizes) if (is_constant or makes_state) and op not in self._counted else 0
        for index, tensor in enumerate(op.outputs):
            # A small constant is made wherever it is read.
            self._source[tensor] = None if is_small_constant else (number, index)
        self.tasks.append(
            Task(
                op.name,
                self._seconds(op),
                tuple(sizes),
                self._inputs(op),
                tuple(sorted({n for o in op.control if (n := self._number.get(o)) is not None})),
                0 if is_small_constant else resident,
                is_constant or makes_state or op in self._counted or op.type in _READS,
                0,
                self._group(op),
                self._partner(op, by_name),
                self._fixed(op),
                op in self._step,
            )
        )

    def _passed_on(self, op: Any) -> Any:
        """Return the tensor whose memory an operation's result is, or None."""
        declaration = op.declaration
        if not op.inputs or len(op.outputs) != 1 or op.blocks:
            return None
        first = op.inputs[0]
        if first not in self._source or self._fed.intersection(op.outputs):
            return None
        if op.outputs[0].dtype._is_ref and first.dtype._is_ref:
            return None  # an assignment takes time; its result is the variable all the same
        if declaration.result not in _PASSING:
            return None
        if op not in self._undecided:
            # Where it must run is not where its input is: it has to be copied there.
            return first if self._homes[op] is self._homes[first.op] else None
        mine, theirs = self._undecided[op], self._undecided.get(first.op)
        return first if mine is op or mine is theirs else None

    def _bytes(self, tensor: Any) -> int:
        dtype = tensor.dtype.base_dtype
        if dtype in HOST_KEPT or tensor.dtype._is_ref:
            return 0
        return _rounded(math.prod(self._sizes[tensor]) * dtype.size)

    def _inputs(self, op: Any) -> tuple[tuple[int, int], ...]:
        sources = (self._source.get(tensor) for tensor in op.inputs)
        return tuple(dict.fromkeys(source for source in sources if source is not None))

    def _seconds(self, op: Any) -> Mapping[str, float]:
        seconds = self._seconds_of(op, self._sizes)
        is_free = op not in self._step or op.declaration is _CONSTANT or op.declaration.makes_state
        return dict.fromkeys(seconds, 0.0) if is_free else seconds

    def _group(self, op: Any) -> Any:
        root = self._undecided.get(op)
        if root is None:
            return None
        if root is op and op.block is not None:
            # A loop or branch stays in one piece: its values go round in it.
            block = op.block
            while block.parent is not None:
                block = block.parent
            root = block.owner if block.owner is not None else block
        return id(root)

    def _partner(self, op: Any, by_name: Mapping[str, Any]) -> int | None:
        match = _GRADIENT.match(op.name)
        forward = by_name.get(match[1]) if match else None
        return self._number.get(forward)

    def _fixed(self, op: Any) -> str | None:
        if self._fed.intersection(op.outputs):
            return "CPU:0"
        return None if op in self._undecided else short_name(self._homes[op])

    def _hold(self, tensor: Any) -> None:
        """Keep what a call returns until its end."""
        source = self._source.get(tensor)
        if source is None:
            return
        maker = self.tasks[source[0]]
        self.operations.append(None)
        self.tasks.append(
            Task(
                f"{maker.name} (result)",
                dict.fromkeys(maker.seconds, 0.0),
                (),
                (source,),
                group=maker.group,
                device=maker.device,
            )
        )


def _state_bytes(op: Any) -> int:
    """Return the bytes of the variable that an operation makes; 0 for queues, tables and such."""
    shape, dtype = op.attrs.get("shape"), op.attrs.get("dtype")
    if dtype is None or dtype in HOST_KEPT or shape is None:
        return 0
    dims = tuple(shape)
    if any(not isinstance(size, int) or size < 0 for size in dims):
        return 0
    return _rounded(math.prod(dims) * dtype.size)


def _rounded(nbytes: int) -> int:
    return -(-nbytes // _UNIT_BYTES) * _UNIT_BYTES
