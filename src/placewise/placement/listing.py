"""The devices there are, listed for an error."""

from __future__ import annotations

from collections.abc import Sequence

from placewise.devices.device import Device

_SHOWN = 16

# What to do where soft placement is on: it changes the kind and the index of a device alone.
KEEPS_TASK = "soft placement keeps the job and the task of a device: leave them out of its name"


def list_devices(devices: Sequence[Device]) -> str:
    """Return the short names of devices; by task where they are of several.

    >>> list_devices(())
    ''
    """
    tasks: dict[str, list[str]] = {}
    for device in devices[:_SHOWN]:
        task = device.name.partition("/device:")[0].replace("/replica:0", "")
        tasks.setdefault(task, []).append(f"{device.kind}:{device.index}")
    rows = [", ".join(names) for names in tasks.values()]
    if len(tasks) > 1:
        rows = [f"{task} has {names}" for task, names in zip(tasks, rows, strict=True)]
    more = len(devices) - _SHOWN
    return "; ".join(rows) + (f" and {more} more" if more > 0 else "")
