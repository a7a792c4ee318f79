"""What a running program says of itself, as data: a small JSON text with a magic beginning."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

MAGIC = b'{"placewise-status": 1, '
LARGEST_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """A GPU of the program; `used_bytes` is what its tensors take there."""

    name: str
    model: str
    bus_id: str
    uuid: str
    simulated: bool
    used_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Status:
    """A program at one moment. Times are in seconds since 1970.

    `start` and `namespace` tell the process from a later one, or one of another container, with
    the same number. `machine` is the simulated machine, if it runs on one.
    """

    uid: int
    pid: int
    start: int
    namespace: str
    since: float
    updated: float
    command: str
    program: str
    phase: str
    phase_since: float
    steps: int
    steps_per_second: float | None
    machine: str | None
    devices: tuple[DeviceUse, ...] = ()


def to_bytes(status: Status) -> bytes:
    """Return the content of a status file."""
    return MAGIC + json.dumps(asdict(status))[1:].encode()


def from_bytes(content: bytes, uid: int) -> Status | None:
    """Return what a file of a user says; None if it is no status, or says another user's."""
    if not content.startswith(MAGIC) or len(content) > LARGEST_BYTES:
        return None
    try:
        said: dict[str, Any] = json.loads(content)
        del said["placewise-status"]
        devices = tuple(DeviceUse(**_checked(DeviceUse, device)) for device in said.pop("devices"))
        status = Status(**_checked(Status, said), devices=devices)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return status if status.uid == uid else None


_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "str | None": (str, type(None)),
    "float | None": (int, float, type(None)),
}


def _checked(kind: type[Any], said: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass, each of its type; raise TypeError otherwise."""
    expected = {field.name: _KINDS.get(str(field.type)) for field in fields(kind)}
    for name, value in said.items():
        types = expected.get(name)
        if types is None or not isinstance(value, types):
            raise TypeError(name)
    return said
