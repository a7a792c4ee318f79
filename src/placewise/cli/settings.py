"""What the options of `run` set before the program starts: which devices it sees, and how.

Devices are chosen through the environment, as a user would by hand, so that processes the program
starts see the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.cli.errors import UnusableError
from placewise.cli.gpu_selection import lease_free, parse_free, share
from placewise.core import environment
from placewise.devices import configuration, inventory
from placewise.devices.machine import parse_machine
from placewise.devices.policy import parse_policy
from placewise.devices.report import describe_machine

if TYPE_CHECKING:
    from placewise.devices.report import Row


def apply(arguments: argparse.Namespace) -> None:
    """Put the options of `run` into effect."""
    if arguments.simulate is not None:
        environment.put("PLACEWISE_SIMULATE", checked_machine(arguments.simulate))
    if arguments.memory is not None:
        environment.put("PLACEWISE_MEMORY", checked_memory(arguments.memory))
        _check_memory(arguments.memory)
    if arguments.place is not None:
        environment.put("PLACEWISE_PLACE", arguments.place)
    if arguments.watch is not None:
        environment.put("PLACEWISE_WATCH_SECONDS", f"{arguments.watch:g}")
    if arguments.gpus is not None:
        _choose(arguments)
    if arguments.share is not None and not (arguments.gpus or "").startswith("free"):
        _take_share(*arguments.share)
    if arguments.log_placement:
        _put("log_device_placement", True)
    if arguments.soft is not None:
        _put("soft_placement", arguments.soft)


def _put(setting: str, value: bool) -> None:
    # Each option loads what it needs, so that a plain run starts as fast as Python.

    inventory.put(setting, value)


def _choose(arguments: argparse.Namespace) -> None:
    """Set CUDA_VISIBLE_DEVICES to the GPUs asked for, and note that this process has them."""
    gpus, before = arguments.gpus, environment.read("CUDA_VISIBLE_DEVICES")
    free = parse_free(gpus)
    # Looked at with the machine's own masks, then forgotten: the program looks anew.
    try:
        machine = describe_machine() if free or gpus not in ("none", "0") else None
    except ValueError as error:
        raise UnusableError(f"PLACEWISE_SIMULATE: {error}") from None
    inventory.reset()
    if free and machine:
        needed = _needed_bytes(arguments.memory, machine.rows)
        visible = lease_free(machine, gpus, needed, arguments.wait or 0.0)
    else:
        visible = visible_devices(gpus, before)
        if machine:
            _check_present(gpus, visible, before, machine.rows)
            if not machine.rows:
                said = "no GPU can be used here, see `placewise devices`"
                print(f"placewise run: --gpus {gpus} has no effect: {said}", file=sys.stderr)
            for line in share(machine, visible):
                print(f"placewise run: {line}", file=sys.stderr)
    if arguments.verbose:
        print(f"placewise run: CUDA_VISIBLE_DEVICES={visible}", file=sys.stderr)
    environment.put("CUDA_VISIBLE_DEVICES", visible)


def _check_present(gpus: str, visible: str, before: str | None, rows: Sequence[Row]) -> None:
    """Raise for a GPU by number that the machine does not have."""
    count = sum(bool(row.tensorflow) for row in rows)
    if before is not None or not rows:
        return  # numbers were checked against the mask, or there is none at all
    for entry in visible.split(","):
        if entry.isdecimal() and int(entry) >= count:
            one = count == 1
            raise UnusableError(
                f"--gpus {gpus}: there is no GPU {entry}; this machine has {count} usable "
                f"GPU{'' if one else 's'}, see `placewise devices`"
            )


def _check_memory(text: str) -> None:
    """Raise for a limit that no GPU of the machine reaches."""
    limit = parse_policy(text).limit_bytes
    rows = describe_machine().rows if limit is not None else []
    inventory.reset()
    largest = max((row.reading.total_bytes for row in rows if row.tensorflow), default=None)
    if limit is not None and largest is not None and limit > largest:
        raise UnusableError(
            f"--memory {text}: the largest GPU has {largest / 2**30:.1f} GiB; ask for less, or for "
            "a share such as 0.9"
        )


def _take_share(rank: int, workers: int) -> None:
    """Leave one of several workers on this machine its part of the real GPUs, at least one.

    They stay physical devices, so that a program that divides them by itself can. Simulated GPUs
    are every worker's own.
    """
    gpus = configuration.get_visible_devices("GPU")
    if gpus and inventory.discovery().machine is None:
        configuration.set_visible_devices(part_of(gpus, rank, workers), "GPU")


def part_of(gpus: list[Any], rank: int, workers: int) -> list[Any]:
    """Return the GPUs of one worker: as many as every other's.

    >>> part_of(["a", "b", "c", "d"], 1, 2), part_of(["a", "b"], 2, 3)
    (['c', 'd'], ['a'])
    """
    count = len(gpus) // workers
    return gpus[rank * count : (rank + 1) * count] or [gpus[rank % len(gpus)]]


def _needed_bytes(memory: str | None, rows: Sequence[Row]) -> float | None:
    """Return how much of a card must be free for what `--memory` allows; None for nearly all."""
    if memory is None or not rows:
        return None

    policy = parse_policy(memory)
    if policy.limit_bytes is not None:
        return float(policy.limit_bytes)
    if policy.fraction is not None:
        return policy.fraction * min(row.reading.total_bytes for row in rows)
    return None


def checked_machine(text: str) -> str:
    """Return the description of a machine when it is one, else say what is wrong with it."""
    try:
        parse_machine(text)
    except ValueError as error:
        raise UnusableError(f"--simulate {text}: {error}") from None
    return text


def checked_memory(text: str) -> str:
    """Return a memory policy when it is one, else say what would be."""
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
        raise UnusableError(
            f"--gpus {gpus}: say how many (2), which (0,2 or GPU-8932f937), free or none"
        )
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
