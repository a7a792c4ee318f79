"""The status files of running programs: one folder a user, one file a process.

The folder is the user's own and closed to others. A file has a name of its own form, is a small
regular file of the folder's owner, and begins with a fixed word. Nothing that fails a check is
read further. Only a file that passes all of them, of a process of this user that is gone for
certain, is removed. No open follows a link or waits.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from placewise.core import environment
from placewise.monitor import processes
from placewise.monitor.status import LARGEST_BYTES, Status, from_bytes, to_bytes

_NAME = re.compile(r"placewise-status-[0-9]+-[0-9a-f]{16}\.json(?:\.new)?")
_FOLDER = re.compile(r"placewise-status-([0-9]+)")
_IS_POSIX = os.name == "posix"
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC if _IS_POSIX else 0
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | _SAFELY if _IS_POSIX else 0
OFF = "off"


class Entry(NamedTuple):
    """A status that was read. `is_alive` is None for a process of another container."""

    status: Status
    is_alive: bool | None


class StatusFile:
    """The file of this process; `write` replaces its content at once, `remove` ends it."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._pid = os.getpid()
        self._name = f"placewise-status-{self._pid}-{secrets.token_hex(8)}.json"

    def write(self, status: Status) -> None:
        """Let readers see this status from now on; OSError if the disk or folder refuses."""
        new = f"{self._name}.new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new, dir_fd=self._folder)  # left by a write that failed
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
        handle = os.open(new, flags, 0o600, dir_fd=self._folder)
        try:
            os.write(handle, to_bytes(status))
        finally:
            os.close(handle)
        os.rename(new, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def remove(self) -> None:
        """Remove the file, unless this process is only a fork of the one that wrote it."""
        if os.getpid() != self._pid:
            return
        for name in (self._name, f"{self._name}.new"):
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=self._folder)
        os.close(self._folder)


def create() -> StatusFile | None:
    """Return the file for this process, not yet written; None where status is off or unsafe."""
    place = _own_folder()
    if place is None:
        return None
    try:
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
        handle = _open_folder(place, os.getuid())
    except OSError:
        return None
    return None if handle is None else StatusFile(handle)


def read_all() -> list[Entry]:
    """Return what running programs say, and those that ended without removing their file.

    The latter are returned once: their files are removed. Root sees the programs of all users.
    """
    entries = []
    for place, uid in _folders():
        try:
            handle = _open_folder(place, uid)
        except OSError:
            continue
        if handle is None:
            continue
        try:
            entries += list(_read_folder(handle, uid))
        finally:
            os.close(handle)
    return sorted(entries, key=lambda entry: entry.status.since)


def _own_folder() -> Path | None:
    chosen = environment.read("PLACEWISE_STATUS")
    if not _IS_POSIX or (chosen or "").lower() == OFF:
        return None
    if chosen:
        return Path(chosen)
    return Path(tempfile.gettempdir(), f"placewise-status-{os.getuid()}")


def _folders() -> list[tuple[Path, int]]:
    """Return the folders to look into, each with the user whose it must be."""
    own = _own_folder()
    if own is None:
        return []
    folders = [(own, os.getuid())]
    if os.getuid() == 0 and environment.read("PLACEWISE_STATUS") is None:
        for name in sorted(os.listdir(own.parent)):
            match = _FOLDER.fullmatch(name)
            if match and int(match[1]) != 0:
                folders.append((own.parent / name, int(match[1])))
    return folders


def _open_folder(place: Path, uid: int) -> int | None:
    """Open a folder; None unless it is the user's own and no other can write to it."""
    handle = os.open(place, _DIRECTORY)
    facts = os.fstat(handle)
    if facts.st_uid != uid or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        os.close(handle)
        return None
    return handle


def _read_folder(folder: int, uid: int) -> Iterator[Entry]:
    for name in sorted(os.listdir(folder)):
        if not _NAME.fullmatch(name):
            continue
        try:
            handle = os.open(name, os.O_RDONLY | _SAFELY, dir_fd=folder)
        except OSError:
            continue  # a link, a pipe, or gone already
        try:
            status = _read(handle, uid)
            if status is None:
                continue
            alive = is_alive(status)
            if alive is False and uid == os.getuid():
                _remove(folder, name, handle)
        finally:
            os.close(handle)
        if not name.endswith(".new"):
            yield Entry(status, alive)


def _read(handle: int, uid: int) -> Status | None:
    facts = os.fstat(handle)
    if not stat.S_ISREG(facts.st_mode) or facts.st_uid != uid or facts.st_size > LARGEST_BYTES:
        return None
    return from_bytes(os.pread(handle, LARGEST_BYTES + 1, 0), uid)


def _remove(folder: int, name: str, handle: int) -> None:
    with contextlib.suppress(OSError):
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if os.path.samestat(now, os.fstat(handle)):
            os.unlink(name, dir_fd=folder)


def is_alive(status: Status) -> bool | None:
    """Return whether the process still runs; None if it is not to be seen from here."""
    if status.namespace != namespace():
        return None
    facts = processes.find(status.pid)
    return facts is not None and not facts.is_zombie and facts.start == status.start


def namespace() -> str:
    """Return what tells the process numbers of one container from those of another."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
