"""Which process has which GPU: leases that the kernel ends with the process, and no server.

A lease is a file in one folder of the machine that its holder keeps locked (`flock`) as long as it
lives; what the file says is who holds which cards since when. Whoever looks or takes does so with
the folder's own lock, so that choosing and taking are one step. A file that nobody has locked
belongs to a process that is gone, and is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

try:
    import fcntl
except ImportError:  # no such locks on this system: nothing is leased, `free` says so
    fcntl = None  # type: ignore[assignment]

_MUTEX = "lock"
_DEADLINE_SECONDS = 20.0
_PAUSE_SECONDS = 0.01
# Locks last while their files are open: those of this process stay so to its end.
_held: list[int] = []


class Lease(NamedTuple):
    """Who has which cards. `since` is in seconds since 1970."""

    pid: int
    since: float
    command: str
    cards: tuple[str, ...]

    def __str__(self) -> str:
        started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"pid {self.pid} since {started} ({self.command})"


class UnavailableError(Exception):
    """Leases cannot be kept here; the message says why."""


def folder() -> Path:
    """Return the folder of this machine's leases: PLACEWISE_LEASES, or one all users share."""
    if given := os.environ.get("PLACEWISE_LEASES"):
        return Path(given)
    for place in ("/run/lock", tempfile.gettempdir()):
        with contextlib.suppress(OSError):
            # The same for every user, so that they see each other's: writable for all, or not used.
            if (
                os.stat(place).st_mode & (stat.S_IWOTH | stat.S_ISVTX)
                == stat.S_IWOTH | stat.S_ISVTX
            ):
                return Path(place, "placewise-leases")
    return Path(tempfile.gettempdir(), f"placewise-leases-{os.getuid()}")


def take(choose: Callable[[dict[str, list[Lease]]], Sequence[str]]) -> list[str]:
    """Lease the cards that `choose` picks, in one step with choosing, until this process ends.

    `choose` is given card → leases on it, and returns cards, or raises to take none.
    """
    with _locked() as home:
        chosen = list(choose(_by_card(_living(home))))
        if chosen:
            _write(home, Lease(os.getpid(), time.time(), _command(), tuple(chosen)))
        return chosen


def current() -> dict[str, list[Lease]]:
    """Return card → the leases on it; empty where none can be kept."""
    if fcntl is None or not folder().is_dir():
        return {}
    try:
        with _locked() as home:
            return _by_card(_living(home))
    except UnavailableError:
        return {}


def _by_card(leases: Collection[Lease]) -> dict[str, list[Lease]]:
    found: dict[str, list[Lease]] = {}
    for lease in leases:
        for card in lease.cards:
            found.setdefault(card, []).append(lease)
    return found


@contextlib.contextmanager
def _locked() -> Iterator[Path]:
    """Hold the folder's lock for a block; the kernel gives it back if this process dies in it."""
    if fcntl is None:
        raise UnavailableError("this system has no file locks that end with their process")
    home = folder()
    try:
        handle = _open_mutex(home)
    except OSError as error:
        raise UnavailableError(f"cannot keep leases in {home}: {error.strerror}") from None
    try:
        deadline = time.monotonic() + _DEADLINE_SECONDS
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise UnavailableError(
                    f"another process has kept {home / _MUTEX} locked for "
                    f"{_DEADLINE_SECONDS:.0f} s; find it with: fuser {home / _MUTEX}"
                )
            time.sleep(_PAUSE_SECONDS)
        yield home
    finally:
        os.close(handle)


def _open_mutex(home: Path) -> int:
    if not home.is_dir():
        with contextlib.suppress(FileExistsError):
            home.mkdir(parents=True)
            home.chmod(0o1777)  # for all users of the machine, each only able to remove their own
    path = home / _MUTEX
    # Reading is enough to lock. Created only when absent: in a folder that all may write to, the
    # kernel refuses to "create" a file of someone else's.
    with contextlib.suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)


def _try_lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _living(home: Path) -> list[Lease]:
    """Return the leases whose holders live, removing the others; with the folder's lock held."""
    found = []
    for path in sorted(home.glob("*.json")):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            if _try_lock(handle, fcntl.LOCK_SH):
                with contextlib.suppress(OSError):  # another user's: theirs to remove
                    path.unlink()
            elif lease := _read(handle):
                found.append(lease)
        finally:
            os.close(handle)
    return found


def _read(handle: int) -> Lease | None:
    try:
        said: Any = json.loads(os.pread(handle, 1 << 16, 0))
        cards = tuple(str(card) for card in said["cards"])
        return Lease(int(said["pid"]), float(said["since"]), str(said["command"]), cards)
    except (ValueError, KeyError, TypeError, OSError):
        return None  # not written by this program


def _write(home: Path, lease: Lease) -> None:
    handle, _ = tempfile.mkstemp(".json", f"{lease.pid}-", home)
    os.fchmod(handle, 0o644)
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.write(handle, json.dumps(lease._asdict()).encode())
    _held.append(handle)


def _command() -> str:
    words = sys.argv[1:] if sys.argv[1:2] != ["run"] else sys.argv[2:]
    return " ".join(["placewise run", *words])[:80]
