"""The files of leases: how one is told from any other file, read, written and removed.

A folder of leases may hold anything, put there by anyone. A lease has a name of its own form, is a
small regular file, begins with a fixed word, and names the user who owns it. Nothing that fails one
of these checks is read further, and nothing but a lease is ever removed. No open waits or follows.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Generator
from typing import Any, NamedTuple

from placewise.cli.lease_folder import Folder

_NAME = re.compile(r"placewise-lease-[0-9]+-[0-9a-f]{16}\.json")
_MAGIC = b'{"placewise-lease": 1, '
_LARGEST_BYTES = 1 << 16
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC if os.name == "posix" else 0


class Lease(NamedTuple):
    """Who has which cards. `since` is in seconds since 1970."""

    pid: int
    since: float
    command: str
    cards: tuple[str, ...]

    def __str__(self) -> str:
        started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"pid {self.pid} since {started} ({self.command})"


def every_lease(folder: Folder) -> Generator[tuple[str, int, Lease]]:
    """Give (file name, open file, lease) for each lease in a folder; each is closed in turn."""
    for name in sorted(os.listdir(folder.handle)):
        if not _NAME.fullmatch(name):
            continue
        try:
            handle = open_regular(folder, name)
        except OSError:
            continue  # a link, a pipe, a folder, or not for us to read
        try:
            if (lease := _read(handle)) is not None:
                yield name, handle, lease
        finally:
            os.close(handle)


def open_regular(folder: Folder, name: str, flags: int = 0) -> int:
    """Open a regular file of the folder for reading; OSError if it is anything else."""
    handle = os.open(name, os.O_RDONLY | flags | _SAFELY, 0o644, dir_fd=folder.handle)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(None, f"{name} is not a regular file")
    return handle


def _read(handle: int) -> Lease | None:
    """Return what a lease says, or None for a file that is not one."""
    found = os.fstat(handle)
    if found.st_size > _LARGEST_BYTES:
        return None
    try:
        text = os.pread(handle, _LARGEST_BYTES, 0)
        if not text.startswith(_MAGIC):
            return None
        said: Any = json.loads(text)
        if said["uid"] != found.st_uid:
            return None  # written by one user in the name of another
        cards = tuple(str(card) for card in said["cards"])
        return Lease(int(said["pid"]), float(said["since"]), str(said["command"]), cards)
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        return None


def write(folder: Folder, lease: Lease) -> int:
    """Write a lease and return its open file; the caller locks it."""
    name = f"placewise-lease-{lease.pid}-{secrets.token_hex(8)}.json"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFELY
    handle = os.open(name, flags, 0o644, dir_fd=folder.handle)
    try:
        os.fchmod(handle, 0o644)  # every user reads it, whatever the umask
        said = json.dumps({"uid": os.fstat(handle).st_uid, **lease._asdict()})
        os.write(handle, _MAGIC + said[1:].encode())
    except OSError:
        os.close(handle)
        os.unlink(name, dir_fd=folder.handle)
        raise
    return handle


def remove(folder: Folder, name: str, handle: int) -> None:
    """Remove a lease that nobody holds, if the kernel lets this user."""
    with contextlib.suppress(OSError):
        now = os.stat(name, dir_fd=folder.handle, follow_symlinks=False)
        if os.path.samestat(now, os.fstat(handle)):
            os.unlink(name, dir_fd=folder.handle)
