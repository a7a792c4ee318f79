"""Placement as data: which op ran where, which copies were made, and guards against copies.

Off the fast path: `watch.on` is True only while something here is in use.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from placewise.core.errors import InvalidArgumentError, hint
from placewise.core.runtime import State, runtime
from placewise.core.scope import current, watch
from placewise.core.tensor import Tensor
from placewise.devices import inventory as devices
from placewise.devices.names import merge_eager
from placewise.devices.origin import user_line
from placewise.eager.log import Copy, Entry, Executed, Log, short
from placewise.placement.decision import Decision

if TYPE_CHECKING:
    from placewise.devices.device import Device
    from placewise.eager.device_scope import device
    from placewise.ops.declare import Op
    from placewise.ops.values import Content


class PlacementWarning(UserWarning):
    """An op did not run where it was asked to, or data was copied unasked."""


class _Pending(threading.local):
    """What this thread knows of transfers before they belong to an entry of a log."""

    def __init__(self) -> None:
        self.copies: list[Copy] = []  # of the eager op that is about to run
        self.expected: list[Copy] = []  # announced; their bytes are known once they move


class Observers(State):
    """What observes ops: open logs, the copy guard, strict mode; and which warnings were given."""

    logs: list[Log]
    copy_guard: str
    is_strict: bool
    is_quiet: bool  # nobody wants to be warned of fallbacks
    warned: set[Any]
    pending: _Pending
    _told_before: Any  # the listener of moves before the first log was opened

    def __init__(self) -> None:
        self.logs = []
        self.copy_guard = "allow"
        self.is_strict = False
        self.is_quiet = False
        self.warned = set()
        self.pending = _Pending()
        self._told_before = None

    def refresh(self) -> None:
        """Turn the fast path off while anything watches ops."""
        watch.on = bool(watch.after_op) or self.looks_at_places()
        # A probe in `after_op` looks at one run for a moment: it warns nobody.
        self.is_quiet = not self._is_asked() and all(log.is_quiet for log in self.logs)

    def looks_at_places(self) -> bool:
        """Return whether it matters to anybody where an op runs."""
        return bool(self.logs) or self._is_asked()

    def _is_asked(self) -> bool:
        """Return whether a guard or setting asks where ops run."""
        return bool(
            self.copy_guard != "allow"
            or self.is_strict
            or devices.settings().log_device_placement
            or devices.settings().device_policy not in (None, "silent")
        )

    def open(self, log: Log) -> None:
        """Add every op that runs from now on to a log."""
        if not self.logs:
            self._told_before, watch.moved = watch.moved, self._moved
            watch.fetching = fetching
        self.logs.append(log)
        self.refresh()

    def close(self, log: Log) -> None:
        """Add nothing more to a log."""
        self.logs = [item for item in self.logs if item is not log]
        if not self.logs:
            watch.moved, watch.fetching = self._told_before, None
        self.refresh()

    def _moved(self, source: Any, target: Any, nbytes: int) -> None:
        if self._told_before is not None:
            self._told_before(source, target, nbytes)
        moved(source, target, nbytes)


_observers = runtime.state(Observers)
devices.on_settings(_observers.refresh)
devices.on_change(_observers.refresh)
watch.refresh = _observers.refresh
_observers.refresh()  # what was set before the first op counts too


def is_recording() -> bool:
    """Return whether a log is open."""
    return bool(_observers.logs)


def looks_at_places() -> bool:
    """Return whether it matters to anybody where an op runs: a log, a guard, a setting."""
    return _observers.looks_at_places()


def is_quiet() -> bool:
    """Return whether plans are watched by logs alone that want nobody to be warned."""
    return _observers.is_quiet


def guards_copies() -> bool:
    """Return whether a copy made unasked is warned of, or refused."""
    return _observers.copy_guard != "allow"


def executed(op: Op, decision: Decision, name: str | None, call: Executed) -> None:
    """Notify all observers that an op ran."""
    if devices.settings().log_device_placement:
        sys.stderr.write(f"Executing op {op.name} in device {decision.device.name}\n")
    copies = _observers.pending.copies
    if _observers.logs:
        why = "; ".join(decision.reasons)
        line = str(user_line() or "")
        device = decision.device.name
        add_entry(
            Entry(
                op.name,
                name or "",
                decision.requested,
                device,
                why,
                line,
                tuple(copies),
                fell_back=decision.fell_back,
            ),
            call,
        )
    copies.clear()


def add_entry(entry: Entry, call: Executed) -> None:
    """Append an op that ran to the open logs."""
    _observers.pending.expected.clear()  # what did not move was there already
    for log in _observers.logs:
        log.ran(entry, call)


# Transfers. A simulated device computes on the host, and a planned one not at all: a transfer is
# logged where a real one would happen. With separate memories it is announced first, and logged
# with its bytes when it happens.


def add_transfer(
    transfer: Copy, source: Device, target: Device, nbytes: int, content: Any = None
) -> Copy:
    """Append a transfer between two devices to the open logs, now or when it takes place."""
    if _tells_moves(source) or _tells_moves(target):
        _observers.pending.expected.append(transfer)
        return transfer
    result = replace(transfer, bytes=nbytes)
    for log in _observers.logs:
        log.moved(result, content)
    return result


def _tells_moves(device: Device) -> bool:
    return device.has_own_memory and device.has_contents


def moved(source: device, target: device, nbytes: int) -> None:
    """Append a transfer that takes place between two torch devices to the open logs."""
    if not devices.inventory().default.has_contents:
        return  # told when it was announced: torch does not know which of the planned GPUs it is
    names = _name_of(source), _name_of(target)
    expected = _observers.pending.expected
    for place, transfer in enumerate(expected):
        if (transfer.source, transfer.target) == names:
            del expected[: place + 1]
            break
    else:
        transfer = Copy(0, *names, 0, "host")
    copied = replace(transfer, bytes=nbytes)
    for log in _observers.logs:
        log.moved(copied, None)


def _name_of(torch_device: Any) -> str:
    for device in devices.inventory().devices:
        kind, _, index = device.torch_device.partition(":")
        if kind == torch_device.type and (not index or int(index) == torch_device.index):
            return str(device.name)
    return str(torch_device)


def bytes_of(value: Any) -> int | None:
    """Return how many bytes of a device's memory a content takes; None if it is kept on the host.

    Strings, resources and int32 are kept there.
    """
    if not hasattr(value, "numel") or str(value.dtype) == "torch.int32":
        return None
    return int(value.numel() * value.element_size())


def fetching(value: Any, device: Any, kind: str = "fetch") -> None:
    """Log that a content of a device is about to be read on the host."""
    nbytes = bytes_of(value)
    if device.has_own_memory and value.device.type == "cpu":
        return  # integers may be in either memory
    if device.is_accelerator and nbytes is not None:
        cpu = devices.inventory().cpu
        add_transfer(Copy(0, device.name, cpu.name, 0, kind), device, cpu, nbytes, value)


def feeding(value: Content, device: Device, kind: str = "feed") -> None:
    """Log that a value of the program is about to be copied to a device."""
    nbytes = bytes_of(value)
    if _observers.logs and device.is_accelerator and nbytes is not None:
        cpu = devices.inventory().cpu
        add_transfer(Copy(0, cpu.name, device.name, 0, kind), cpu, device, nbytes, value)


def copying_in_plan(copy: Copy) -> None:
    """Refuse, or warn of, a copy between devices that a session or function makes unasked."""
    what = copy.tensor or "a tensor"
    message = f"{what} is copied from {copy.source} to {copy.target} for {copy.op or 'its readers'}"
    if _observers.copy_guard == "forbid":
        text = hint(
            f"Tensors on conflicting devices: {message}",
            "placewise.copies('forbid') allows no such copy",
            "place the ops that use it on one device, or copy it with tf.identity",
        )
        raise InvalidArgumentError(None, None, text)
    key = (copy.tensor, copy.op, copy.source, copy.target)
    if _observers.copy_guard == "warn" and key not in _observers.warned:
        _observers.warned.add(key)
        _warn(message)


def _warn(text: str) -> None:
    """Warn at the line of the program that runs, however many calls of ours are in between."""
    origin = user_line(1)
    if origin is None:
        warnings.warn(text, PlacementWarning, stacklevel=3)
    else:
        warnings.warn_explicit(text, PlacementWarning, origin.file, origin.line)


def fell_back(op: Op, decision: Decision) -> None:
    """Say once that an op runs elsewhere than asked; an error in strict mode."""
    text = f"{op.name} does not run on {short(decision.requested)} as requested: {decision.text()}"
    if _observers.is_strict:
        raise InvalidArgumentError(
            None, None, hint(text, "placewise.strict() forbids this", "ask for a device it can use")
        )
    key = (op.name, decision.requested, decision.device.name)
    if key not in _observers.warned:
        _observers.warned.add(key)
        _warn(text)


def copying(tensor: Any, device: Any, op: Any, index: int) -> None:
    """Notify all observers that an input is about to be copied to another device."""
    name = op.name if op is not None else "copy"
    if name not in ("Identity", "IdentityN"):
        _guard(tensor, device, name, index)
    nbytes = bytes_of(tensor._value)
    if _observers.logs and nbytes is not None:
        copy = Copy(index, tensor.device, device.name, nbytes, op=name)
        source, content = tensor._device, tensor._value
        transfer = add_transfer(copy, source, device, nbytes, content)
        _observers.pending.copies.append(transfer)


def _guard(tensor: Tensor, device: Device, name: str, index: int) -> None:
    """Refuse, or warn of, a copy of an input that is made unasked."""
    policy = devices.settings().device_policy
    where = (
        f"cannot compute {name} as input #{index} was expected to be on {device.name} but is "
        f"actually on {tensor.device} (operation running on {device.name})"
    )
    refuse = policy in ("explicit", "silent_for_int32") or _observers.copy_guard == "forbid"
    if refuse:
        raise InvalidArgumentError(
            None,
            None,
            f"Tensors on conflicting devices: {where} Tensors can be copied explicitly using: "
            "`with tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
            "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices "
            f"may slow down your model [Op:{name}] name: ",
        )
    if policy == "warn" or _observers.copy_guard == "warn":
        key = (name, tensor.device, device.name)
        if key not in _observers.warned:
            _observers.warned.add(key)
            _warn(
                f"before computing {name} input #{index} was expected to be on {device.name} but "
                f"is actually on {tensor.device} (operation running on {device.name}). This "
                "triggers a copy which can be a performance bottleneck."
            )


@contextmanager
def recording(log: Log) -> Iterator[Log]:
    """Let a log hear of all that runs in the block."""
    _observers.open(log)
    try:
        yield log
    finally:
        _observers.close(log)


@contextmanager
def record() -> Iterator[Log]:
    """Collect one entry per op that runs in the block: where, why, and what was copied.

    Ops of sessions and functions have theirs too, each time they run; `log.transfers` has all that
    went between devices. What datasets compute on the host for their elements is not listed.

    >>> import placewise as tf
    >>> with tf.record() as log:
    ...     _ = tf.constant([1.0]) + tf.constant([2.0])
    >>> [entry.op for entry in log]
    ['AddV2']
    """
    with recording(Log()) as log:
        yield log


class assert_on:  # noqa: N801 - used as a statement, like pytest.raises
    """Check that every op of the block runs on one device: `with assert_on('/GPU:0'): …`."""

    def __init__(self, device: str) -> None:
        self.wanted = merge_eager("", device)

    def __enter__(self) -> Log:
        self._recording = record()
        self.log = self._recording.__enter__()
        return self.log

    def __exit__(self, *exception: Any) -> None:
        self._recording.__exit__(*exception)
        if exception[0] is not None:
            return
        elsewhere = [entry for entry in self.log if entry.device != self.wanted]
        if elsewhere:
            lines = "\n".join(
                f"  {e.op} ran on {short(e.device)} ({e.reason}) at {e.line}" for e in elsewhere
            )
            raise AssertionError(
                f"{len(elsewhere)} of {len(self.log)} ops did not run on "
                f"{short(self.wanted)}:\n{lines}"
            )


class _Setting:
    """A guard set for good, or for a block when used with `with`."""

    def __init__(self, field_name: str, value: Any) -> None:
        self.field, self.before = field_name, getattr(_observers, field_name)
        setattr(_observers, field_name, value)
        _observers.refresh()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        setattr(_observers, self.field, self.before)
        _observers.refresh()


def strict(on: bool = True) -> _Setting:
    """Turn every fallback to another device into an error, from now on or for a `with` block."""
    return _Setting("is_strict", on)


def copies(policy: str) -> _Setting:
    """Say what a copy nobody asked for does: 'allow', 'warn' or 'forbid'."""
    if policy not in ("allow", "warn", "forbid"):
        raise ValueError(f"copies takes 'allow', 'warn' or 'forbid', not {policy!r}")
    return _Setting("copy_guard", policy)


def explain(tensor: Tensor) -> str:
    """Return, and print nothing of, why a tensor is where it is."""
    copied = getattr(tensor, "_made", None)
    if isinstance(copied, Decision):
        return copied.text()
    device = tensor._device if hasattr(tensor, "_device") else None
    if device is None:
        raise TypeError(f"explain takes a tensor, not {tensor!r}")
    present = devices.inventory()
    if device is present.default and not current.request:
        why = (
            "no device requested: a GPU is preferred, lowest id first"
            if device.is_accelerator
            else "there is no GPU here"
        )
    else:
        why = "its inputs were there, and so was the device in force"
    return f"{device.name}: {why}"
