"""Which ledger counts for a device, and copies of contents from device to device.

As in TensorFlow the memory of a GPU is fixed per process (`devices.claims`): all runtimes and
sessions share one pool of each. A machine put in place by `simulate` has pools of its own.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from placewise.core.errors import ResourceExhaustedError
from placewise.core.runtime import State, runtime
from placewise.core.scope import watch
from placewise.devices import claims
from placewise.devices.claims import Claim, Fixed
from placewise.devices.device import Device
from placewise.devices.inventory import known_devices, on_change
from placewise.memory.accelerator import Accelerator, prepare
from placewise.memory.allocation import Allocation
from placewise.memory.exhausted import is_out_of_memory, let_go, size_text
from placewise.memory.ledger import Ledger, counting
from placewise.memory.pages import LEAST_BYTES, pages
from placewise.memory.pending import LINE_BYTES
from placewise.memory.pool import Pool
from placewise.memory.transfer import is_in, move, place

logger = logging.getLogger("tensorflow")

_lock = threading.RLock()
_caches: list[Callable[[], None]] = []  # filled while modules are imported


@dataclass(slots=True)
class Ledgers(State):
    """What counts on each device that was used, and from which size on lines are kept."""

    by_device: dict[Device, Ledger | None] = field(default_factory=dict)
    accelerators: dict[Device, Accelerator] = field(default_factory=dict)
    line_bytes: int = LINE_BYTES
    listeners: list[Callable[[Ledger], None]] = field(default_factory=list)
    # The devices that `attach` saw last, and those of them that it must look at again.
    attached: Iterable[Device] = ()
    unattached: tuple[Device, ...] = ()

    def dispose(self) -> None:
        """Let devices open other ledgers, also those on which something is still held."""
        for device in self.by_device:
            if device.account is not None:
                device.account.reopen()


_state = runtime.state(Ledgers)


def ledger_of(device: Device) -> Ledger | None:
    """Return the ledger of a device, opened on the first call; None where nothing is counted."""
    try:
        return _state.by_device[device]
    except KeyError:
        return _open(device)


def bytes_in_use() -> dict[str, int]:
    """Return the bytes in use by local name of each GPU that was used.

    For other threads: opens nothing, and leaves every pool as far behind as it is.
    """
    sizes: dict[str, dict[int, int]] = {}
    for device, ledger in list(_state.by_device.items()):
        held: Any = ledger or _state.accelerators.get(device)
        if held is not None:
            # Devices of several sessions may share a pool.
            size = ledger.pending.in_use_bytes() if ledger else held.bytes_in_use
            sizes.setdefault(device.local_name, {})[id(held)] = size
    return {name: sum(pools.values()) for name, pools in sizes.items()}


def on_open(listener: Callable[[Ledger], None]) -> Callable[[], None]:
    """Have `listener` called with each ledger that is opened; returns what ends that."""
    _state.listeners.append(listener)
    return lambda: _state.listeners.remove(listener)


def attach(devices: Iterable[Device]) -> None:
    """Set `account` of GPUs: it opens the pool on first use, and again after a release.

    An undivided real GPU gets none, because torch counts its memory. Device scopes call this: only
    real GPUs are looked at more than once, or a thousand devices would make each scope slow.
    """
    if devices is _state.attached:
        _attach(_state.unattached)
        return
    _attach(devices)
    waiting = tuple(device for device in devices if device.account is None and not device.is_host)
    _state.attached, _state.unattached = devices, waiting


def _attach(devices: Iterable[Device]) -> None:
    for device in devices:
        if device.account is not None or device.memory_limit_bytes is None:
            continue
        # Opened before torch makes its first tensor there: limit and reservation come first.
        if device.simulated or ledger_of(device) is not None:
            device.account = counting(functools.partial(ledger_of, device))


def account(value: torch.Tensor, device: Device, what: str = "") -> None:
    """Count a content on a device; raise ResourceExhaustedError if it does not fit."""
    ledger = ledger_of(device)
    if ledger is not None:
        ledger.account(value, what)


def claim(devices: Iterable[Device]) -> Claim:
    """Claim the GPUs of a session: their memory is fixed until it is closed."""
    release_abandoned()
    return claims.claim(devices)


def close(claim: Claim) -> None:
    """End the claim of a session: GPUs that no other has are given back, if nothing is held there.

    After the last session the log says how many bytes that were.
    """
    before = _mapped_bytes(claim)
    release_all(claims.end(claim))
    for device in claim.devices:
        if device not in known_devices():
            _state.by_device.pop(device, None)  # other sessions share its pool and keep it
    if before and not claims.living():
        logger.info(
            "The last session is closed. Mapped on GPUs: %s, now %s.",
            size_text(before),
            size_text(_mapped_bytes(claim)),
        )


def _mapped_bytes(claim: Claim) -> int:
    """Return the bytes mapped on the GPUs of the machine of a claim."""
    machines = {id(device.machine) for device in claim.devices}
    return sum(mapped_bytes(memory) for memory in in_use() if id(memory.device.machine) in machines)


def mapped_bytes(memory: Ledger | Accelerator) -> int:
    """Return what has been taken of a card."""
    return (memory.settle() if isinstance(memory, Ledger) else memory).mapped_bytes


def release_abandoned() -> None:
    """Give back what sessions left that were dropped, or closed while something was held."""
    ended = [
        card.device  # memory was still held on it when its inventory was replaced
        for card in counted_by_torch()
        if card.device not in known_devices() and not claims.is_claimed(card.device)
    ]
    release_all([*(fixed.device for fixed in claims.abandoned()), *ended])


def _open(device: Device) -> Ledger | None:
    with _lock:
        if device in _state.by_device:
            return _state.by_device[device]
        ledger: Ledger | None = None
        if device.budget is not None and device.card is not None:
            fixed = claims.fix(device)
            if fixed.memory is None:
                fixed.memory = _first(device, fixed)
                if isinstance(fixed.memory, Ledger):
                    for listener in tuple(_state.listeners):
                        listener(fixed.memory)
            ledger = fixed.memory if isinstance(fixed.memory, Ledger) else None
            if isinstance(fixed.memory, Accelerator):
                _state.accelerators[device] = fixed.memory
        _state.by_device[device] = ledger
        return ledger


def _first(device: Device, fixed: Fixed) -> Ledger | Accelerator:
    """Return what counts on a GPU that is used for the first time: torch alone, where it can."""
    budget = fixed.budget
    if not device.simulated:
        prepare(budget.grows)
        accelerator = Accelerator(device, budget, None, _others_bytes(fixed))
        _state.accelerators[device] = accelerator
        if not budget.is_part:
            return accelerator
    taken = functools.partial(_taken_bytes, fixed) if budget.is_part else None
    # What a planned GPU lacks is found out and told: the program goes on beyond the limit.
    ledger = Ledger(device, budget, taken, is_bounded=device.has_contents)
    ledger.pending.line_bytes = _state.line_bytes
    return ledger


def _others_bytes(fixed: Fixed) -> int:
    """Return the limits of other devices of the same card."""
    return sum(other.budget.limit_bytes for other in claims.on_same_card(fixed))


def _taken_bytes(fixed: Fixed) -> int:
    """Return what other devices have mapped of the same card."""
    ledgers = (other.memory for other in claims.on_same_card(fixed))
    return sum(ledger.pending.pool.mapped_bytes for ledger in ledgers if isinstance(ledger, Ledger))


def statistics_of(device: Device) -> Pool | Accelerator | None:
    """Return the figures of a device's memory now, or None for a CPU."""
    ledger = ledger_of(device)
    return _state.accelerators.get(device) if ledger is None else ledger.settle()


