"""Which device each operation of a graph gets, and why.

Pure: reads operations, their declarations and the devices, returns a Placement; touches no
tensor. Operations of one colocation group always share a device. Linear in the graph.

1. Each operation starts as a group of its own: what kinds can run it, what was requested.
2. Groups joined by a reference or resource edge are merged, then those joined by colocation.
3. Operations with inputs are placed in order by the rules (`rules.py`), each constraining its
   group; those that only make a value follow their consumer, if all agree.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError
from placewise.devices.names import Spec
from placewise.devices.runtime_names import is_compatible, is_refinement
from placewise.placement.decision import Choice, Decision
from placewise.placement.eager_rules import computed, ranked_kinds
from placewise.placement.failures import (
    cannot_assign,
    cannot_colocate,
    edge_conflict,
    malformed,
    no_common_kind,
    on_edge,
)
from placewise.placement.groups import Group, MergeError, constrained, merge
from placewise.placement.rules import (
    ANY,
    Answer,
    Question,
    decide,
    free_on_accelerator,
    parsed,
    softly_with_variable,
)

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.placement.automatic.tasks import Assignment


_dtype_of = attrgetter("_dtype")
_INVALID = ("INVALID_ARGUMENT", "Invalid argument")  # as TensorFlow 2 and 1 write it
_DATASET = re.compile(r"Dataset(V\d+)?$")


@dataclass(slots=True)
class Traits:
    """The facts about an operation that placement needs; operations that are alike share one."""

    kinds: tuple[str, ...]
    ranks_kinds: bool
    request: Spec
    resource: Spec  # the request of an op that makes a handle; ops that use the handle follow it
    touches_state: bool  # it runs on the device of a variable or resource that it reads
    makes_value: bool  # it has no inputs and follows its reader
    is_metadata: bool
    is_identity: bool
    types: frozenset[Any] = frozenset()  # the dtypes it needs torch's arithmetic for
    assigned: Spec = ANY
    answer: Answer | None = None  # of those on their own
    decision: Decision | None = None  # of those on their own, with nothing to follow


@dataclass(frozen=True)
class Placement:
    """Operation → device, the decision behind each, and what was passed over."""

    devices: dict[Any, Any]
    decisions: dict[Any, Decision]
    generators: frozenset[Any]
    ignored: tuple[str, ...] = ()  # requests that gave way, as TensorFlow's log says it
    warnings: tuple[str, ...] = ()
    # Operations that any accelerator would do for → the operation that stands for their group.
    undecided: Mapping[Any, Any] = field(default_factory=dict)
    assignment: Assignment | None = None  # of automatic placement

    def in_log_order(self) -> list[tuple[Any, Any]]:
        """Return (operation, device): first those with inputs, then those that make a value."""
        first = [pair for pair in self.devices.items() if pair[0] not in self.generators]
        return first + [pair for pair in self.devices.items() if pair[0] in self.generators]


def place(
    operations: list[Any],
    devices: tuple[Any, ...],
    soft: bool | None,
    kept: dict[Any, Any],
    fixed: dict[Any, Any] | None = None,
    default: Any = None,
    is_tf1: bool = False,
    chosen: Mapping[Any, Choice] | None = None,
    lists_undecided: bool = False,
) -> Placement:
    """Return where each operation runs.

    `soft` None: a requested device must exist, but an op it has no kernel for runs on the CPU.
    `kept` are earlier devices of operations with state, `given` the devices of a function's
    arguments; `default` is preferred by operations that ask for nothing. `is_tf1`: by the rules of
    TensorFlow 1.15 where 2.21 has others. `chosen` is what automatic placement says of those that
    any accelerator would do for; `lists_undecided` asks which those are.
    """
    placer = _Placer(operations, devices, soft, kept, fixed or {}, default, is_tf1, chosen or {})
    placed = placer.run()
    return replace(placed, undecided=placer.undecided()) if lists_undecided else placed


class _Placer:
    def __init__(
        self,
        operations: list[Any],
        devices: tuple[Any, ...],
        soft: bool | None,
        kept: dict[Any, Any],
        fixed: dict[Any, Any],
        default: Any,
        is_tf1: bool,
        chosen: Mapping[Any, Choice],
    ) -> None:
        self.chosen = chosen
        self.operations, self.devices, self.soft = operations, devices, soft
        self.default, self.is_tf1 = default, is_tf1
        self.groups: dict[Any, Group] = {}  # of operations that are not on their own
        self.decisions: dict[Any, Decision] = {}
        self.traits: dict[Any, Traits] = {}
        self.preset: set[Any] = set()  # operations that have a device before placing begins
        self.ignored: list[str] = []
        self.warnings: list[str] = []
        self.preferred = tuple(
            sorted(
                devices,
                key=lambda d: (d is not default, d.order, d.is_host, d.name),
            )
        )
        self._keep(kept, fixed)

    def run(self) -> Placement:
        operations = self.operations
        traits = [self._traits(op) for op in operations]
        self._join_state(
            [op for op, its in zip(operations, traits, strict=True) if its.touches_state]
        )
        if any(op.colocation for op in operations):
            self._join_colocated()
        generators = {
            op: its
            for op, its in zip(operations, traits, strict=True)
            if its.makes_value and op not in self.preset
        }
        readers = self._readers(
            {op for op, its in zip(operations, traits, strict=True) if its.is_identity}
        )
        for op, its in zip(operations, traits, strict=True):
            if op in generators:
                continue
            follows = its.is_metadata or (its.is_identity and self._is_between_alike(op, readers))
            self._assign(op, its, self._device_of(op.inputs[0].op) if follows else None)
        consumers = self._readers(generators)
        for op, its in generators.items():
            self._assign(op, its, self._consumer_device(consumers.get(op, [])))
        in_order = {op: self.decisions[op].device for op in operations}
        return Placement(
            in_order,
            self.decisions,
            frozenset(generators),
            tuple(self.ignored),
            tuple(self.warnings),
        )

    def _traits(self, op: Any) -> Traits:
        inputs, outputs = op.inputs, op.outputs
        key = (
            op.declaration,
            op.device,
            len(inputs),
            not op.blocks,
            None if inputs else op.attrs.get("dtype"),  # of a variable: its handle does not say
            *map(id, map(_dtype_of, inputs)),
            *map(id, map(_dtype_of, outputs)),
        )
        traits = self.traits.get(key)
        if traits is None:
            traits = self.traits[key] = _traits(op)
        return traits

    # Groups.

    def _keep(self, kept: dict[Any, Any], fixed: dict[Any, Any]) -> None:
        """Assign what has a device already: state of earlier runs, arguments of a function."""
        for op in self.operations:
            device = fixed.get(op)
            kinds = self._traits(op).kinds
            if device is None and op.declaration.stateful:
                device = kept.get(op)
                kinds = (device.kind,) if device is not None else kinds
            if device is not None:
                name = parsed(device.name) or ANY
                self.preset.add(op)
                self.groups[op] = Group(op, kinds, name, assigned=name, members=[op], device=device)

    def _group(self, op: Any) -> Group:
        group = self.groups.get(op)
        if group is None:
            its = self._traits(op)
            group = self.groups[op] = Group(
                op,
                its.kinds,
                its.request,
                its.resource,
                ranks_kinds=its.ranks_kinds,
                members=[op],
                types=its.types,
            )
        return group

    def _merge(self, a: Any, b: Any, name: str = "") -> None:
        first, second = self._group(a), self._group(b)
        if first is second:
            return
        try:
            stays, gone = merge(first, second, bool(self.soft))
        except InvalidArgumentError as problem:
            raise cannot_colocate(a, b, problem.message, first, second, name) from None
        except MergeError:
            raise no_common_kind(a, b, first, second) from None
        stays.members.extend(gone.members)
        for op in gone.members:
            self.groups[op] = stays

    def _join_state(self, operations: list[Any]) -> None:
        """Join each op that touches a variable with the variable."""
        for op in operations:
            for tensor in _state_inputs(op, joins_datasets=not self.is_tf1):
                self._join_edge(tensor.op, op)

    def _join_edge(self, source: Any, op: Any) -> None:
        origin, target = self._group(source), self._group(op)
        if origin is target:
            return
        for which in ("assigned", "resource"):
            theirs, own = getattr(origin, which), getattr(target, which)
            if self._clash(theirs, own):
                raise edge_conflict(which, theirs, own, source, op, self.is_tf1)
        if self._clash(origin.request, target.request):
            self.ignored.append(
                f"Ignoring device specification {target.request} for node '{op.name}' because the "
                f"input edge from '{source.name}' is a reference connection and already has a "
                f"device field set to {origin.request}"
            )
            target.request = constrained(origin.request, target)
        try:
            self._merge(source, op)
        except InvalidArgumentError as problem:
            raise on_edge(problem, op, self.is_tf1) from None

    def _clash(self, theirs: Spec, own: Spec) -> bool:
        """Return whether a variable's name and that of an op which touches it do not go together.

        In TensorFlow 1.15 one of the two has to say all that the other says.
        """
        if self.is_tf1:
            return not (is_refinement(theirs, own) or is_refinement(own, theirs))
        return not is_compatible(theirs, own)

    def _join_colocated(self) -> None:
        first: dict[str, Any] = {}
        for op in self.operations:
            own = () if self.is_tf1 and op.colocation else (f"loc:@{op.name}",)
            for name in (*op.colocation, *own):
                leader = first.setdefault(name, op)
                if leader is op:
                    continue
                try:
                    self._merge(op, leader, name)
                except InvalidArgumentError as problem:
                    if not self.soft:
                        raise
                    self.ignored.append(
                        f"Ignoring request to colocate node '{op.name}' with nodes in colocation "
                        f"group '{name.removeprefix('loc:@')}' because soft placement is on and "
                        "an attempt at doing so resulted in the following error: "
                        f"{_INVALID[self.is_tf1]}: {problem.message.partition(chr(10))[0]}"
                    )

    # Devices.

    def _assign(self, op: Any, its: Traits, wish: Any) -> None:
        """Decide where an operation runs, and with it those of its group."""
        group = self.groups.get(op)
        if group is None:
            if op in self.chosen:
                self.decisions[op] = self._decided_alone(op, its)
                return
            if wish is not None:
                self.decisions[op] = self._decided(op, its, wish)
                return
            if its.decision is None:
                its.decision = self._decided(op, its, None)
            self.decisions[op] = its.decision
            return
        if group.device is not None:
            if not group.reasons:
                group.reasons = _in_group(group.device, group.root.name)
            choice = self.chosen.get(op)
            reasons = group.reasons if choice is None else (*group.reasons, choice.reason)
            self.decisions[op] = Decision(group.device, op.device, reasons)
            return
        self.decisions[op] = decision = self._decided(op, group, wish)
        group.device = decision.device

    def _device_of(self, op: Any) -> Any:
        """Return the device of an operation that is placed already, else None."""
        decision = self.decisions.get(op)
        return None if decision is None else decision.device

    def _is_between_alike(self, op: Any, readers: dict[Any, list[Any]]) -> bool:
        """Return whether an Identity has one source and one reader that ask for the same device."""
        reading = readers.get(op, [])
        if self.is_tf1 or len(reading) > 1 or op.control:
            return False
        wanted = reading[0].device if reading else ""
        return parsed(op.inputs[0].op.device) == parsed(wanted)

    def _decided(self, op: Any, group: Group | Traits, wish: Device | None) -> Decision:
        answer = group.answer if isinstance(group, Traits) else None
        if answer is None:
            answer = group.answer = self._answer(op, group)
        devices, reasons, rule = answer
        device = wish if wish in devices else devices[0]
        return Decision(device, op.device, reasons, rule.falls_back)

    def _decided_alone(self, op: Any, its: Traits) -> Decision:
        """Return the decision that automatic placement made for one of many alike operations."""
        devices, reasons, rule = self._answer(op, its)
        return Decision(devices[0], op.device, reasons, rule.falls_back)

    def undecided(self) -> dict[Any, Any]:
        """Return the operations that took the first accelerator for want of anything better."""
        undecided: dict[Any, Any] = {}
        for op in self.operations:
            group = self.groups.get(op)
            answer = self._traits(op).answer if group is None else group.answer
            if answer is not None and answer.rule is free_on_accelerator:
                undecided[op] = op if group is None else group.root
        return undecided

    def _answer(self, op: Any, group: Group | Traits) -> Answer:
        """Ask the rules about an operation and what it shares its device with."""
        request = group.request
        choice = self.chosen.get(op)
        question = Question(
            op.type,
            group.kinds,
            group.types,
            self.preferred,
            request=request,
            asked=op.device or request.to_string(),
            ranks_kinds=group.ranks_kinds,
            default=self.default,
            soft=bool(self.soft),
            falls_back_without_kernel=self.soft is None,
            assigned=group.assigned,
            resource=group.resource,
            is_graph=True,
            chosen=None if choice is None else choice.device,
            why="" if choice is None else choice.reason,
        )
        answer = decide(question)
        if answer is None:
            raise cannot_assign(op, group, self.devices, self.soft)
        if answer.rule is softly_with_variable and isinstance(group, Group):
            self.warnings.append(_moved_resource(group, answer.devices))
        return answer

    def _readers(self, sources: Container[Any]) -> dict[Any, list[Any]]:
        """Return, for each of `sources` that is read or waited for, by which operations."""
        readers: dict[Any, list[Any]] = {}
        if not sources:
            return readers
        for op in self.operations:
            for tensor in op.inputs:
                if tensor.op in sources:
                    readers.setdefault(tensor.op, []).append(op)
            for source in op.control:
                if source in sources:
                    readers.setdefault(source, []).append(op)
        return readers

    def _consumer_device(self, consumers: list[Any]) -> Any:
        devices = set(map(self._device_of, consumers))
        return devices.pop() if len(devices) == 1 else None


def _in_group(device: Any, owner: str) -> tuple[str, ...]:
    """Return why an operation runs where the rest of its group does."""
    question = Question("", (), frozenset(), (), home=device, owner=owner, is_graph=True)
    answer = decide(question)
    return () if answer is None else answer.reasons


def _traits(op: Any) -> Traits:
    declaration, inputs, outputs = op.declaration, op.inputs, op.outputs
    request = parsed(op.device)
    if request is None:
        raise malformed(op)
    # The inputs of an operation with blocks concern the operations inside, not itself.
    types = frozenset(() if op.blocks else (dtype.base_dtype for dtype in _types(op)))
    kinds, ranks_kinds = ranked_kinds(declaration, types)
    makes_one = not inputs and len(outputs) == 1
    makes_handle = makes_one and (
        outputs[0].dtype._is_ref or outputs[0].dtype is dtypes.resource or declaration.makes_state
    )
    return Traits(
        kinds,
        ranks_kinds,
        request,
        request if makes_handle else ANY,
        not op.blocks
        and declaration.placement != "ignores_handles"
        and next(_state_inputs(op), None) is not None,
        makes_one and not outputs[0].dtype._is_ref,
        bool(inputs) and declaration.placement == "with_input",
        declaration.placement == "with_neighbours" and request == ANY,
        computed(declaration, types),
    )


def _types(op: Any) -> list[Any]:
    """Return the dtypes of what an operation reads and makes.

    Of one whose GPU kernel is limited to some dtypes, without what that keeps on the host.
    """
    declaration, tensors = op.declaration, [*op.inputs, *op.outputs]
    if declaration.gpu_types is not None and declaration.host:
        tensors = [
            tensor
            for arg, item in zip(declaration.inputs, op.spread, strict=True)
            if arg.name not in declaration.host
            for tensor in (item if type(item) is list else [item])
        ]
        tensors += op.outputs
    named = [op.attrs.get(attr.name) for attr in declaration.attrs if attr.kind == "type"]
    return [tensor.dtype for tensor in tensors] + [dtype for dtype in named if dtype is not None]


def _state_inputs(op: Any, joins_datasets: bool = True) -> Iterator[Any]:
    """Yield the inputs whose device an operation shares: references, handles, datasets.

    In TensorFlow 1.15 a dataset may be on another device than the one it reads.
    """
    declaration = op.declaration
    is_dataset = joins_datasets and _DATASET.search(declaration.name) is not None
    for arg, item in zip(declaration.inputs, op.spread, strict=True):
        is_ref = arg.name in declaration.refs
        for tensor in item if type(item) is list else [item]:
            dtype = tensor.dtype
            if (
                is_ref
                or dtype is dtypes.resource
                or (is_dataset and dtype is dtypes.variant and _DATASET.search(tensor.op.type))
            ):
                yield tensor


def _moved_resource(group: Group, candidates: list[Any]) -> str:
    names = "\n  ".join(device.name for device in candidates)
    members = "\n".join(f"  {op.name} ({op.type}) {op.device}" for op in group.members)
    return (
        "Failed to place the graph without changing the devices of some resources. Some of the "
        "operations (that had to be colocated with resource generating operations) are not "
        f"supported on the resources' devices. Current candidate devices are [\n  {names}].\n"
        f"See below for details of this colocation group:\n{members}"
    )
