"""Threads of torch's operations: how many there are, and that they do not spin while they wait.

OpenMP's threads spin by default: one that waits for another keeps its core busy. Where others use
the machine as well, the one it waits for has no core, and a step of a small network takes thirty
times its CPU time. OpenMP reads its variables when torch is loaded: `import placewise` sets them.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

from placewise.core import environment

# Any of these says how threads wait: then the user has chosen.
WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
COUNTING = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
_GROUPS = "/sys/fs/cgroup"


def keep_from_spinning() -> None:
    """Let waiting threads sleep, unless the user chose how they wait or torch is loaded already."""
    if "torch" not in sys.modules and not _is_any_set(WAITING):
        environment.put("OMP_WAIT_POLICY", "PASSIVE")


def keep_the_number() -> None:
    """Let OpenMP start as many threads as torch asks for, whatever OMP_DYNAMIC says.

    It would start fewer on a busy machine, and oneDNN's convolutions wait for ever for the others.
    """
    if "torch" not in sys.modules and environment.variables().get("OMP_DYNAMIC"):
        environment.put("OMP_DYNAMIC", "FALSE")


def limit(torch_threads: int) -> int | None:
    """Return how many threads torch is to use if it has chosen too many; None if its choice holds.

    torch counts the cores that the process may run on. It does not see that a control group gives
    the process less time than these have.
    """
    if _is_any_set(COUNTING):
        return None
    cores = usable_cores()
    return cores if cores < torch_threads else None


def most() -> int | None:
    """Return how many threads OpenMP gives at most; None if it says nothing.

    oneDNN's convolutions wait for ever for threads that torch counts and OpenMP does not start.
    """
    text = environment.variables().get("OMP_THREAD_LIMIT", "").strip()
    return int(text) if text.isdigit() and int(text) else None


def usable_cores(root: str = "") -> int:
    """Return how many cores' worth of time this process gets."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = read_quota(root)
    return max(1, min(allowed or 1, sys.maxsize if quota is None else math.ceil(quota)))


def read_quota(root: str = "") -> float | None:
    """Return how many cores' time the control groups of this process give; None if not limited.

    `root` stands before every path that is read.
    """
    shares = [_share(folder) for folder in _folders(root)]
    return min((share for share in shares if share is not None), default=None)


def _folders(root: str) -> list[Path]:
    """Return the folders of the process's control groups, each with those above it."""
    top = Path(root + _GROUPS)
    folders = [top, top / "cpu"]
    for line in _text(Path(root + "/proc/self/cgroup")).splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        # The path is the host's inside of some containers: then there is no such folder.
        base = top / "cpu" if controllers else top
        parts = [part for part in path.split("/") if part not in ("", "..")]
        folders += [base.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]
    return folders


def _share(folder: Path) -> float | None:
    """Return the cores' time that one control group gives; None if it is not limited."""
    words = _text(folder / "cpu.max").split()  # version 2: "400000 100000"
    if not words:
        words = [_text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")]
    # "max", or -1 in version 1, is no number.
    if len(words) < 2 or not all(word.isdigit() and int(word) for word in words[:2]):
        return None
    return int(words[0]) / int(words[1])


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _is_any_set(names: tuple[str, ...]) -> bool:
    variables = environment.variables()
    return any(name in variables for name in names)