def reset_peak(device: Device) -> bool:
    """Start the statistics of a device anew from what is held now; return False for a CPU."""
    counted = ledger_of(device) or _state.accelerators.get(device)
    if counted is not None:
        counted.reset_peak()
    return counted is not None


def allocation_of(value: torch.Tensor) -> Allocation | None:
    """Return the allocation of a content on the GPU that counts it; None if none does."""
    allocations = (ledger.allocation_of(value) for ledger in opened())
    return next((allocation for allocation in allocations if allocation is not None), None)


def set_line_bytes(nbytes: int) -> None:
    """Keep the line of the program for allocations from this size on."""
    with _lock:
        _state.line_bytes = nbytes
        for ledger in opened():
            ledger.pending.line_bytes = nbytes


def opened() -> list[Ledger]:
    """Return the ledgers that are open, by device name."""
    with _lock:
        memories = [fixed.memory for fixed in claims.known() if isinstance(fixed.memory, Ledger)]
        return sorted(memories, key=lambda ledger: ledger.device.name)


def counted_by_torch() -> list[Accelerator]:
    """Return the undivided cards in use, by device name; of each card the device made last."""
    with _lock:
        cards = [fixed.memory for fixed in claims.known() if isinstance(fixed.memory, Accelerator)]
        newest = {card.device.torch_device: card for card in cards}
        return sorted(newest.values(), key=lambda memory: memory.device.name)


def in_use() -> list[Ledger | Accelerator]:
    """Return what counts on each GPU in use."""
    return [*opened(), *counted_by_torch()]


def lives(device: Device) -> bool:
    """Return whether anything is held on a device; does not open its ledger."""
    memory = _state.by_device.get(device) or _state.accelerators.get(device)
    return memory is not None and _is_in_use(memory)


