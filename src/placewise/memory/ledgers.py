"""Which ledger counts for a device, and copies of contents from device to device.

As in TensorFlow the memory of a GPU is fixed per process: the first runtime or session that uses it
opens its pool; another that asks for something else shares that pool, and is told so once. A
machine put in place by `simulate` has pools of its own.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch

from placewise.devices.device import Device
from placewise.devices.inventory import discovery, initialized, inventory, on_change, settings
from placewise.devices.origin import user_line
from placewise.devices.policy import policy_of
from placewise.memory.accelerator import Accelerator, prepare
from placewise.memory.allocation import Allocation
from placewise.memory.budget import Budget, budget_of
from placewise.memory.exhausted import size_text
from placewise.memory.journal import LINE_BYTES
from placewise.memory.ledger import Ledger, counting
from placewise.memory.pages import LEAST_BYTES, pages
from placewise.memory.pool import Pool

logger = logging.getLogger("tensorflow")

_by_device: dict[Device, Ledger | None] = {}
_shared: dict[tuple[int, str], tuple[Any, Ledger]] = {}  # by machine and name
_accelerators: dict[Device, Accelerator] = {}
_line_bytes = [LINE_BYTES]
_lock = threading.RLock()


def ledger_of(device: Device) -> Ledger | None:
    """Return the ledger of a device, opened on the first call; None where nothing is counted."""
    try:
        return _by_device[device]
    except KeyError:
        return _open(device)


def accountant(device: Device) -> Callable[[Any, Any], None] | None:
    """Return `account(value, op)` of a device, or None where nothing is counted."""
    ledger = ledger_of(device)
    return None if ledger is None else ledger.account


def attach(devices: Iterable[Device]) -> None:
    """Give GPUs their `account`: it opens the pool on first use, again after a release."""
    for device in devices:
        if device.account is None and device.memory_limit_bytes is not None:
            device.account = counting(functools.partial(ledger_of, device))
            if not device.simulated:
                # Before torch makes its first tensor there: limit and reservation come first.
                ledger_of(device)


def account(value: Any, device: Device, what: Any = "") -> None:
    """Count a content on a device; raise ResourceExhaustedError if it does not fit."""
    ledger = ledger_of(device)
    if ledger is not None:
        ledger.account(value, what)


def _open(device: Device) -> Ledger | None:
    with _lock:
        if device in _by_device:
            return _by_device[device]
        found: Ledger | None = None
        if device.memory_limit_bytes is not None and device.card is not None:
            machine = discovery()
            _, found = _shared.get((id(machine), device.name), (None, None))
            if found is None:
                found = _first(device)
                if found is not None:
                    _shared[id(machine), device.name] = machine, found
            elif not _alike(device, found.device):
                _say_shared(device, found)
        _by_device[device] = found
        return found


def _first(device: Device) -> Ledger | None:
    """Return the ledger of a GPU that is used for the first time; None if torch counts alone."""
    budget = _budget(device)
    if not device.simulated:
        prepare(budget.grows)
        _accelerators[device] = Accelerator(device, budget)
        if budget.policy != "limit":
            return None
    ledger = Ledger(device, budget)
    ledger.journal.line_bytes = _line_bytes[0]
    return ledger


def _budget(device: Device) -> Budget:
    ours = initialized() and device in inventory().devices
    asked = settings() if ours else None
    environment = discovery().environment
    return budget_of(device, environment, asked, policy_of(environment), user_line())


def statistics_of(device: Device) -> Pool | Accelerator | None:
    """Return the figures of a device's memory now, or None for a CPU."""
    ledger = ledger_of(device)
    return _accelerators.get(device) if ledger is None else ledger.settle()


def allocation_of(value: torch.Tensor) -> Allocation | None:
    """Return the allocation of a content on the GPU that counts it; None if none does."""
    found = (ledger.allocation_of(value) for ledger in opened())
    return next((allocation for allocation in found if allocation is not None), None)


def set_line_bytes(nbytes: int) -> None:
    """Keep the line of the program for allocations from this size on."""
    with _lock:
        _line_bytes[0] = nbytes
        for ledger in opened():
            ledger.journal.line_bytes = nbytes


def _alike(one: Device, other: Device) -> bool:
    return (one.memory_limit_bytes, one.grows) == (other.memory_limit_bytes, other.grows)


def _say_shared(device: Device, ledger: Ledger) -> None:
    """Say that options for a GPU come too late, and who came first."""
    ledger.refused.append((device, user_line()))
    logger.warning(
        "The memory of %s is fixed: %s%s, since %s. Asked for now, without effect: %s%s. The first "
        "runtime or session that uses a GPU sets its memory options for the process.",
        device.local_name,
        size_text(ledger.budget.limit_bytes),
        ", growing" if ledger.budget.grows else "",
        ledger.opened_by or "the start",
        size_text(device.memory_limit_bytes or 0),
        ", growing" if device.grows else "",
    )


def opened() -> list[Ledger]:
    """Return the ledgers that are open, by device name."""
    with _lock:
        found = {id(ledger): ledger for ledger in _by_device.values() if ledger is not None}
        return sorted(found.values(), key=lambda ledger: ledger.device.name)


def lives(device: Device) -> bool:
    """Return whether anything is held on a device; does not open its ledger."""
    ledger = _by_device.get(device)
    return ledger is not None and ledger.settle().bytes_in_use > 0


def release(device: Device) -> bool:
    """Close the ledger of a device if nothing is held: the next use opens one with its options."""
    with _lock:
        ledger = _by_device.get(device)
        if ledger is None:
            _by_device.pop(device, None)
            _accelerators.pop(device, None)
            return True
        if ledger.settle().bytes_in_use:
            return False
        _forget(ledger)
        return True


def _forget(ledger: Ledger) -> None:
    for device in [device for device, known in _by_device.items() if known is ledger]:
        del _by_device[device]
        if device.account is not None:
            device.account.reopen()
    for key in [key for key, (_, known) in _shared.items() if known is ledger]:
        del _shared[key]


def _devices_changed() -> None:
    """Close what nobody holds anything of; the rest lives on with its values."""
    with _lock:
        for device, ledger in list(_by_device.items()):
            if ledger is None or not ledger.settle().bytes_in_use:
                release(device)


on_change(_devices_changed)


def copied_content(value: Any, source: Device, target: Device, what: Any = "_Send") -> Any:
    """Return a content on another device, always in other memory, and count it there.

    What is kept on the host (text, handles) is returned as it is. Raises ResourceExhaustedError
    before anything is copied if it cannot fit.
    """
    if not isinstance(value, torch.Tensor):
        return value
    ledger = ledger_of(target)
    if ledger is not None and value.dtype is not torch.int32 and value.nbytes >= LEAST_BYTES:
        ledger.require(tuple(value.shape), value.dtype)
    if source.torch_device == target.torch_device:
        moved = pages.copy(value) if source.torch_device == "cpu" else value.clone()
    else:
        moved = value.to(target.torch_device)
    if ledger is not None:
        ledger.account(moved, what)
    return moved


def host_content(value: Any, source: Device) -> Any:
    """Return a content in host memory that does not keep the memory of `source` held.

    On a CPU that is the content itself.
    """
    if not isinstance(value, torch.Tensor):
        return value
    if source.torch_device != "cpu":
        return value.cpu()
    ledger = ledger_of(source)
    if ledger is None or ledger.allocation_of(value) is None:
        return value
    return pages.copy(value)
