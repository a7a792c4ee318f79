"""Which device each operation of a graph gets, and why.

Pure: reads operations, their declarations and the devices, returns a Placement; touches no
tensor. Operations of one colocation group always share a device. Linear in the graph.

1. Each operation starts as a group of its own: what kinds can run it, what was requested.
2. Groups joined by a reference or resource edge, or by colocation, are merged.
3. Operations with inputs are placed in order, each constraining its group; those that only make
   a value follow their consumer, if all agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from placewise.core import dtypes
from placewise.core.errors import InvalidArgumentError
from placewise.devices.names import Spec
from placewise.devices.runtime_names import is_compatible, matches, merge_requests, parse_runtime
from placewise.placement.decision import Decision
from placewise.placement.eager_rules import supported_kinds
from placewise.placement.failures import cannot_assign, cannot_colocate, malformed

_METADATA = frozenset({"Shape", "Size", "Rank"})


@dataclass(slots=True)
class Group:
    """Operations that must share a device."""

    root: Any
    kinds: tuple[str, ...]
    request: Spec
    members: list[Any] = field(default_factory=list)
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
        self.groups: dict[Any, Group] = {}
        self.decisions: dict[Any, Decision] = {}
        self.alike: dict[Any, Decision] = {}  # of operations on their own that ask for the same
        self.kinds: dict[Any, tuple[str, ...]] = {}
        self.preferred = sorted(
            devices,
            key=lambda d: (d is not default, getattr(d, "order", 0), d.kind != "GPU", d.name),
        )

    def run(self) -> Placement:
        for op in self.operations:
            self.groups[op] = Group(op, self._kinds(op), _request(op), [op])
        self._join_state()
        self._join_colocated()
        for op, device in self.given.items():
            self.groups[op].device = device
        generators = [op for op in self.operations if _is_generator(op)]
        made = set(generators)
        for op in self.operations:
            if op not in made:
                self._assign(op, self._metadata_device(op))
        consumers = self._consumers(made)
        for op in generators:
            self._assign(op, self._consumer_device(consumers.get(op, [])))
        in_order = {op: self.groups[op].device for op in self.operations}
        return Placement(in_order, self.decisions, frozenset(made))

    # Groups.

    def _kinds(self, op: Any) -> tuple[str, ...]:
        """Return the kinds of device that can run an operation."""
        declaration = op.declaration
        if op.blocks:
            return supported_kinds(declaration, frozenset())
        types = [tensor._dtype for tensor in op.inputs]
        types += [tensor._dtype for tensor in op.outputs]
        key = (declaration, *map(id, types))
        found = self.kinds.get(key)
        if found is None:
            found = supported_kinds(declaration, frozenset(each.base_dtype for each in types))
            self.kinds[key] = found
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
        large.members.extend(small.members)
        large.device = large.device or small.device
        for op in small.members:
            self.groups[op] = large

    def _join_state(self) -> None:
        """An op that touches a variable runs where the variable is."""
        resource = dtypes.resource
        for op in self.operations:
            if not op.declaration.refs:
                for tensor in op.inputs:
                    if tensor._dtype is resource:
                        break
                else:
                    continue
            if op.blocks:
                continue  # what it reads concerns the operations inside, not itself
            for arg, item in zip(op.declaration.inputs, op.spread, strict=True):
                for tensor in item if type(item) is list else [item]:
                    if tensor.dtype is dtypes.resource or arg.name in op.declaration.refs:
                        source, target = self.groups[tensor.op], self.groups[op]
                        if not is_compatible(source.request, target.request):
                            target.request = source.request
                        self._merge(source, target, tensor.op, op)

    def _join_colocated(self) -> None:
        first: dict[str, Any] = {}
        if not any(op.colocation for op in self.operations):
            return
        for op in self.operations:
            for name in (*op.colocation, f"loc:@{op.name}"):
                leader = first.setdefault(name, op)
                if leader is op:
                    continue
                try:
                    self._merge(self.groups[leader], self.groups[op], op, leader)
                except InvalidArgumentError:
                    if not self.soft:
                        raise

    # Devices.

    def _assign(self, op: Any, wish: Any) -> None:
        group = self.groups[op]
        kept = self.kept.get(op)
        if group.device is None and kept is not None and _has_state(op):
            group.device = kept
        if group.device is not None:
            self.decisions.setdefault(
                op, Decision(group.device, op.device, (f"with {group.root.name}",))
            )
            return
        if wish is None and len(group.members) == 1:
            key = (op.declaration, op.device, group.kinds)
            decision = self.alike.get(key)
            if decision is None:
                decision = self.alike[key] = self._decided(op, group, None)
        else:
            decision = self._decided(op, group, wish)
        group.device = decision.device
        self.decisions[op] = decision

    def _decided(self, op: Any, group: Group, wish: Any) -> Decision:
        found, reasons, fell_back = self._candidates(op, group)
        return Decision(wish if wish in found else found[0], op.device, reasons, fell_back)

    def _candidates(self, op: Any, group: Group) -> tuple[list[Any], tuple[str, ...], bool]:
        able = [device for device in self.preferred if device.kind in group.kinds]
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
        if self.soft:
            loose = replace(request, kind=None, index=None)
            found = [device for device in able if _fits(loose, device)]
            if found:
                return found, (f"soft placement: {request.to_string()} cannot be had",), True
        raise cannot_assign(op, group, self.devices)

    def _metadata_device(self, op: Any) -> Any:
        if op.declaration.name in _METADATA and op.inputs:
            return self.groups[op.inputs[0].op].device
        return None

    def _consumers(self, generators: set[Any]) -> dict[Any, list[Any]]:
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
        devices = {self.groups[op].device for op in consumers}
        return devices.pop() if len(devices) == 1 else None


@cache
def _spec(text: str) -> Spec | None:
    return parse_runtime(text)


def _fits(request: Spec, device: Any) -> bool:
    name = _spec(device.name)
    return name is not None and matches(request, name)


def _request(op: Any) -> Spec:
    found = _spec(op.device)
    if found is None:
        raise malformed(op)
    return found


def _is_generator(op: Any) -> bool:
    return not op.inputs and len(op.outputs) == 1 and not op.outputs[0].dtype._is_ref


def _has_state(op: Any) -> bool:
    return bool(op.declaration.stateful)
