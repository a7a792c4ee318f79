"""What the options of `run` set before the program starts: which devices it sees, and how.

Devices are chosen through the environment, as a user would by hand, so that processes the program
starts see the same.
"""

from __future__ import annotations

import argparse
import os

from placewise.devices import inventory
from placewise.devices.machine import parse_machine


class UnusableError(Exception):
    """An option's value makes no sense here; the message says why and what would."""


def apply(arguments: argparse.Namespace) -> None:
    """Put the options of `run` into effect."""
    if arguments.simulate is not None:
        os.environ["PLACEWISE_SIMULATE"] = checked_machine(arguments.simulate)
    if arguments.gpus is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible_devices(
            arguments.gpus, os.environ.get("CUDA_VISIBLE_DEVICES")
        )
    if arguments.memory is not None:
        os.environ["PLACEWISE_MEMORY"] = checked_memory(arguments.memory)
    if arguments.log_placement:
        inventory.put("log_device_placement", True)
    if arguments.soft is not None:
        inventory.put("soft_placement", arguments.soft)


def checked_machine(text: str) -> str:
    """Return the description of a machine when it is one, else say what is wrong with it."""
    try:
        parse_machine(text)
    except ValueError as error:
        raise UnusableError(f"--simulate {text}: {error}") from None
    return text


def checked_memory(text: str) -> str:
    """Return a memory policy when it is one, else say what would be."""
    from placewise.memory.budget import parse_policy

    try:
        parse_policy(text)
    except ValueError as error:
        raise UnusableError(f"--memory {text}: {error}") from None
    return text


def visible_devices(gpus: str, before: str | None) -> str:
    """Return the CUDA_VISIBLE_DEVICES that shows only `gpus` of what `before` shows.

    A number says how many; a list says which, in the numbering the program would see without the
    option; entries that are not numbers are UUIDs.

    >>> visible_devices("2", None), visible_devices("0,2", "7,5,3"), visible_devices("none", "1")
    ('0,1', '7,3', '-1')
    """
    # "-1" and not "": some tools take an empty variable for one that is not set.
    if gpus == "none" or gpus == "0":
        return "-1"
    shown = None if before is None else [entry.strip() for entry in before.split(",")]
    if gpus.isdecimal():
        wanted = [str(index) for index in range(int(gpus))]
    else:
        wanted = [entry.strip() for entry in gpus.split(",") if entry.strip()]
    if not wanted:
        raise UnusableError(f"--gpus {gpus}: say how many (2), which (0,2 or GPU-8932f937) or none")
    return ",".join(_translated(gpus, entry, shown) for entry in wanted)


def _translated(gpus: str, entry: str, shown: list[str] | None) -> str:
    if not entry.isdecimal():
        if entry.startswith(("GPU-", "MIG-")):
            return entry
        raise UnusableError(
            f"--gpus {gpus}: {entry!r} is neither an index nor a UUID (GPU-…, MIG-…)"
        )
    if shown is None:
        return entry
    if int(entry) >= len(shown):
        here = f"CUDA_VISIBLE_DEVICES={','.join(shown)} shows {len(shown)}"
        raise UnusableError(f"--gpus {gpus}: there is no GPU {entry}; {here}")
    return shown[int(entry)]
