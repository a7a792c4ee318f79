"""Which card an eager variable gets under automatic placement: cards are filled in order.

Variables of functions and Keras models are made before any graph exists, so nothing is known yet of
what will be computed with them. Layers make their variables in the order in which they run: cards
filled in order get consecutive layers, and functions then follow the variables
(`planning/automatic`). A variable is planned with its gradient and two slots, and cards are filled
to three quarters, which leaves a quarter for activations; slots are made beside their variable
(`distribute/default_strategy.py`). What needs more than that on one card, or less on each of
several, is for `tf.device` to say.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import DType
from placewise.core.runtime import State, runtime
from placewise.core.scope import current
from placewise.devices import claims
from placewise.devices import inventory as devices
from placewise.ops.state.resource import var_handle
from placewise.placement.automatic.reasons import size_text
from placewise.placement.decision import Choice, Decision
from placewise.placement.eager_rules import choose

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.ops.declare import Op
    from placewise.ops.values import Handle

VARIABLE = var_handle.op
_COPIES = 4  # the variable, its gradient, and two slots as Adam has them
_FILLED_PART = 0.75


@dataclass(slots=True)
class PlannedVariables(State):
    """How many bytes are planned on each card for the variables that live there."""

    nbytes: dict[Device, int] = field(default_factory=dict)
    latest: Device | None = None  # the card that got a variable last

    def add(self, device: Device, nbytes: int) -> None:
        """Plan more, or with a negative number less, on a card."""
        self.nbytes[device] = self.nbytes.get(device, 0) + nbytes


_planned = runtime.state(PlannedVariables)


def is_automatic(op: Op) -> bool:
    """Return whether an op makes a variable whose card is to be chosen here."""
    return op is VARIABLE and not current.request and devices.places_automatically()


def decide(op: Op, types: frozenset[DType], attrs: Mapping[str, Any]) -> Decision:
    """Return where a variable is made."""
    inventory = devices.inventory()
    cards = [device for device in inventory.devices if device.is_accelerator]
    choice = _choice(cards, _planned_bytes(attrs)) if len(cards) > 1 else None
    return choose(op, types, "", inventory, devices.settings().soft_placement, choice)


def keep(handle: Handle) -> None:
    """Count a variable on its card for as long as it lives."""
    device = handle.device
    if device is None or not device.is_accelerator:
        return
    nbytes = _planned_bytes({"shape": handle.shape, "dtype": handle.dtype})
    _planned.add(device, nbytes)
    _planned.latest = device
    weakref.finalize(handle, _planned.add, device, -nbytes).atexit = False


def _choice(cards: list[Device], nbytes: int) -> Choice:
    """Return the first card that has room, or if none has that which has most.

    From the latest card on: a small layer that still fits on an earlier one would tear the order of
    the layers apart, and each step would copy there and back.
    """
    room: dict[Device, float] = {}
    latest = _planned.latest
    first = cards.index(latest) if latest in cards and _planned.nbytes.get(latest) else 0
    for device in (*cards[first:], *cards[:first]):
        budget = claims.in_force(device)
        limit = math.inf if budget is None else _FILLED_PART * budget.limit_bytes
        room[device] = limit - _planned.nbytes.get(device, 0) - nbytes
        if room[device] >= 0:
            return Choice(device, _reason(device, room))
    best = max(cards, key=lambda device: room[device])
    return Choice(best, "no card has room left for it, its gradient and slots; this has most")


def _reason(device: Device, room: Mapping[Device, float]) -> str:
    full, nbytes = next(iter(room.items()))
    if device is full:
        return f"variables fill the cards in order: GPU:{device.index} has room for it"
    return (
        f"GPU:{device.index}: with it, its gradient and slots GPU:{full.index} would exceed the "
        f"share for variables by {size_text(int(-nbytes))}"
    )


def _planned_bytes(attrs: Mapping[str, Any]) -> int:
    shape, dtype = attrs["shape"], attrs["dtype"]
    if shape is None or dtype is None or any(size is None for size in shape):
        return 0
    return _COPIES * math.prod(map(int, shape)) * int(dtype.size)
