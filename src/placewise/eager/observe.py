"""Placement as data: who ran where, which copies were made, and the guards a program may set.

Off the fast path: `watch.on` is True only while something here is in use.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from placewise.core.errors import InvalidArgumentError, hint
from placewise.core.scope import local, watch
from placewise.devices import inventory as devices
from placewise.devices.origin import user_line
from placewise.placement.decision import Decision


class PlacementWarning(UserWarning):
    """An op did not run where it was asked to, or data was copied unasked."""


@dataclass(frozen=True)
class Copy:
    """Bytes that an op's input cost to bring from another device."""

    input: int
    source: str
    target: str
    bytes: int


@dataclass(frozen=True)
class Entry:
    """One executed op."""

    op: str
    name: str
    requested: str
    device: str
    reason: str
    line: str
    copies: tuple[Copy, ...] = ()


@dataclass
class Log:
    """The ops that ran while `record()` was open, in order."""

    entries: list[Entry] = field(default_factory=list)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def copies(self) -> list[Copy]:
        """Return every copy between devices."""
        return [copy for entry in self.entries for copy in entry.copies]

    def to_json(self) -> str:
        """Return the entries as JSON."""
        return json.dumps([asdict(entry) for entry in self.entries], indent=2)

    def table(self) -> str:
        """Return the entries as aligned text: op, device, bytes copied in, reason, line."""
        rows = [("op", "device", "copied in", "why", "at")]
        rows += [
            (e.op, _short(e.device), str(sum(c.bytes for c in e.copies) or "-"), e.reason, e.line)
            for e in self.entries
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )


class _Observers:
    """Who wants to know: recorders, the copy guard, strictness, what was warned of already."""

    def __init__(self) -> None:
        self.logs: list[Log] = []
        self.copy_guard = "allow"
        self.is_strict = False
        self.warned: set[Any] = set()
        self.pending: list[Copy] = []

    def refresh(self) -> None:
        """Turn the fast path off exactly while somebody watches."""
        watch.on = bool(
            self.logs
            or watch.after_op
            or self.copy_guard != "allow"
            or self.is_strict
            or devices.settings().log_device_placement
            or devices.settings().device_policy not in (None, "silent")
        )


_observers = _Observers()
devices.on_settings(_observers.refresh)
devices.on_change(_observers.refresh)
watch.refresh = _observers.refresh
_observers.refresh()  # what was set before the first op counts too


def _short(name: str) -> str:
    return name.rpartition("/device:")[2]


def executed(op: Any, decision: Decision, name: str | None) -> None:
    """Tell everybody who watches that an op ran."""
    if devices.settings().log_device_placement:
        sys.stderr.write(f"Executing op {op.name} in device {decision.device.name}\n")
    if _observers.logs:
        entry = Entry(
            op.name, name or "", decision.requested, decision.device.name,
            "; ".join(decision.reasons), str(user_line() or ""), tuple(_observers.pending),
        )  # fmt: skip
        for log in _observers.logs:
            log.entries.append(entry)
    _observers.pending.clear()


def noted(op: Any, decision: Decision, name: str, origin: Any) -> None:
    """Tell who records that an op of a function ran."""
    if _observers.logs:
        entry = Entry(
            op.name, name, decision.requested, decision.device.name, "; ".join(decision.reasons),
            str(origin or ""), tuple(_observers.pending),
        )  # fmt: skip
        for log in _observers.logs:
            log.entries.append(entry)
    _observers.pending.clear()


def copying_in_plan(source: Any, target: Any) -> None:
    """Refuse, or tell of, a copy between devices that a function makes."""
    told = f"a function copies a tensor from {source.name} to {target.name}"
    if _observers.copy_guard == "forbid":
        raise InvalidArgumentError(
            None, None,
            hint(f"Tensors on conflicting devices: {told}",
                 "placewise.copies('forbid') allows no such copy",
                 "place the ops that use it on one device"),
        )  # fmt: skip
    if _observers.copy_guard == "warn" and (source.name, target.name) not in _observers.warned:
        _observers.warned.add((source.name, target.name))
        warnings.warn(told, PlacementWarning, stacklevel=6)
    _observers.pending.append(Copy(0, source.name, target.name, 0))


