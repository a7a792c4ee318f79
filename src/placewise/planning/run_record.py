"""Records of a plan's runs: which operations ran, and what moved between devices.

`Facts` are made once per plan and hold all that is known before it runs. A program compiled with
them calls a `Run` at each step: `moves` with the values that are about to go to another device,
`ran` once an op is done. Only the bytes of transfers are learned then. Ops in branches and loops
are recorded each time they run.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.eager import observe
from placewise.eager.log import Copy, Entry, Executed
from placewise.ops.values import HOST_KEPT, Handle
from placewise.placement.decision import Decision
from placewise.planning.plan import Host, Number, Plan, Read, Ref, Step, reads, ref_of
from placewise.planning.rules import broadcast_sums

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.graph.operation import Operation


_NOT_RECORDED = frozenset({"HistoryItem"})  # operations that only plans have


class Transfer(NamedTuple):
    """A value that goes to another device: what of it is known before it does."""

    item: Any  # of a step's inputs, or a part's results
    copy: Copy
    source: Any
    target: Any
    reader: Any  # the operation it is made for; None for the program
    is_asked: bool  # by tf.identity on another device, by a feed or a fetch


class Facts:
    """The entry of each step that does an operation, and the transfers that each step makes."""

    def __init__(self, plan: Plan, decisions: dict[Any, Decision], is_session: bool) -> None:
        self.plan, self.decisions, self.is_session = plan, decisions, is_session
        self.entries: dict[int, Entry] = {}
        self.transfers: dict[Any, list[Transfer]] = {}  # by step, or (step, which read of a loop)
        self.always: list[Transfer] = []  # those of steps that always run
        self._lists = plan.lists_of_steps()
        self._readers = self._first_readers()
        begun = _beginnings_of_sums(plan)
        for steps in self._lists:
            for step in steps:
                transfers = self._transfers(step)
                for key, several in transfers.items():
                    self.transfers[key] = several
                    if steps is plan.steps and type(key) is int:
                        self.always += several
                op = self._done(step)
                if op is not None and step.number not in begun:
                    self.entries[step.number] = self._entry(step, op)
        self.fetched = self._fetched()

    @property
    def has_conditional_copies(self) -> bool:
        """Whether copies are made that depend on what is computed: in branches and loops."""
        always = set(map(id, self.always))
        return any(
            not transfer.is_asked and transfer.copy.kind == "copy" and id(transfer) not in always
            for several in self.transfers.values()
            for transfer in several
        )

    def items(self, key: Any) -> list[Any]:
        """Return the values that go to another device for a step, or for a loop's test or limit."""
        return [transfer.item for transfer in self.transfers.get(key, ())]

    def check(self) -> None:
        """Refuse, or warn of, copies that every run makes and nobody asked for."""
        if observe.is_quiet():
            return
        done = {step.op for step in self.plan.every if step.op is not None}
        done.update(self.plan.handles.values())
        for op, decision in self.decisions.items():
            if decision.fell_back and op in done:
                observe.fell_back(op.declaration, decision)
        for transfer in self.always:
            if transfer.copy.kind == "copy" and not transfer.is_asked:
                observe.copying_in_plan(transfer.copy)

    # Ops.

    def _done(self, step: Step) -> Any:
        """Return the operation that a step does; None for what only moves or turns values."""
        if step.op is None:
            return self.plan.asked.get(Ref(step.number))
        if hasattr(step, "parts") or step.op.type in _NOT_RECORDED:
            return None
        return step.op

    def _entry(self, step: Step, op: Operation) -> Entry:
        decision = self.decisions.get(op) or Decision(step.device, op.device, ())
        return Entry(
            op.type,
            op.name,
            decision.requested,
            step.device.name,
            "; ".join(decision.reasons),
            str(op.origin or ""),
            fused=tuple(f"{fused.type} ({fused.name})" for fused in fused_operations(step)),
            fell_back=decision.fell_back,
        )

    # Transfers.

    def _transfers(self, step: Step) -> dict[Any, list[Transfer]]:
        if step.op is None:
            transfer = self._moved(step) if step.source is not None else None
            return {} if transfer is None else {step.number: [transfer]}
        if hasattr(step, "parts"):
            return self._tested(step)
        several = []
        for index, item in enumerate(step.inputs):
            for argument in item if type(item) is list else (item,):
                crossing = self._read(argument, step, index)
                if crossing is not None:
                    several.append(crossing)
        return {step.number: several} if several else {}

    def _moved(self, step: Step) -> Transfer | None:
        """Return what a copy between devices moves; None if nothing leaves host memory."""
        item = step.inputs[0]
        source, target = self._home(ref_of(item), step.source), step.device
        if source is target or self._is_kept(ref_of(item)):
            return None
        asked = self.plan.asked.get(Ref(step.number))
        reader, index = self._reader(Ref(step.number))
        if asked is not None:
            reader, index = asked, 0
        kind = "copy"
        # A session's feeds and fetches are the program's own wish, not copies to be warned of.
        if self.is_session and asked is None:
            if ref_of(item).step == -1:
                kind = "feed"
            elif reader is None and Ref(step.number) in map(ref_of, self.plan.fetches):
                kind = "fetch"
        return self._transfer(item, index, source, target, kind, reader, asked is not None)

    def _tested(self, step: Any) -> dict[Any, list[Transfer]]:
        """Return what Python reads to choose a branch, or to go on with a loop."""
        if not hasattr(step, "limit"):
            read = {step.number: step.inputs[0]}
        else:
            read = {(step.number, "test"): step.parts[0].results[0]}
            if step.limit is not None:
                read[step.number] = step.limit
        transfers = {key: self._read(item, step, 0, True) for key, item in read.items()}
        return {key: [transfer] for key, transfer in transfers.items() if transfer is not None}

    def _read(self, item: Any, step: Step, index: int, on_host: bool = False) -> Transfer | None:
        """Return what a step reads from another device itself; None if it does not."""
        if type(item) is Number or ref_of(item).step == -2:
            return None
        ref = ref_of(item)
        source = self._home(ref, self.plan.homes.get(ref, step.device))
        if self._is_kept(ref):
            return None
        if on_host or type(item) is Host:
            if source.is_host:
                return None
            return self._transfer(ref, index, source, self._cpu(source), "host", step.op, True)
        if type(item) is not Ref or source is step.device:
            return None
        # Simulated devices share memory: rules let a step read the original. A real card would have
        # copied it, so it is recorded.
        return self._transfer(item, index, source, step.device, "copy", step.op, False)

    def _transfer(
        self,
        item: Any,
        index: int,
        source: Device,
        target: Device,
        kind: str,
        reader: Operation | None,
        asked: bool,
    ) -> Transfer:
        ref = ref_of(item)
        tensor = self._tensor(ref)
        copy = Copy(
            index,
            source.name,
            target.name,
            0,
            kind,
            "" if reader is None else reader.name,
            "" if tensor is None else tensor.name,
        )
        return Transfer(item, copy, source, target, reader, asked or kind in ("feed", "fetch"))

    def _fetched(self) -> list[tuple[int, Transfer]]:
        """Return what variables on devices hold that the program fetches: (place, transfer)."""
        if not self.is_session:
            return []
        fetched = []
        for place, item in enumerate(self.plan.fetches):
            home: Any = self.plan.homes.get(ref_of(item))
            if type(item) is Read and home.is_accelerator and not self._is_kept(item.ref):
                cpu = self._cpu(home)
                fetched.append((place, self._transfer(item, 0, home, cpu, "fetch", None, True)))
        return fetched

    def _first_readers(self) -> dict[Ref, tuple[Any, int, int]]:
        """Return who reads each value first: operation, as which input, number of the step."""
        readers: dict[Ref, tuple[Any, int, int]] = {}
        for steps in self._lists:
            for step in steps:
                for index, item in enumerate(step.inputs):
                    for argument in item if type(item) is list else (item,):
                        readers.setdefault(ref_of(argument), (step.op, index, step.number))
                for part in getattr(step, "parts", ()):
                    for ref in part.result_refs():
                        readers.setdefault(ref, (step.op, 0, step.number))
        return readers

    def _reader(self, ref: Ref) -> tuple[Any, int]:
        """Return the operation that reads a value, or a copy of it, first; (None, 0) if none."""
        reader, index, number = self._readers.get(ref, (None, 0, -1))
        if reader is None and number >= 0:
            return self._reader(Ref(number))
        return reader, index

    def _tensor(self, ref: Ref) -> Any:
        """Return the tensor of the graph that a value is; None for a constant."""
        if ref.step == -1:
            return self.plan.feeds[ref.output]
        if ref.step == -2:
            op = self.plan.handles.get(ref)
            return None if op is None else op.outputs[0]
        step = self.plan.every[ref.step]
        if step.op is None:
            return self._tensor(ref_of(step.inputs[0]))
        return step.op.outputs[ref.output]

    def sources(self, step: Step) -> list[Operation]:
        """Return the operations whose results a step reads, whatever copies are between."""
        operations: dict[Operation, None] = {}
        for ref in reads(step):
            tensor = self._tensor(ref)
            if tensor is not None and tensor.op is not step.op:
                operations[tensor.op] = None
        return list(operations)

    def _is_kept(self, ref: Ref) -> bool:
        """Return whether a value is in host memory wherever its operation ran: int32, texts."""
        tensor = self._tensor(ref)
        return tensor is not None and tensor.dtype.base_dtype in HOST_KEPT

    def _home(self, ref: Ref, device: Device) -> Any:
        """Return the device in whose memory a value is: some results of GPUs are on the host."""
        # As TensorFlow's kernels for GPUs do, e.g. Shape: to read it on the host is no transfer.
        step = self.plan.every[ref.step] if ref.step >= 0 else None
        if step is None or step.op is None or hasattr(step, "parts") or device.is_host:
            return device
        op = step.op
        dtype = op.inputs[0].dtype.base_dtype if op.inputs else None
        declared = op.declaration.outputs
        if len(declared) != len(op.outputs):
            return device
        on_host = op.declaration.is_on_host(declared[ref.output], dtype)
        return self._cpu(device) if on_host else device

    def _cpu(self, device: Device) -> Any:
        """Return the CPU beside a device."""
        return self.plan.client if self.plan.client is not None else device


