"""A log that writes a Trace: each op that runs with its work, and which events made its inputs."""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np
import torch

from placewise.core.shapes import Static
from placewise.cost.trace import CopyEvent, OpEvent
from placewise.eager.log import Copy, Entry, Executed, Log
from placewise.forecast.batches import Batches
from placewise.forecast.names import short
from placewise.memory.allocation import owner_of
from placewise.memory.variables import by_owner
from placewise.ops.contentless import assumptions
from placewise.ops.values import DTYPE, Handle
from placewise.ops.work import TensorFact, Work, elementwise_work, host_work, total_bytes, work_of
from placewise.planning.run_record import fused_operations

Event = OpEvent | CopyEvent
_VARIABLE_READS = ("ReadVariableOp", "VariableV2")


class _Made:
    """Which event made each content, as long as the content lives."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[Any, int]] = {}

    def add(self, content: Any, number: int) -> None:
        """Take down that an event made a content, or changed what a handle names."""
        key = id(content)
        numbers = self._numbers
        try:
            # An id is used again after the content ends: its entry must not outlive it.
            numbers[key] = (ref(content, lambda _: numbers.pop(key, None)), number)
        except TypeError:
            return  # a NumPy number, of which nobody keeps the object

    def number(self, content: Any) -> int | None:
        """Return the event that made a content; None if none of this step did."""
        known = self._numbers.get(id(content))
        return known[1] if known is not None and known[0]() is content else None


class TraceLog(Log):
    """Hears of every op and transfer, and keeps those of the step that is under way."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.batches = Batches()
        self._made = _Made()
        self._copies: dict[tuple[int, str], int] = {}  # by content and target, while it is read

    def begin_step(self) -> list[Event]:
        """Return the events so far, and begin with none."""
        events, self.events = self.events, []
        self._made, self._copies = _Made(), {}
        self.batches = Batches()
        return events

    def ran(self, entry: Entry, executed: Executed) -> None:
        """Add an op that ran."""
        number = len(self.events)
        device = short(entry.device)
        inputs = dict.fromkeys(self._sources(executed.inputs, device))
        step = executed.step
        work = _work(entry, executed)
        self.events.append(
            OpEvent(
                number,
                entry.op,
                entry.name,
                device,
                work,
                tuple(inputs),
                entry.line,
                entry.requested,
                entry.reason,
                entry.fell_back or _lacks_kernel(entry, executed),
                is_eager=step is None,
            )
        )
        for content in executed.outputs:
            self._made.add(content, number)
        if executed.op.stateful and executed.op.effects == "acts":
            for content in executed.inputs:
                if type(content) is Handle:
                    self._made.add(content, number)
        self.batches.ran(entry, executed, work)

    def moved(self, copy: Copy, content: Any) -> None:
        """Add a transfer."""
        number = len(self.events)
        source, target = short(copy.source), short(copy.target)
        made_by = self._made.number(content)
        inputs = () if made_by is None else (made_by,)
        self.events.append(
            CopyEvent(number, source, target, copy.bytes, copy.kind, inputs, copy.op, copy.tensor)
        )
        if content is not None:
            self._copies[id(content), target] = number
            if self._is_input(content, made_by):
                self.batches.moved(copy, content)

    def _is_input(self, content: Any, made_by: int | None) -> bool:
        """Return whether a content of the host is data: no variable, nothing that GPUs computed."""
        if made_by is None:
            return not isinstance(content, torch.Tensor) or id(owner_of(content)) not in by_owner()
        waiting, seen = [made_by], {made_by}
        while waiting:
            event = self.events[waiting.pop()]
            place = event.device if isinstance(event, OpEvent) else event.source
            is_variable = isinstance(event, OpEvent) and event.op in _VARIABLE_READS
            if is_variable or not place.startswith("CPU"):
                return False
            waiting += [number for number in event.inputs if number not in seen]
            seen.update(event.inputs)
        return True

    def copied(self, content: Any, copy: Any) -> None:
        """Take down which content a transfer made."""
        for (key, _), number in reversed(self._copies.items()):
            if key == id(content):
                self._made.add(copy, number)
                return
        made_by = self._made.number(content)
        if made_by is not None:
            self._made.add(copy, made_by)

    def _sources(self, contents: Any, device: str) -> Any:
        for content in contents:
            if type(content) is list:
                yield from self._sources(content, device)
                continue
            # Devices that share memory read the original: the copy was recorded, not made.
            number = self._copies.get((id(content), device))
            if number is None:
                number = self._made.number(content)
            if number is not None:
                yield number


def _lacks_kernel(entry: Entry, executed: Executed) -> bool:
    """Return whether an op that computes numbers runs on the CPU for lack of a kernel on GPUs.

    What only passes on data of the host (iterators, texts, sizes) belongs there.
    """
    if not short(entry.device).startswith("CPU") or "CPU" in entry.requested.upper():
        return False
    is_lack = "no GPU kernel" in entry.reason or "runs on the CPU" in entry.reason
    return is_lack and any(
        isinstance(content, torch.Tensor) and content.dtype.is_floating_point
        for content in (*executed.inputs, *executed.outputs)
    )


