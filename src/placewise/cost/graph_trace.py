"""A trace of a graph without running it: what a call for some fetches would execute.

Reads operations, shapes and declarations only. A size that is not known is taken as the batch if it
comes first, else as 1. Bodies of loops count as often as the caller says, of branches the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from placewise.core import dtypes
from placewise.cost.machine import MachineSpec
from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.devices.device import Device, PhysicalDevice
from placewise.ops.work import InputFact, TensorFact, work_of
from placewise.placement.decision import Decision
from placewise.placement.placer import place

_HOST = "CPU:0"
# Handles and lists of tensors stay where they are made.
_NOT_COPIED = (dtypes.resource, dtypes.variant)


def trace_of_graph(
    fetches: Iterable[Any],
    machine: MachineSpec,
    *,
    batch: int | None = None,
    placed: Mapping[Any, str] | None = None,
    fed: Iterable[Any] = (),
    loop_trips: int = 1,
    is_tf1: bool = True,
) -> Trace:
    """Return what a call for `fetches` executes on a machine.

    `fetches`: operations or tensors of one graph.
    `batch`: all samples of a step; unknown first sizes are taken for it.
    `placed`: the short name of each operation's device (`GPU:0`); None lets the placer decide,
        softly, as a session would.
    `fed`: tensors that are fed; each is copied to the devices that read it.
    `loop_trips`: how often bodies of loops run.
    """
    fed_tensors = tuple(fed)
    operations = needed(fetches, fed_tensors)
    decisions: Mapping[Any, Decision] = {}
    if placed is None:
        decisions = _decisions(operations, machine, is_tf1)
        placed = {
            operation: f"{decision.device.kind}:{decision.device.index}"
            for operation, decision in decisions.items()
        }
    tracer = _Tracer(placed, decisions, batch, fed_tensors, loop_trips)
    for operation in operations:
        tracer.add(operation)
    return Trace(tracer.events, batch)


def needed(fetches: Iterable[Any], fed: Sequence[Any] = ()) -> list[Any]:
    """Return the operations that fetches depend on, in the order of their creation."""
    stop = {id(tensor) for tensor in fed}
    waiting = [getattr(fetch, "op", fetch) for fetch in fetches]
    reached: dict[int, Any] = {}
    while waiting:
        operation = waiting.pop()
        if operation.id in reached:
            continue
        reached[operation.id] = operation
        waiting += [tensor.op for tensor in operation.inputs if id(tensor) not in stop]
        waiting += operation.control
    return [reached[number] for number in sorted(reached)]


def _decisions(operations: list[Any], machine: MachineSpec, is_tf1: bool) -> Mapping[Any, Decision]:
    """Return where a session of the machine would run each operation, those of blocks too."""
    devices = tuple(
        Device(kind, int(index), PhysicalDevice(f"/physical_device:{kind}:{index}", kind))
        for kind, _, index in (name.partition(":") for name in machine.devices)
    )
    everything = list(operations)
    for operation in everything:  # grows while it is read: blocks may hold blocks
        for block in operation.blocks:
            everything += block.operations
    return place(everything, devices, True, {}, is_tf1=is_tf1).decisions


class _Tracer:
    def __init__(
        self,
        placed: Mapping[Any, str],
        decisions: Mapping[Any, Decision],
        batch: int | None,
        fed: Sequence[Any],
        loop_trips: int,
    ) -> None:
        self.placed, self.decisions = placed, decisions
        self.batch, self.trips = batch, loop_trips
        self.events: list[OpEvent | CopyEvent] = []
        self.made: dict[int, int] = {}  # operation → the event that makes its results
        self.copied: dict[tuple[int, str], int] = {}  # tensor, device → the copy
        self.fed = {id(tensor) for tensor in fed}

    def add(self, operation: Any, also: tuple[int, ...] = ()) -> None:
        """Write an operation down, and before it the copies of what it reads elsewhere."""
        if id(operation) in self.made:
            return
        declaration = operation.declaration
        device = self.placed.get(operation, _HOST)
        inputs = {self.made[id(op)] for op in operation.control if id(op) in self.made}
        inputs.update(also)
        for tensor, is_on_host in self._read(operation):
            source = self._copied(tensor, _HOST if is_on_host else device, operation)
            if source is not None:
                inputs.add(source)
        if operation.blocks:
            inputs = self._add_blocks(operation, inputs)
        decision = self.decisions.get(operation)
        event = OpEvent(
            len(self.events),
            declaration.name,
            operation.name,
            device,
            work_of(
                declaration,
                [self._fact(item) for item in operation.spread],
                [self._tensor_fact(tensor) for tensor in operation.outputs],
                operation.attrs,
            ),
            tuple(sorted(inputs)),
            str(operation.origin or ""),
            operation.device or "",
            "; ".join(decision.reasons) if decision else "",
            decision.fell_back if decision else False,
        )
        self.events.append(event)
        self.made[id(operation)] = event.number

    def _add_blocks(self, operation: Any, inputs: set[int]) -> set[int]:
        """Write down what a loop or branch runs; return the events after which it is done."""
        is_loop = any(block.repeats for block in operation.blocks)
        blocks = operation.blocks if is_loop else operation.blocks[:1]
        for _ in range(self.trips if is_loop else 1):
            start, before = len(self.events), tuple(sorted(inputs))
            for block in blocks:
                for inner in block.operations:
                    self.made.pop(id(inner), None)
                    self.add(inner, before)
            events = self.events[start:]
            read = {source for event in events for source in event.inputs}
            # The next iteration waits for what nothing of this one waits for.
            inputs = {event.number for event in events} - read or inputs
        return inputs

    def _read(self, operation: Any) -> list[tuple[Any, bool]]:
        """Return each tensor that an operation reads the contents of, and whether on the host."""
        declaration = operation.declaration
        if declaration.metadata:
            return [(tensor, False) for tensor in operation.inputs if self._is_free(tensor)]
        pairs: list[tuple[Any, bool]] = []
        for arg, item in zip(declaration.inputs, operation.spread, strict=False):
            tensors = item if isinstance(item, list) else [item]
            pairs += [(tensor, arg.name in declaration.host) for tensor in tensors]
        return pairs

    def _is_free(self, tensor: Any) -> bool:
        return tensor.dtype in _NOT_COPIED

    def _copied(self, tensor: Any, target: str, reader: Any) -> int | None:
        """Return the event after which a tensor can be read on a device."""
        if id(tensor) in self.fed:
            return self._fed_copy(tensor, target, reader)
        producer = tensor.op
        made = self.made.get(id(producer))
        if made is None:
            return None
        declaration = producer.declaration
        source = self.placed.get(producer, _HOST)
        if declaration.outputs and not declaration.outputs[0].is_list:
            output = declaration.outputs[min(tensor.value_index, len(declaration.outputs) - 1)]
            if declaration.is_on_host(output, None):
                source = _HOST
        is_constant = not producer.inputs and not declaration.stateful
        if source == target or tensor.dtype in _NOT_COPIED or is_constant:
            return made
        key = (id(tensor), target)
        if key not in self.copied:
            nbytes = self._tensor_fact(tensor).nbytes
            kind = "host" if target == _HOST and nbytes <= 64 else "copy"
            event = CopyEvent(
                len(self.events), source, target, nbytes, kind, (made,), reader.name, tensor.name
            )
            self.events.append(event)
            self.copied[key] = event.number
        return self.copied[key]

    def _fed_copy(self, tensor: Any, target: str, reader: Any) -> int | None:
        if target == _HOST:
            return None
        key = (id(tensor), target)
        if key not in self.copied:
            nbytes = self._tensor_fact(tensor).nbytes
            number = len(self.events)
            self.events.append(
                CopyEvent(number, _HOST, target, nbytes, "feed", (), reader.name, tensor.name)
            )
            self.copied[key] = number
        return self.copied[key]

    def _fact(self, item: Any) -> InputFact:
        if isinstance(item, list):
            return [self._tensor_fact(tensor) for tensor in item]
        return self._tensor_fact(item)

    def _tensor_fact(self, tensor: Any) -> TensorFact:
        dims, dtype = tensor._shape_tuple, tensor.dtype
        if dtype is dtypes.resource and tensor.op.declaration.makes_state:
            attrs = tensor.op.attrs
            dims = _as_dims(attrs.get("shape"))
            dtype = attrs.get("dtype") or dtype
        return TensorFact(self._sizes(dims), dtype.name.removesuffix("_ref"))

    def _sizes(self, dims: Any) -> tuple[int, ...]:
        if dims is None:
            return ()
        unknown = (self.batch or 1, *([1] * len(dims)))
        return tuple(
            default if size is None else int(size)
            for size, default in zip(dims, unknown, strict=False)
        )


def _as_dims(shape: Any) -> Any:
    as_tuple: Callable[[], Any] | None = getattr(shape, "as_list", None)
    return as_tuple() if as_tuple is not None and shape.rank is not None else shape