def fused_operations(step: Step) -> list[Any]:
    """Return the operations that a step does on the way to its own."""
    if step.op is not None and (
        step.kernel is broadcast_sums.sum_back
        or (step.combined is not None and step.combined.name == "SumBack")
    ):
        return [step.op.inputs[0].op]
    return list(step.fused)


def _beginnings_of_sums(plan: Plan) -> set[int]:
    """Return the steps that only begin a sum: the one that ends it is recorded, as the AddN."""
    adding = [step for step in plan.every if step.combined and step.combined.name == "AddInto"]
    last: dict[Any, int] = {}
    for step in adding:
        last.setdefault(step.op, step.number)
    return {step.number for step in adding} - set(last.values())


class Run:
    """One run of a plan that is recorded, or whose copies are guarded."""

    __slots__ = ("_copies", "_facts")

    clock = staticmethod(perf_counter_ns)  # the program asks it before each step

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._copies: dict[Any, list[Copy]] = {}  # by the operation they are made for

    def moves(self, key: int, *values: Any) -> None:
        """Record that values go to another device; the program calls it before they do."""
        for transfer, value in zip(self._facts.transfers[key], values, strict=True):
            content = value.value if type(value) is Handle else value
            nbytes = observe.bytes_of(content)
            if nbytes is None:
                continue
            if transfer.copy.kind == "copy" and not transfer.is_asked:
                observe.copying_in_plan(transfer.copy)
            copy = replace(transfer.copy, bytes=nbytes)
            if not _is_there(content, transfer.source):
                continue
            source, target = transfer.source, transfer.target
            recorded = observe.add_transfer(copy, source, target, nbytes, content)
            self._copies.setdefault(transfer.reader, []).append(recorded)

    def ran(
        self, number: int, since: int, inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Record that the operation of a step is done: when it began, what it read and made."""
        facts = self._facts
        step = facts.plan.every[number]
        op = step.op or facts.plan.asked.get(Ref(number))
        copies = self._copies.pop(op, ())
        entry = facts.entries[number]
        declared = None if op is None else op.declaration
        call = Executed(declared, inputs, outputs, step.attrs, step, since, facts)
        observe.add_entry(replace(entry, copies=tuple(copies)) if copies else entry, call)

    def fetched(self, values: tuple[Any, ...]) -> None:
        """Record that the program fetches the contents of variables on devices."""
        for place, transfer in self._facts.fetched:
            nbytes = observe.bytes_of(values[place])
            if nbytes is not None:
                copy = replace(transfer.copy, bytes=nbytes)
                source, target = transfer.source, transfer.target
                observe.add_transfer(copy, source, target, nbytes, values[place])


def _is_there(content: Any, device: Device) -> bool:
    """Return whether a content is in the memory of a planned GPU: integers may be on the host."""
    return bool(device.has_contents or not content.is_cpu)
