"""Rules about threads: how many torch starts, and on how many cores they can run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts
from placewise.check.numbers import read_number
from placewise.core.threads import WAITING

_DEFAULT_WAITING = ("OMP_WAIT_POLICY", "passive")


def usable_cores(facts: MachineFacts) -> int:
    """Return how many cores' worth of time this process gets."""
    quota = facts.processor.quota
    allowed = facts.processor.allowed
    return allowed if quota is None else max(1, min(allowed, math.ceil(quota)))


def thread_count(facts: MachineFacts) -> Iterator[Finding]:
    """OMP_NUM_THREADS is no number, or does not fit the cores."""
    text = facts.variables.get("OMP_NUM_THREADS")
    if text is None:
        return
    cores = usable_cores(facts)
    # A list has a number for each level of nesting.
    number = read_number(text.split(",")[0])
    if not number:
        yield Finding(
            "threads-mistake",
            "warning",
            f"OMP_NUM_THREADS={text!r} is no number of threads.",
            "It is ignored, and operations take one thread for each core.",
            f"export OMP_NUM_THREADS={cores}",
        )
    elif number > cores:
        yield Finding(
            "threads-too-many",
            "warning",
            f"OMP_NUM_THREADS={number}, and this process gets {cores} "
            f"core{'s' if cores > 1 else ''}.",
            "Threads wait for each other on too few cores; operations on the CPU take several "
            "times as long.",
            f"export OMP_NUM_THREADS={cores}",
        )
    elif number == 1 and cores >= 4:
        yield Finding(
            "threads-one",
            "note",
            f"OMP_NUM_THREADS=1, and this process gets {cores} cores.",
            "Operations on the CPU and the preparation of data use one core each.",
            f"export OMP_NUM_THREADS={cores}",
        )


def quota(facts: MachineFacts) -> Iterator[Finding]:
    """A container's share of time is less than the cores that it sees."""
    processor = facts.processor
    if "OMP_NUM_THREADS" in facts.variables or processor.quota is None:
        return
    cores = usable_cores(facts)
    if cores * 2 <= processor.allowed:
        yield Finding(
            "threads-quota",
            "note",
            f"This container sees {processor.allowed} cores and gets the time of "
            f"{processor.quota:g}.",
            f"placewise takes {cores} threads. Other programs with torch or OpenMP take "
            f"{processor.allowed}, and the kernel stops them all for most of each period.",
            f"export OMP_NUM_THREADS={cores}",
        )


def affinity(facts: MachineFacts) -> Iterator[Finding]:
    """The process may run on few of the machine's cores."""
    processor = facts.processor
    if processor.allowed * 8 <= processor.cores and not facts.system.container:
        yield Finding(
            "affinity",
            "warning",
            f"This process may run on {processor.allowed} of {processor.cores} cores.",
            "A scheduler or taskset has bound it; preparing data on so few cores keeps a GPU idle.",
            f"taskset -cp 0-{processor.cores - 1} $$  (or ask the scheduler for more cores)",
        )


def spinning(facts: MachineFacts) -> Iterator[Finding]:
    """Threads that wait keep their core busy."""
    variables = facts.variables
    active = variables.get("OMP_WAIT_POLICY", "").lower() == "active"
    forever = variables.get("KMP_BLOCKTIME", "").lower() == "infinite"
    if active or forever:
        name = "OMP_WAIT_POLICY" if active else "KMP_BLOCKTIME"
        yield Finding(
            "threads-spin",
            "warning",
            f"{name}={variables[name]}: threads that have nothing to do keep their core busy.",
            "The thread that feeds the GPU and those that prepare data get no core.",
            "export OMP_WAIT_POLICY=passive" if active else "unset KMP_BLOCKTIME",
        )


def describe_threads(facts: MachineFacts) -> str:
    """Return how many threads operations take on the CPU, and what those do that wait."""
    variables, cores = facts.variables, usable_cores(facts)
    number = read_number(variables.get("OMP_NUM_THREADS", "").split(",")[0])
    source = f"of {facts.processor.cores} cores"
    if number:
        source = "OMP_NUM_THREADS"
    chosen = next((name for name in WAITING if name in variables), None)
    is_default = chosen is None or (chosen, variables[chosen].lower()) == (*_DEFAULT_WAITING,)
    waiting = "sleep while they wait" if is_default else f"{chosen}={variables[chosen or '']}"
    return f"Threads of operations on the CPU: {number or cores} ({source}), {waiting}"


RULES = (thread_count, quota, affinity, spinning)
