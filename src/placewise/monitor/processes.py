"""Facts of processes: user, command, parent, and whether a process is still the one it was."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from placewise.monitor.readings import ProcessFacts

ROOT = Path("/proc")
_DEADLINE_SECONDS = 2.0


def find(pid: int, root: Path = ROOT) -> ProcessFacts | None:
    """Return the facts of a process; None if there is none with this number."""
    if root.joinpath("self").exists() or root != ROOT:
        return _from_proc(pid, root)
    return _from_ps([pid]).get(pid)


def find_all(pids: Iterable[int], root: Path = ROOT) -> dict[int, ProcessFacts]:
    """Return the facts of those processes that are there."""
    if not root.exists():
        return _from_ps(list(pids))
    return {pid: facts for pid in pids if (facts := _from_proc(pid, root)) is not None}


def with_ancestors(
    processes: dict[int, ProcessFacts], root: Path = ROOT
) -> dict[int, ProcessFacts]:
    """Return processes and those that started them, up to the first of the machine."""
    known = dict(processes)
    for facts in processes.values():
        parent = facts.parent
        while parent > 1 and parent not in known:
            above = find(parent, root)
            if above is None:
                break
            known[parent] = above
            parent = above.parent
    return known


def find_openers(name: str, root: Path = ROOT) -> list[int]:
    """Return the processes that have a file open whose path has `name` in it.

    Without root, only those of this user can be looked into.
    """
    pids = []
    for entry in os.listdir(root) if root.exists() else ():
        folder = root / entry / "fd"
        try:
            if entry.isdecimal() and any(
                name in os.readlink(folder / number) for number in os.listdir(folder)
            ):
                pids.append(int(entry))
        except OSError:
            continue  # it has ended, or is not for us to see
    return sorted(pids)


def _from_proc(pid: int, root: Path) -> ProcessFacts | None:
    folder = root / str(pid)
    try:
        line = (folder / "stat").read_bytes().decode(errors="replace")
        uid = os.stat(folder).st_uid
        words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return None
    # The name stands in brackets and may hold any character, brackets too.
    name, _, rest = line.partition("(")[2].rpartition(")")
    fields = rest.split()
    command = " ".join(word for word in words if word) or f"[{name}]"
    return ProcessFacts(
        pid=pid,
        parent=int(fields[1]),
        uid=uid,
        user=user_name(uid),
        command=command,
        start=int(fields[19]),
        is_zombie=fields[0] in ("Z", "X"),
    )


def user_name(uid: int) -> str:
    """Return the name of a user, or the number where there is none."""
    try:
        import pwd  # noqa: PLC0415 - not on every system

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError):
        return str(uid)


def _from_ps(pids: list[int]) -> dict[int, ProcessFacts]:
    """Return the facts of processes where there is no /proc."""
    if not pids:
        return {}
    columns = "pid=,ppid=,uid=,user=,state=,command="
    command = ["ps", "-o", columns, "-p", ",".join(map(str, pids))]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_DEADLINE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = {}
    for line in done.stdout.splitlines():
        pid, parent, uid, user, state, text = line.split(None, 5)
        found[int(pid)] = ProcessFacts(
            int(pid), int(parent), int(uid), user, text, 0, state.startswith("Z")
        )
    return found