def _is_in_use(memory: Ledger | Accelerator) -> bool:
    if isinstance(memory, Ledger):
        return memory.settle().bytes_in_use > 0
    return memory.bytes_in_use > 0 or not memory.is_counted


def on_release(forget: Callable[[], None]) -> None:
    """Register a function that empties a cache of contents, before memory is given back."""
    _caches.append(forget)


def release(device: Device) -> bool:
    """Close the memory of a device if nothing is held: the next use opens it with its options."""
    return not release_all((device,))


def release_all(devices: Iterable[Device]) -> list[Device]:
    """Close the memory of devices on which nothing is held, and return the others."""
    closed: list[Accelerator] = []
    busy: set[str] = set()
    with _lock:
        held = [device for device in devices if not _close(device, closed, busy)]
        if closed:
            _give_back(closed)
    return held


def _close(device: Device, closed: list[Accelerator], busy: set[str]) -> bool:
    """Close the memory of one device, if nothing is held; add the cards that are closed.

    `busy` are cards known to be in use: asking torch is slow.
    """
    fixed = claims.find(device)
    memory = _state.by_device.get(device) if fixed is None else fixed.memory
    if isinstance(memory, Accelerator) and device.torch_device in busy:
        return False
    # Cached scalars may be all that is held. They are dropped only if that frees the device.
    if memory is not None and _is_in_use(memory):
        for forget in _caches:
            forget()
        if _is_in_use(memory):
            if isinstance(memory, Accelerator):
                busy.add(device.torch_device)
            return False
    # Devices of several sessions may stand for one card: all that share this memory are closed.
    for known, counted in list(_state.by_device.items()):
        card = _state.accelerators.get(known)
        if known is device or (memory is not None and memory in (counted, card)):
            del _state.by_device[known]
            if card is not None:
                closed.append(_state.accelerators.pop(known))
            if known.account is not None:
                known.account.reopen()
    if fixed is not None:
        claims.let_go(fixed)
    return True


def _give_back(closed: list[Accelerator]) -> None:
    """Give back what torch keeps of cards that are closed.

    torch empties its caches of all cards, so cards without growth have to reserve theirs again.
    """
    closed[0].give_back()
    machines = {id(card.device.machine) for card in closed}
    for fixed in claims.known():
        card = _state.accelerators.get(fixed.device)
        if card is not None and id(fixed.device.machine) in machines:
            card.bound(_others_bytes(fixed))


def _devices_changed() -> None:
    """Close pools in which nothing is held, after the list of devices has changed."""
    with _lock:
        release_all([device for device in _state.by_device if not claims.is_claimed(device)])


on_change(_devices_changed)


def brought(value: torch.Tensor, device: Device) -> torch.Tensor:
    """Return a content in the memory of a device; raise ResourceExhaustedError if it has no room.

    It is not counted yet.
    """
    return _making(lambda: place(value, device.torch_device), value, device)


def _making(make: Callable[[], torch.Tensor], like: torch.Tensor, device: Device) -> torch.Tensor:
    """Return what is made on a device; if torch finds no room, raise TensorFlow's error."""
    try:
        return make()
    except (RuntimeError, MemoryError) as failure:
        error = torch_shortage(str(failure), device, tuple(like.shape), like.dtype, like.nbytes)
        if error is None:
            raise
        let_go(failure)
    raise error


def torch_shortage(
    text: str, device: Device, shape: tuple[int, ...], dtype: torch.dtype, nbytes: int
) -> ResourceExhaustedError | None:
    """Return the error for a tensor that torch found no room for on a card; None if it is not that.

    `text` is what torch says.
    """
    if not is_out_of_memory(text) or not device.has_own_memory:
        return None
    counted = ledger_of(device) or _state.accelerators.get(device)
    return None if counted is None else counted.shortage(shape, dtype, nbytes)


def copied_content(value: torch.Tensor, source: Device, target: Device, what: Any = "_Send") -> Any:
    """Return a content on another device, always in other memory, and count it there.

    What is kept on the host (text, handles) is returned as it is. Raises ResourceExhaustedError
    before anything is copied if it cannot fit.
    """
    if not isinstance(value, torch.Tensor):
        return value
    ledger = ledger_of(target)
    # A small copy may fail when it is counted; a large one must fail before it is made.
    if ledger is not None and value.dtype is not torch.int32 and value.nbytes >= LEAST_BYTES:
        ledger.require(tuple(value.shape), value.dtype)
    if not is_in(value, target.torch_device):
        moved = _making(lambda: move(value, target.torch_device), value, target)
    elif target.has_own_memory:
        form = torch.contiguous_format
        moved = _making(lambda: value.clone(memory_format=form), value, target)
    else:
        moved = pages.copy(value) if value.is_contiguous() else value.contiguous()
    if ledger is not None:
        moved = ledger.account(moved, what)
    if watch.copied is not None:
        watch.copied(value, moved)
    return moved
