"""Files that are to take another's place: written beside it, renamed when whole, locked till then.

A draft is locked (`flock`) by the process that writes it. The kernel ends the lock with the
process, so a draft that nobody has locked was left by one that is gone, and whoever next writes to
the same place, or to that of another step, removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # no such locks on this system: nothing that a killed program left is removed
    fcntl = None  # type: ignore[assignment]

_OURS = re.compile(r"\.tempstate-[0-9a-f]{16}")
_TENSORFLOWS = re.compile(r"\.tempstate[0-9]+")
_STEP = re.compile(r"-[0-9]+(?=\.|$)")
# TensorFlow does not lock its drafts: one that is younger may still be written.
_OLD_SECONDS = 3600.0
_LONGEST_COMMIT_SECONDS = 30.0


def _name_beside(path: str) -> str:
    return f"{path}.tempstate-{secrets.token_hex(8)}"


def open_draft(path: str) -> tuple[str, BinaryIO]:
    """Create a draft of `path`; return its name and the file, locked until it is closed."""
    while True:
        name = _name_beside(path)
        file = open(name, "xb", buffering=1 << 18)  # noqa: SIM115 - the caller closes it
        # Somebody who cleans up may have come between: then the file is gone from the folder.
        _lock(file.fileno(), wait=True)
        if os.fstat(file.fileno()).st_nlink:
            return name, file
        file.close()


def clear_stale(path: str) -> None:
    """Remove the drafts of `path` that processes left which are gone."""
    folder, base = os.path.split(path)
    with contextlib.suppress(OSError):
        for name in os.listdir(folder or "."):
            place, mark, rest = name.partition(".tempstate")
            if mark and _series(place) == _series(base):
                _clear(os.path.join(folder, name), mark + rest)


def _series(name: str) -> str:
    """Return a name without its step: `model-100` was not finished, `model-200` comes next."""
    return _STEP.sub("-#", name)


def _clear(path: str, suffix: str) -> None:
    is_ours = _OURS.fullmatch(suffix) is not None
    if fcntl is None or not (is_ours or _TENSORFLOWS.fullmatch(suffix)):
        return
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            found = os.fstat(handle)
            if stat.S_ISDIR(found.st_mode):
                if is_ours and _lock(handle, wait=False):
                    shutil.rmtree(path, ignore_errors=True)
            elif (
                stat.S_ISREG(found.st_mode)
                and (is_ours or _is_old(found))
                and _lock(handle, wait=False)
            ):
                os.unlink(path)
        finally:
            os.close(handle)


def _is_old(found: os.stat_result) -> bool:
    return time.time() - found.st_mtime > _OLD_SECONDS


def _lock(handle: int, *, wait: bool) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another has it, or the file system has no locks
        return False
    return True


@contextlib.contextmanager
def committing(path: str) -> Iterator[None]:
    """Let one writer at a time put files that belong together beside `path`.

    The folder is locked, so that no other file is needed. Who stands still for long while it has
    the lock is passed: a save that never ends would be worse than two that meet.
    """
    handle = None
    with contextlib.suppress(OSError):
        handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _LONGEST_COMMIT_SECONDS
        while handle is not None and not _lock(handle, wait=False):
            if fcntl is None or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        yield
    finally:
        if handle is not None:
            os.close(handle)


@contextlib.contextmanager
def draft_folder(path: str) -> Iterator[str]:
    """Make a folder beside `path` for files to be moved from there; it goes with the block."""
    clear_stale(path)
    folder, handle = _locked_folder(path)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _locked_folder(path: str) -> tuple[str, int | None]:
    """Create a folder beside `path`; return its name and the handle that keeps it locked."""
    while True:
        folder = _name_beside(path)
        os.mkdir(folder, 0o700)
        if fcntl is None:
            return folder, None
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        # A process that cleans up may have removed the folder before it was locked.
        _lock(handle, wait=True)
        if os.path.isdir(folder):
            return folder, handle
        os.close(handle)


def publish(draft: str, path: str) -> None:
    """Let a whole file take the place of `path`, with the permissions of what was there."""
    with contextlib.suppress(FileNotFoundError):
        os.chmod(draft, stat.S_IMODE(os.stat(path).st_mode))
    sync(draft)
    os.replace(draft, path)
    sync_folder(path)


def sync(path: str) -> None:
    """Let the content of a file be on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: str | Path) -> None:
    """Let the names in the folder of `path` be on the disk."""
    with contextlib.suppress(OSError):  # not every file system has it
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