def _work(entry: Entry, executed: Executed) -> Work:
    """Return the work of an executed op, with that of operations that its kernel does as well."""
    step = executed.step
    if not (step is None or (step.combined is None and not step.fused)):
        return _fused_work(executed)
    inputs = [_fact(content) for content in executed.inputs]
    outputs = [_one_fact(content) for content in executed.outputs]
    # Sizes and counters of a GPU are in host memory, and computed there.
    is_of_gpu = not short(entry.device).startswith("CPU")
    if is_of_gpu and outputs and all(map(_is_on_host, executed.outputs)):
        return host_work(inputs, outputs, executed.attrs)
    return _declared_work(executed.op, inputs, outputs, executed.attrs)


def _is_on_host(content: Any) -> bool:
    if type(content) is Handle:  # what an update of a variable returns
        content = content.value
    return bool(getattr(content, "is_cpu", True))


def _declared_work(op: Any, inputs: Any, outputs: list[TensorFact], attrs: Any) -> Work:
    try:
        return work_of(op, inputs, outputs, attrs)
    except (LookupError, TypeError, ValueError) as failure:
        # The rule expects other inputs than the kernel of a plan has: the program must go on.
        assumptions.add(f"{op.name}: its work was taken as element by element ({failure})")
        return elementwise_work(inputs, outputs, attrs)


def _fused_work(executed: Executed) -> Work:
    """Return the work of a step that does several operations.

    What it reads and writes are its own inputs and outputs; the arithmetic is that of all
    operations, whose shapes follow from those of its inputs.
    """
    step = executed.step
    facts: dict[int, TensorFact] = {}
    for item, content in zip(step.inputs, executed.inputs, strict=True):
        _learn(step, item, content, facts)
    for tensor, content in zip(step.op.outputs, executed.outputs, strict=False):
        facts[id(tensor)] = _one_fact(content)
    operations = dict.fromkeys([*fused_operations(step), step.op])
    if step.combined is not None and step.combined.product is not None:
        operations = dict.fromkeys([step.combined.product.op, *operations])
    works = [_operation_work(op, facts) for op in operations]
    main = max(works, key=lambda work: work.flops)
    contents = [_fact(content) for content in executed.inputs]
    return main._replace(
        flops=sum(work.flops for work in works),
        read_bytes=total_bytes(contents),
        written_bytes=total_bytes([_one_fact(one) for one in executed.outputs]),
        kernels=1,
    )


def _learn(step: Any, item: Any, content: Any, facts: dict[int, TensorFact]) -> None:
    """Take down the shapes of the graph's tensors that a step reads, where they can be told."""
    if type(item) is list:
        for one, part in zip(item, content, strict=True):
            _learn(step, one, part, facts)
        return
    fact = _one_fact(content)
    for op in [*fused_operations(step), step.op]:
        for tensor in op.inputs:
            if id(tensor) not in facts and _fits(tensor, fact):
                facts[id(tensor)] = fact
                return


def _fits(tensor: Any, fact: TensorFact) -> bool:
    dims = tensor._dims
    if tensor.dtype.base_dtype.name != fact.dtype:
        return False
    return dims is None or (
        len(dims) == len(fact.shape)
        and all(known in (None, size) for known, size in zip(dims, fact.shape, strict=True))
    )


def _operation_work(op: Any, facts: dict[int, TensorFact]) -> Work:
    inputs = [
        [_tensor_fact(tensor, facts) for tensor in item]
        if type(item) is list
        else _tensor_fact(item, facts)
        for item in op.spread
    ]
    if any(id(output) not in facts for output in op.outputs):
        _infer(op, facts)
    outputs = [_tensor_fact(output, facts) for output in op.outputs]
    return _declared_work(op.declaration, inputs, outputs, op.attrs)


def _infer(op: Any, facts: dict[int, TensorFact]) -> None:
    """Let the shape rule of an operation say what its outputs are."""
    known = [
        [_static(tensor, facts) for tensor in item] if type(item) is list else _static(item, facts)
        for item in op.spread
    ]
    try:
        shapes = op.declaration.shape_rule(*known, **op.attrs)
    except Exception:  # static shapes have to do
        return
    several = [shapes] if len(op.outputs) == 1 and type(shapes) is tuple else shapes
    for output, shape in zip(op.outputs, several or (), strict=False):
        if type(shape) is tuple and None not in shape:
            facts.setdefault(id(output), TensorFact(shape, output.dtype.base_dtype.name))


def _static(tensor: Any, facts: dict[int, TensorFact]) -> Static:
    fact = _tensor_fact(tensor, facts)
    return Static(fact.shape, tensor.dtype.base_dtype, None)


def _tensor_fact(tensor: Any, facts: dict[int, TensorFact]) -> TensorFact:
    known = facts.get(id(tensor))
    if known is not None:
        return known
    dims = tensor._dims or ()
    return TensorFact(
        tuple(1 if size is None else size for size in dims), tensor.dtype.base_dtype.name
    )


def _fact(content: Any) -> Any:
    if type(content) is list:
        return [_one_fact(one) for one in content]
    return _one_fact(content)


def _one_fact(content: Any) -> TensorFact:
    if type(content) is Handle:
        content = content.value
    if isinstance(content, torch.Tensor):
        return TensorFact(tuple(content.shape), DTYPE[content.dtype].name)
    if isinstance(content, (np.ndarray, np.generic)):
        return TensorFact(tuple(content.shape), str(content.dtype))
    return TensorFact((), "variant")
