"""The host: cores, a container's share of time and memory, folders, hosts of a cluster."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from placewise.check.machine import Folder, Limits, Processor
from placewise.check.numbers import read_number
from placewise.check.reading.sources import Sources
from placewise.core.threads import read_quota

_PATIENCE_SECONDS = 1.0


def read_processor(sources: Sources) -> Processor:
    """Return cores and memory, and what of them a container may have."""
    cores, allowed = sources.cores()
    return Processor(
        cores=cores,
        allowed=allowed,
        quota=read_quota(str(sources.path("/"))),
        memory_bytes=_memory_bytes(sources),
        memory_limit_bytes=_number(
            sources.text("/sys/fs/cgroup/memory.max")
            or sources.text("/sys/fs/cgroup/memory/memory.limit_in_bytes")
        ),
    )


def _memory_bytes(sources: Sources) -> int:
    first = sources.text("/proc/meminfo").partition("\n")[0].split()
    return (read_number(first[1]) or 0) * 1024 if len(first) > 1 else 0


def _number(text: str) -> int | None:
    """Return a limit of a control group; version 1 says none with a number of 63 bits."""
    number = read_number(text)
    return number if number is not None and number < 1 << 60 else None


def read_limits(sources: Sources) -> Limits:
    """Return the limits of the process, and those of its control group where they are less."""
    limits = sources.limits()
    group = _number(
        sources.text("/sys/fs/cgroup/pids.max") or sources.text("/sys/fs/cgroup/pids/pids.max")
    )
    known = [limit for limit in (limits.processes, group) if limit is not None]
    return replace(limits, processes=min(known) if known else None)


def read_folder(sources: Sources, path: str) -> Folder:
    """Return a folder, and the room in it."""
    inside = sources.path(path)
    if not inside.is_dir():
        return Folder(path, exists=False)
    try:
        total, _, free = sources.disk(inside)
    except OSError:
        return Folder(path, is_writable=sources.can_use(inside))
    return Folder(path, True, sources.can_use(inside), total, free)


def temporary_path(sources: Sources) -> str:
    """Return the folder that the user has chosen for temporary files, or the usual one."""
    return next(
        (
            sources.variables[name]
            for name in ("TMPDIR", "TEMP", "TMP")
            if sources.variables.get(name)
        ),
        "/tmp",
    )


def home_path(sources: Sources) -> str:
    """Return the home folder."""
    return sources.variables.get("HOME") or os.fspath(Path("~").expanduser())


def find_unresolved(sources: Sources, hosts: Iterable[str]) -> frozenset[str]:
    """Return the hosts that have no address; one whose name server does not answer is one."""
    answers: dict[str, bool] = {}

    def ask(host: str) -> None:
        answers[host] = sources.resolve(host)

    threads = [threading.Thread(target=ask, args=(host,), daemon=True) for host in sorted(hosts)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return frozenset(host for host in hosts if not answers.get(host))
