"""What holds for eager ops of this thread: the device in force, soft placement, cached scalars."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from placewise.core import determinism, heap
from placewise.core.dtypes import DType
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current
from placewise.devices import inventory as devices
from placewise.eager import observe
from placewise.memory import ledgers
from placewise.ops.convert import forget_scalars
from placewise.placement.decision import Decision
from placewise.placement.eager_rules import choose, in_place_of_state

if TYPE_CHECKING:
    from placewise.ops.declare import Op


@dataclass(slots=True)
class Placements(State):
    """Where ops were placed, by op, dtypes and device request."""

    decisions: dict[Any, Decision] = field(default_factory=dict)


_placements = runtime.state(Placements)


def soft_placement() -> bool | None:
    """Return whether soft placement is on: None when the program never said."""
    return devices.settings().soft_placement


def refresh() -> None:
    """Find the device on which the fast path of this thread runs ops."""
    if current.interpreter is not Scope.eager:
        return
    inventory = devices.inventory()
    ledgers.attach(inventory.devices)
    devices.mark_used()
    device = inventory.find(current.request) if current.request else inventory.default
    # The fast path runs kernels here.
    current.fast = None if device is not None and device.remote is not None else device


def forget() -> None:
    """Drop cached decisions, because the devices have changed."""
    _placements.decisions.clear()
    forget_scalars()
    current.fast = None


devices.settings().apply_threads()
heap.keep_freed_memory()
determinism.apply()
devices.set_lives(ledgers.lives)  # settings of a device may change while nothing lives on it
devices.on_change(forget)
devices.on_settings(forget)


def decide(op: Op, types: frozenset[DType]) -> Decision:
    """Return the placement of an op under the request in force; remembered per op and dtypes."""
    key = (op, types, current.request)
    decision = _placements.decisions.get(key)
    if decision is None:
        decision = choose(op, types, current.request, devices.inventory(), soft_placement())
        _placements.decisions[key] = decision
    if decision.fell_back:
        observe.fell_back(op, decision)
    return decision


def with_state(device: Any, op: Op) -> Decision:
    """Return the placement of an op that touches state on a device."""
    key = (device, current.request)
    decision = _placements.decisions.get(key)
    if decision is None:
        decision = _placements.decisions[key] = in_place_of_state(device, current.request, op.name)
    return decision
