"""Rules about installed packages and libraries: versions, and another CUDA before that of torch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts, Requirement
from placewise.check.numbers import read_number


def foreign_cuda_libraries(facts: MachineFacts) -> Iterator[Finding]:
    """LD_LIBRARY_PATH puts another CUDA before the one torch brings."""
    path = facts.variables.get("LD_LIBRARY_PATH", "")
    if facts.torch is None or not facts.torch.cuda:
        return
    major = facts.torch.cuda.partition(".")[0]
    for folder in path.split(":"):
        version = folder.partition("/cuda-")[2].partition("/")[0]
        if version and version.partition(".")[0] != major:
            yield Finding(
                "foreign-cuda",
                "warning",
                f"LD_LIBRARY_PATH has CUDA {version} ({folder}), and torch is built for CUDA "
                f"{facts.torch.cuda}.",
                "Libraries found there are loaded instead of those that torch brings along; cuDNN "
                "and cuBLAS then fail to start.",
                "unset LD_LIBRARY_PATH",
            )
            return


def requirements(facts: MachineFacts) -> Iterator[Finding]:
    """A package that placewise needs is missing, or has a version it does not work with."""
    for item in facts.requirements:
        if item.package == "torch" and item.installed is None:
            continue  # a rule of its own
        if not _is_met(item):
            state = "is not installed" if item.installed is None else f"is {item.installed}"
            yield Finding(
                "package-version",
                "error",
                f"The package {item.package} {state}, and placewise needs {item.needed}.",
                "Programs may fail at their first import or give other results.",
                f"pip install '{item.package}{item.needed}'",
            )


def _is_met(item: Requirement) -> bool:
    if item.installed is None:
        return False
    wanted = _numbers(item.needed.lstrip("><=!~"))
    installed = _numbers(item.installed)
    if item.needed.startswith(">="):
        return installed >= wanted
    if item.needed.startswith("=="):
        return installed == wanted
    return True


def _numbers(version: str) -> tuple[int, ...]:
    plain = version.partition("+")[0]
    digits = [re.match(r"[0-9]*", part) for part in plain.split(".")]
    numbers = [read_number(part[0]) or 0 for part in digits if part]
    return tuple([*numbers, 0, 0, 0][:3])


RULES = (foreign_cuda_libraries, requirements)