def fell_back(op: Any, decision: Decision) -> None:
    """Say once that an op runs elsewhere than asked; an error in strict mode."""
    text = f"{op.name} does not run on {_short(decision.requested)} as requested: {decision.text()}"
    if _observers.is_strict:
        raise InvalidArgumentError(
            None, None, hint(text, "placewise.strict() forbids this", "ask for a device it can use")
        )
    key = (op.name, decision.requested, decision.device.name)
    if key not in _observers.warned:
        _observers.warned.add(key)
        warnings.warn(text, PlacementWarning, stacklevel=6)


def copying(tensor: Any, device: Any, op: Any, index: int) -> None:
    """Tell everybody who watches that an input is about to be copied to another device."""
    value = tensor._value
    size = value.numel() * value.element_size() if hasattr(value, "numel") else 0
    _observers.pending.append(Copy(index, tensor.device, device.name, size))
    policy = devices.settings().device_policy
    name = op.name if op is not None else "copy"
    if name in ("Identity", "IdentityN"):
        return
    where = (
        f"cannot compute {name} as input #{index} was expected to be on {device.name} but is "
        f"actually on {tensor.device} (operation running on {device.name})"
    )
    refuse = policy in ("explicit", "silent_for_int32") or _observers.copy_guard == "forbid"
    if refuse:
        raise InvalidArgumentError(
            None, None,
            f"Tensors on conflicting devices: {where} Tensors can be copied explicitly using: "
            "`with tf.device(device_name): x = tf.identity(x)` or transparently copied by using "
            "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices "
            f"may slow down your model [Op:{name}] name: ",
        )  # fmt: skip
    if policy == "warn" or _observers.copy_guard == "warn":
        key = (name, tensor.device, device.name)
        if key not in _observers.warned:
            _observers.warned.add(key)
            warnings.warn(
                f"before computing {name} input #{index} was expected to be on {device.name} but "
                f"is actually on {tensor.device} (operation running on {device.name}). This "
                "triggers a copy which can be a performance bottleneck.",
                PlacementWarning, stacklevel=6,
            )  # fmt: skip


@contextmanager
def record() -> Iterator[Log]:
    """Collect one entry per op that runs in the block: where, why, and what was copied.

    >>> import placewise as tf
    >>> with tf.record() as log:
    ...     _ = tf.constant([1.0]) + tf.constant([2.0])
    >>> [entry.op for entry in log]
    ['AddV2']
    """
    log = Log()
    _observers.logs.append(log)
    _observers.refresh()
    try:
        yield log
    finally:
        _observers.logs.remove(log)
        _observers.refresh()


class assert_on:  # noqa: N801 - used as a statement, like pytest.raises
    """Check that every op of the block runs on one device: `with assert_on('/GPU:0'): …`."""

    def __init__(self, device: str) -> None:
        from placewise.devices.names import merge_eager

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
                f"  {e.op} ran on {_short(e.device)} ({e.reason}) at {e.line}" for e in elsewhere
            )
            raise AssertionError(
                f"{len(elsewhere)} of {len(self.log)} ops did not run on "
                f"{_short(self.wanted)}:\n{lines}"
            )


class _Setting:
    """A guard set for good, or for a block when used with `with`."""

    def __init__(self, field_name: str, value: Any) -> None:
        self.field, self.before = field_name, getattr(_observers, field_name)
        setattr(_observers, field_name, value)
        _observers.refresh()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: Any) -> None:
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


def explain(tensor: Any) -> str:
    """Return, and print nothing of, why a tensor is where it is."""
    made = getattr(tensor, "_made", None)
    if isinstance(made, Decision):
        return made.text()
    device = tensor._device if hasattr(tensor, "_device") else None
    if device is None:
        raise TypeError(f"explain takes a tensor, not {tensor!r}")
    found = devices.inventory()
    if device is found.default and not local.request:
        why = (
            "no device requested: a GPU is preferred, lowest id first"
            if device.kind != "CPU"
            else "there is no GPU here"
        )
    else:
        why = "its inputs were there, and so was the device in force"
    return f"{device.name}: {why}"
