"""The folder of the machine's leases: where it is, and whether it can be trusted.

All users share one folder, so that they see each other's leases. Such a folder is writable for
everyone and any user may have prepared it, so its type, mode and owner are checked on the open
directory. Where the shared one fails the check, each user has one of their own.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from placewise.core import environment

MUTEX = "placewise-leases.lock"  # locked by whoever reads or takes leases
_SHARED_MODE = 0o1777  # everyone may add a lease; only its owner may remove it
_EVERYONE = stat.S_IWOTH | stat.S_ISVTX


class UnavailableError(Exception):
    """Leases cannot be kept here; the message says why."""


class Folder(NamedTuple):
    """An open folder of leases. All files in it are reached through `handle`, never by path."""

    path: Path
    handle: int


@contextlib.contextmanager
def opened(*, create: bool) -> Iterator[Folder | None]:
    """Open the folder of leases for a block; None if there is none yet and `create` is False."""
    chosen = environment.read("PLACEWISE_LEASES")
    folder = _open_chosen(Path(chosen), create) if chosen else _open_usual(create)
    try:
        yield folder
    finally:
        if folder is not None:
            os.close(folder.handle)


def _open_chosen(path: Path, create: bool) -> Folder | None:
    """Open the folder that PLACEWISE_LEASES names: the user answers for what it is."""
    try:
        if create and not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            _make(path, _SHARED_MODE)
        return Folder(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except FileNotFoundError:
        if create:
            raise UnavailableError(f"cannot keep leases in {path}: it does not exist") from None
        return None
    except OSError as error:
        raise UnavailableError(f"cannot keep leases in {path}: {error.strerror}") from None


def _open_usual(create: bool) -> Folder | None:
    reasons = []
    for path, is_shared in _places():
        handle = None
        try:
            if create:
                _make(path, _SHARED_MODE if is_shared else 0o700)
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            _check(handle, is_shared)
            return Folder(path, handle)
        except FileNotFoundError:
            continue
        except (OSError, UnavailableError) as error:
            if handle is not None:
                os.close(handle)
            reasons.append(f"{path}: {getattr(error, 'strerror', None) or error}")
    if create or reasons:
        raise UnavailableError("cannot keep leases in " + "; ".join(reasons))
    return None


def _places() -> list[tuple[Path, bool]]:
    """Return (folder, whether all users share it), best first."""
    parents = [parent for parent in ("/run/lock", tempfile.gettempdir()) if _is_for_all(parent)]
    shared = [(Path(parent, "placewise-leases"), True) for parent in parents[:1]]
    return [*shared, (Path(tempfile.gettempdir(), f"placewise-leases-{os.getuid()}"), False)]


def _is_for_all(path: str) -> bool:
    try:
        return os.stat(path).st_mode & _EVERYONE == _EVERYONE
    except OSError:
        return False


def _make(path: Path, mode: int) -> None:
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return
    # The umask cuts what mkdir is given. Until this line the folder is only the maker's, and what
    # another user finds in that moment fails the check.
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fchmod(handle, mode)
    finally:
        os.close(handle)


def _check(handle: int, is_shared: bool) -> None:
    """Raise unless nobody but its owner can replace a file in the open folder.

    The owner of a shared folder may be any user: whoever came first made it. They can remove
    leases, and gain nothing by it that they would not by ignoring leases.
    """
    found = os.fstat(handle)
    if not is_shared:
        if found.st_uid != os.getuid():
            raise UnavailableError("it belongs to another user")
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise UnavailableError("others may write to it")
    elif found.st_mode & _EVERYONE != _EVERYONE:
        raise UnavailableError("it is not writable for all with the sticky bit (mode 1777)")
    with contextlib.suppress(FileNotFoundError):
        mutex = os.stat(MUTEX, dir_fd=handle, follow_symlinks=False)
        if not stat.S_ISREG(mutex.st_mode):
            raise UnavailableError(f"{MUTEX} in it is not a regular file")
