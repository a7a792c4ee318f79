"""The order of writes on the disk: what takes another's place is there before it does.

A power cut keeps what was synced and any part of the rest. So each file is synced before the rename
that publishes it, and the folder after it. Observed where Python calls the system.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock


@contextmanager
def observed() -> Iterator[list[tuple[str, str]]]:
    """Yield a list that fills with (what, path): syncs and renames in their order."""
    events: list[tuple[str, str]] = []
    fsync, replace, rename = os.fsync, os.replace, os.rename

    def synced(handle: int) -> None:
        fsync(handle)
        number = handle if isinstance(handle, int) else handle.fileno()  # type: ignore[unreachable]
        events.append(("sync", os.readlink(f"/proc/self/fd/{number}")))

    def replaced(source: str, target: str, **options: object) -> None:
        replace(source, target, **options)  # type: ignore[arg-type]
        if options:  # beside an open folder: the status for `placewise top`, which no save is
            return
        events.append(("rename", f"{os.path.abspath(source)} {os.path.abspath(target)}"))

    with (
        mock.patch("os.fsync", synced),
        mock.patch("os.replace", replaced),
        mock.patch("os.rename", replaced if rename is os.rename else rename),
    ):
        yield events


def faults(events: list[tuple[str, str]]) -> list[str]:
    """Return the renames whose file was not synced before, or whose folder was not after."""
    problems = []
    for number, (what, text) in enumerate(events):
        if what != "rename":
            continue
        source, _, target = text.partition(" ")
        before = {path for kind, path in events[:number] if kind == "sync"}
        after = {path for kind, path in events[number:] if kind == "sync"}
        # A folder's files are synced one by one, then the folder is moved.
        if source not in before and not any(path.startswith(source + "/") for path in before):
            problems.append(f"{target} was renamed before it was synced")
        if os.path.dirname(target) not in after:
            problems.append(f"the folder of {target} was not synced after the rename")
    return problems
