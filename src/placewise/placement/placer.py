"""Which device each operation of a graph gets, and why.

Pure: reads operations, their declarations and the devices, returns a Placement; touches no
tensor. Operations of one colocation group always share a device. Linear in the graph.

1. Each operation starts as a group of its own: what kinds can run it, what was requested.
2. Groups joined by a reference or resource edge, or by colocation, are merged.
3. Operations with inputs are placed in order, each constraining its group; those that only make
   a value follow their consumer, if all agree.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError
from placewise.devices.names import Spec
from placewise.devices.runtime_names import is_compatible, matches, merge_requests, parse_runtime
from placewise.placement.decision import Decision
from placewise.placement.eager_rules import computed, lacks, supported_kinds, unsupported
from placewise.placement.failures import cannot_assign, cannot_colocate, malformed

_dtype_of = attrgetter("_dtype")
_METADATA = frozenset({"Shape", "Size", "Rank"})


@dataclass(slots=True)
class Traits:
    """What placing needs to know of an operation: alike ones, of which there are many, share it."""

    kinds: tuple[str, ...]
    request: Spec
    touches_state: bool  # it runs where a variable or resource is that it reads
    makes_value: bool  # from nothing: it follows who reads it
    is_metadata: bool
    types: frozenset[Any] = frozenset()  # the dtypes it needs torch's arithmetic for
    decision: Decision | None = None  # of those on their own, with nothing to follow


@dataclass(slots=True)
class Group:
    """Operations that must share a device."""

    root: Any
    kinds: tuple[str, ...]
    request: Spec
    members: list[Any]
    types: frozenset[Any] = frozenset()
    device: Any = None


@dataclass(frozen=True)
class Placement:
    """Operation → device, and the decision behind each."""

    devices: dict[Any, Any]
    decisions: dict[Any, Decision]
    generators: frozenset[Any]

    def in_log_order(self) -> list[tuple[Any, Any]]:
        """Return (operation, device): first those with inputs, then those that make a value."""
        first = [pair for pair in self.devices.items() if pair[0] not in self.generators]
        return first + [pair for pair in self.devices.items() if pair[0] in self.generators]


def place(
    operations: list[Any],
    devices: tuple[Any, ...],
    soft: bool,
    kept: dict[Any, Any],
    given: dict[Any, Any] | None = None,
    default: Any = None,
) -> Placement:
    """Return where each operation runs.

    `kept` are earlier devices of operations with state, `given` the devices of a function's
    arguments; `default` is preferred by operations that ask for nothing.
    """
    return _Placer(operations, devices, soft, kept, given or {}, default).run()


class _Placer:
    def __init__(
        self,
        operations: list[Any],
        devices: tuple[Any, ...],
        soft: bool,
        kept: dict[Any, Any],
        given: dict[Any, Any],
        default: Any,
    ) -> None:
        self.operations, self.devices, self.soft = operations, devices, soft
        self.kept, self.given = kept, given
        self.groups: dict[Any, Group] = {}  # of operations that are not on their own
        self.decisions: dict[Any, Decision] = {}
        self.traits: dict[Any, Traits] = {}
        self.preferred = sorted(
            devices,
            key=lambda d: (d is not default, getattr(d, "order", 0), d.kind != "GPU", d.name),
        )

    def run(self) -> Placement:
        operations = self.operations
        traits = [self._traits(op) for op in operations]
        self._join_state([op for op, its in zip(operations, traits, strict=True)
                          if its.touches_state])  # fmt: skip
        if any(op.colocation for op in operations):
            self._join_colocated()
        for op, device in self.given.items():
            self._group(op).device = device
        generators: dict[Any, Traits] = {}
        for op, its in zip(operations, traits, strict=True):
            if its.makes_value:
                generators[op] = its
            else:
                self._assign(op, its, self._device_of(op.inputs[0].op) if its.is_metadata else None)
        consumers = self._consumers(generators)
        for op, its in generators.items():
            self._assign(op, its, self._consumer_device(consumers.get(op, [])))
        in_order = {op: self.decisions[op].device for op in operations}
        return Placement(in_order, self.decisions, frozenset(generators))

    def _traits(self, op: Any) -> Traits:
        inputs, outputs = op.inputs, op.outputs
        key = (
            op.declaration, op.device, len(inputs), not op.blocks,
            *map(id, map(_dtype_of, inputs)), *map(id, map(_dtype_of, outputs)),
        )  # fmt: skip
        found = self.traits.get(key)
        if found is None:
            found = self.traits[key] = _traits(op)
        return found

    # Groups.

    def _group(self, op: Any) -> Group:
        found = self.groups.get(op)
        if found is None:
            its = self._traits(op)
            found = self.groups[op] = Group(op, its.kinds, its.request, [op], its.types)
        return found

    def _merge(self, first: Group, second: Group, a: Any, b: Any) -> None:
        if first is second:
            return
        try:
            request = merge_requests(first.request, second.request, soft=self.soft)
        except InvalidArgumentError as problem:
            raise cannot_colocate(a, b, str(problem)) from None
        kinds = tuple(kind for kind in first.kinds if kind in second.kinds)
        if not kinds:
            raise cannot_colocate(
                a, b,
                "no device type supports both of those nodes and the other nodes colocated with "
                "them.",
            )  # fmt: skip
        small, large = sorted((first, second), key=lambda group: len(group.members))
        large.request, large.kinds = request, kinds
        large.types |= small.types
        large.members.extend(small.members)
        large.device = large.device or small.device
        for op in small.members:
            self.groups[op] = large

    def _join_state(self, operations: list[Any]) -> None:
        """An op that touches a variable runs where the variable is."""
        for op in operations:
            for arg, item in zip(op.declaration.inputs, op.spread, strict=True):
                for tensor in item if type(item) is list else [item]:
                    if tensor.dtype is dtypes.resource or arg.name in op.declaration.refs:
                        source, target = self._group(tensor.op), self._group(op)
                        if not is_compatible(source.request, target.request):
                            target.request = source.request
                        self._merge(source, target, tensor.op, op)

    def _join_colocated(self) -> None:
        first: dict[str, Any] = {}
        for op in self.operations:
            for name in (*op.colocation, f"loc:@{op.name}"):
                leader = first.setdefault(name, op)
                if leader is op:
                    continue
                try:
                    self._merge(self._group(leader), self._group(op), op, leader)
                except InvalidArgumentError:
                    if not self.soft:
                        raise

    # Devices.

    def _assign(self, op: Any, its: Traits, wish: Any) -> None:
        """Decide where an operation runs, and with it those of its group."""
        group = self.groups.get(op)
        kept = self.kept.get(op) if op.declaration.stateful else None
        if group is None and kept is None:
            if wish is not None:
                self.decisions[op] = self._decided(op, its, wish)
                return
            if its.decision is None:
                its.decision = self._decided(op, its, None)
            self.decisions[op] = its.decision
            return
        group = group or self._group(op)
        group.device = group.device or kept
        if group.device is not None:
            reason = f"with {group.root.name}"
            self.decisions[op] = Decision(group.device, op.device, (reason,))
            return
        self.decisions[op] = decision = self._decided(op, group, wish)
        group.device = decision.device

    def _device_of(self, op: Any) -> Any:
        """Return the device of an operation, if that is known already."""
        found = self.groups.get(op) or self.decisions.get(op)
        return None if found is None else found.device

    def _decided(self, op: Any, group: Group | Traits, wish: Any) -> Decision:
        found, reasons, fell_back = self._candidates(op, group)
        return Decision(wish if wish in found else found[0], op.device, reasons, fell_back)

    def _candidates(
        self, op: Any, group: Group | Traits
    ) -> tuple[list[Any], tuple[str, ...], bool]:
        known = [device for device in self.preferred if device.kind in group.kinds]
        able = [device for device in known if not unsupported(device, group.types)]
        request = group.request
        if request == Spec():
            reason = (
                "no device requested: a GPU is preferred, lowest id first"
                if able and able[0].kind == "GPU"
                else f"{op.type} runs on the CPU here"
            )
            if not able:
                raise cannot_assign(op, group, self.devices)
            return able, (reason,), False
        found = [device for device in able if _fits(request, device)]
        if found:
            return found, (f"requested {op.device or request.to_string()}",), False
        if able and (lacking := [device for device in known if _fits(request, device)]):
            missing = unsupported(lacking[0], group.types)
            return able, (f"{lacks(lacking[0], missing)}, so {op.type} runs on the CPU",), True
        if self.soft:
            loose = replace(request, kind=None, index=None)
            found = [device for device in able if _fits(loose, device)]
            if found:
                return found, (f"soft placement: {request.to_string()} cannot be had",), True
        raise cannot_assign(op, group, self.devices)

    def _consumers(self, generators: Container[Any]) -> dict[Any, list[Any]]:
        found: dict[Any, list[Any]] = {}
        for op in self.operations:
            for tensor in op.inputs:
                if tensor.op in generators:
                    found.setdefault(tensor.op, []).append(op)
            for source in op.control:
                if source in generators:
                    found.setdefault(source, []).append(op)
        return found

    def _consumer_device(self, consumers: list[Any]) -> Any:
        devices = set(map(self._device_of, consumers))
        return devices.pop() if len(devices) == 1 else None


def _traits(op: Any) -> Traits:
    declaration, inputs, outputs = op.declaration, op.inputs, op.outputs
    request = _spec(op.device)
    if request is None:
        raise malformed(op)
    # What an operation with blocks reads concerns those inside, not itself.
    types = frozenset(
        () if op.blocks else (tensor.dtype.base_dtype for tensor in (*inputs, *outputs))
    )
    return Traits(
        supported_kinds(declaration, types),
        request,
        not op.blocks
        and (bool(declaration.refs) or any(each.dtype is dtypes.resource for each in inputs)),
        not inputs and len(outputs) == 1 and not outputs[0].dtype._is_ref,
        bool(inputs) and declaration.name in _METADATA,
        computed(declaration, types),
    )


@cache
def _spec(text: str) -> Spec | None:
    return parse_runtime(text)


def _fits(request: Spec, device: Any) -> bool:
    name = _spec(device.name)
    return name is not None and matches(request, name)
