"""Which budget is in force on each GPU: the first runtime or session to use one decides for all.

A session claims its GPUs from its start to its end; a runtime fixes those it uses as it comes to
them. Who asks for something else later shares what is fixed, and is told so once. Everybody who
shows a limit asks `in_force`. Keeps the machines that `simulate` puts in place apart.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from placewise.core.errors import AlreadyExistsError, hint
from placewise.core.runtime import State, runtime
from placewise.devices.budget import Budget, Note
from placewise.devices.device import Device
from placewise.devices.machine import task_number
from placewise.devices.origin import Origin, user_line

logger = logging.getLogger("tensorflow")

Key = tuple[int, str, int]


class Claim:
    """The GPUs of one session, for as long as it lives or until `end`."""

    __slots__ = ("__weakref__", "devices", "origin")

    def __init__(self, devices: Iterable[Device], origin: Origin | None) -> None:
        self.devices = tuple(device for device in devices if device.budget is not None)
        self.origin = origin

    def has(self, key: Key) -> bool:
        """Return whether it claims the GPU of a key."""
        return any(_key(device) == key for device in self.devices)


class Fixed:
    """What is in force on one GPU of one machine, since its first use until it is let go.

    `memory` is what the memory layer counts with there.
    """

    __slots__ = ("budget", "device", "is_claimed", "memory", "origin", "refused")

    def __init__(self, device: Device, origin: Origin | None) -> None:
        if device.budget is None:
            raise ValueError(f"{device.name} has no memory limit")
        self.device, self.origin = device, origin
        self.budget = device.budget
        self.is_claimed = False  # by a session, now or before
        self.memory: Any = None
        self.refused: dict[str, None] = {}

    def said(self) -> Budget:
        """Return the budget with what was asked for later, and the line that fixed it."""
        return replace(
            self.budget,
            overrides=(*self.budget.overrides, *self.refused),
            fixed_at=str(self.origin or "the start"),
        )

    def refuse(self, asked: Budget, origin: Origin | None) -> str | None:
        """Note options that come too late; return what to say of that, once for each line."""
        late = f"{asked.size}, asked for later at {origin}"
        if late in self.refused:
            return None
        self.refused[late] = None
        return (
            f"is fixed: {self.budget.size}, since {self.origin or 'the start'}. Asked for now, "
            f"without effect: {asked.size}. The first runtime or session that uses a GPU sets its "
            "memory options for the process."
        )


_lock = threading.RLock()


@dataclass(slots=True)
class Claims(State):
    """Which sessions claim GPUs, what is fixed on each, and the notes that were logged."""

    living: list[weakref.ref[Claim]] = field(default_factory=list)
    fixed: dict[Key, Fixed] = field(default_factory=dict)
    # By the id of a machine, which is kept so that no other gets its id.
    said: dict[int, tuple[object, set[Note]]] = field(default_factory=dict)


_state = runtime.state(Claims)


def _key(device: Device) -> Key:
    # Tasks of a simulated cluster number their GPUs alike.
    task = task_number(device.card) if device.simulated and device.card else 0
    return id(device.machine), device.local_name, task


def living() -> list[Claim]:
    """Return the claims of sessions that are open, oldest first."""
    return [claim for known in tuple(_state.living) if (claim := known()) is not None]


def claim(devices: Iterable[Device]) -> Claim:
    """Claim GPUs for a session until `end`; raise if one of their names means another card."""
    result = Claim(devices, user_line())
    with _lock:
        for device in result.devices:
            _check_card(device)
        _fix(result.devices, result.origin, is_claimed=True)
        _state.living[:] = [known for known in _state.living if known() is not None]
        _state.living.append(weakref.ref(result))
    return result


def end(ended: Claim) -> list[Device]:
    """End a claim, and return the GPUs that no session claims any more."""
    with _lock:
        _state.living[:] = [known for known in _state.living if known() not in (None, ended)]
        return [device for device in ended.devices if not is_claimed(device)]


def is_claimed(device: Device) -> bool:
    """Return whether an open session has the GPU."""
    key = _key(device)
    return any(claim.has(key) for claim in living())


def fix(device: Device) -> Fixed:
    """Return what is in force on a GPU from now on: what it was made with, if it is the first."""
    with _lock:
        _check_card(device)
        claimed = next((claim for claim in living() if device in claim.devices), None)
        _fix((device,), claimed.origin if claimed else user_line(), claimed is not None)
        return _state.fixed[_key(device)]


def _fix(devices: Iterable[Device], origin: Origin | None, is_claimed: bool) -> None:
    refused: dict[str, list[str]] = {}
    for device in devices:
        fixed = _state.fixed.get(_key(device))
        if fixed is None:
            fixed = _state.fixed[_key(device)] = Fixed(device, origin)
            _say(device, fixed.budget)
        elif device.budget is not None and device.budget.asks_otherwise(fixed.budget):
            said = fixed.refuse(device.budget, origin)
            if said is not None:
                refused.setdefault(said, []).append(device.local_name)
        fixed.is_claimed = fixed.is_claimed or is_claimed
    for said, names in refused.items():
        logger.warning("The memory of %s %s", ", ".join(names), said)


def _check_card(device: Device) -> None:
    fixed = _state.fixed.get(_key(device))
    if fixed is None or fixed.device.cuda_index == device.cuda_index:
        return
    raise AlreadyExistsError(
        None,
        None,
        hint(
            f"TensorFlow device ({device.kind}:{device.index}) is being mapped to multiple CUDA "
            f"devices ({device.cuda_index} now, and {fixed.device.cuda_index} previously), which "
            "is not supported. This may be the result of providing different GPU configurations "
            "(ConfigProto.gpu_options, for example different visible_device_list) when creating "
            "multiple Sessions in the same process.",
            f"the first was made at {fixed.origin}" if fixed.origin else "",
            "close that session first, or show both the same cards and ask for them by name",
        ),
    )


def _say(device: Device, budget: Budget) -> None:
    """Log a GPU that is used for the first time, and what is odd about its options."""
    for note in budget.notes:
        _, said = _state.said.setdefault(id(device.machine), (device.machine, set()))
        if note not in said:
            said.add(note)
            logger.log(note.level, note.text)
    logger.info(
        "Created device %s with %d MB memory:  -> %s",
        device.name,
        budget.limit_bytes >> 20,
        device.description,
    )


def let_go(fixed: Fixed) -> None:
    """Let go of a GPU; then what the oldest session that claims it asked for is in force."""
    with _lock:
        key = _key(fixed.device)
        if _state.fixed.get(key) is not fixed:
            return
        del _state.fixed[key]
        for claim in living():
            again = [device for device in claim.devices if _key(device) == key]
            _fix(again, claim.origin, is_claimed=True)


def known() -> list[Fixed]:
    """Return what is fixed, on all machines."""
    with _lock:
        return list(_state.fixed.values())


def on_same_card(fixed: Fixed) -> list[Fixed]:
    """Return what is fixed on other devices of the same card."""
    device = fixed.device
    return [
        other
        for other in known()
        if other is not fixed
        and other.device.machine is device.machine
        and other.device.cuda_index == device.cuda_index
    ]


def find(device: Device) -> Fixed | None:
    """Return what is fixed on a GPU; None while nobody uses it."""
    return _state.fixed.get(_key(device))


def abandoned() -> list[Fixed]:
    """Return what a session fixed that is no more, and no other claims."""
    return [fixed for fixed in known() if fixed.is_claimed and not is_claimed(fixed.device)]


def in_force(device: Device) -> Budget | None:
    """Return the budget in force on a device; None for a CPU, whose memory has no limit."""
    fixed = find(device)
    return device.budget if fixed is None else fixed.said()


def budgets(devices: Iterable[Device]) -> list[Budget]:
    """Return the budget in force on each GPU that open sessions and `devices` have, by index."""
    by_index: dict[int, Budget] = {}
    machine = None
    for device in devices:
        machine = device.machine
        if (budget := in_force(device)) is not None:
            by_index[device.index] = budget
    for fixed in known():
        if fixed.device.machine is machine:
            by_index[fixed.device.index] = fixed.said()
    return [budget for _, budget in sorted(by_index.items())]
