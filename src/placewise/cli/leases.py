"""Which process has which GPU: leases that the kernel ends with the process, and no server.

A lease is a file in one folder of the machine that its holder keeps locked (`flock`) as long as it
lives; what the file says is who holds which cards since when. Whoever looks or takes does so with
the folder's own lock, so that choosing and taking are one step. A lease that nobody has locked
belongs to a process that is gone, and is removed.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from placewise.cli.lease_files import Lease, every_lease, open_regular, remove, write
from placewise.cli.lease_folder import MUTEX, Folder, UnavailableError, opened
from placewise.core.runtime import State, runtime

try:
    import fcntl
except ImportError:  # no such locks on this system: nothing is leased, `free` says so
    fcntl = None  # type: ignore[assignment]

_DEADLINE_SECONDS = 20.0
_LOOKING_SECONDS = 3.0
_PAUSE_SECONDS = 0.01


@dataclass(slots=True)
class Leases(State):
    """The files that this process has locked; a lock lasts while its file is open."""

    held: list[int] = field(default_factory=list)


state = runtime.state(Leases, lasting=True)


def take(choose: Callable[[dict[str, list[Lease]]], Sequence[str]]) -> list[str]:
    """Lease the cards that `choose` picks, in one step with choosing, until this process ends.

    `choose` is given card → leases on it, and returns cards, or raises to take none.
    """
    _require_locks()
    with opened(create=True) as folder:
        if folder is None:  # only when not told to make one
            return []
        with _locked(folder, os.O_CREAT, _DEADLINE_SECONDS):
            chosen = list(choose(_by_card(_living(folder))))
            if chosen:
                _lease(folder, Lease(os.getpid(), time.time(), _command(), tuple(chosen)))
            return chosen


def current() -> dict[str, list[Lease]]:
    """Return card → the leases on it; empty where none can be kept. Creates no file."""
    return _by_card(look()[0])


def look() -> tuple[list[Lease], list[Lease]]:
    """Return the leases that are held, and those whose holders are gone; the latter are removed."""
    gone: list[Lease] = []
    try:
        _require_locks()
        with opened(create=False) as folder:
            if folder is None:
                return [], []
            with _locked(folder, 0, _LOOKING_SECONDS):
                return _living(folder, gone), gone
    except UnavailableError:
        return [], []


def _require_locks() -> None:
    if fcntl is None:
        raise UnavailableError("this system has no file locks that end with their process")


def _by_card(leases: Collection[Lease]) -> dict[str, list[Lease]]:
    found: dict[str, list[Lease]] = {}
    for lease in leases:
        for card in lease.cards:
            found.setdefault(card, []).append(lease)
    return found


@contextlib.contextmanager
def _locked(folder: Folder, flags: int, patience_seconds: float) -> Iterator[None]:
    """Hold the folder's lock for a block; the kernel gives it back if this process dies in it."""
    path = folder.path / MUTEX
    try:
        handle = _open_mutex(folder, flags)
    except OSError as error:
        raise UnavailableError(f"cannot keep leases in {folder.path}: {error.strerror}") from None
    try:
        deadline = time.monotonic() + patience_seconds
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise UnavailableError(
                    f"another process has kept {path} locked for "
                    f"{patience_seconds:.0f} s; find it with: fuser {path}"
                )
            time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(handle)


def _open_mutex(folder: Folder, flags: int) -> int:
    # Reading is enough to lock. Created only when absent: in a folder that all may write to, the
    # kernel refuses to "create" a file of someone else's.
    try:
        return open_regular(folder, MUTEX)
    except FileNotFoundError:
        if not flags:
            raise
        return open_regular(folder, MUTEX, flags)


def _try_lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _living(folder: Folder, gone: list[Lease] | None = None) -> list[Lease]:
    """Return the leases whose holders live, removing the others; with the folder's lock held.

    What is removed is added to `gone`.
    """
    found = []
    with contextlib.closing(every_lease(folder)) as entries:
        for name, handle, lease in entries:
            if _try_lock(handle, fcntl.LOCK_SH):
                remove(folder, name, handle)
                if gone is not None:
                    gone.append(lease)
            else:
                found.append(lease)
    return found


def _lease(folder: Folder, lease: Lease) -> None:
    try:
        handle = write(folder, lease)
    except OSError as error:
        raise UnavailableError(f"cannot keep leases in {folder.path}: {error.strerror}") from None
    fcntl.flock(handle, fcntl.LOCK_EX)
    state.held.append(handle)


def _command() -> str:
    words = sys.argv[1:] if sys.argv[1:2] != ["run"] else sys.argv[2:]
    return " ".join(["placewise run", *words])[:80]
