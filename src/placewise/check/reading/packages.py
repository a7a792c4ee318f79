"""What is installed: how torch was built, and the versions of what placewise needs."""

from __future__ import annotations

import re

from placewise.check.machine import Requirement, Torch
from placewise.check.reading.sources import Sources

_FIELD = re.compile(r"^(__version__|cuda|hip|xpu)\b[^=\n]*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_NEEDED = re.compile(r"^([A-Za-z0-9._-]+)\s*([><=!~]=?=?\s*[\w.]+)?")


def read_torch(sources: Sources) -> Torch | None:
    """Return how torch was built, from its version file; None if it is not installed."""
    folder = sources.find_package("torch")
    if folder is None:
        return None
    try:
        text = (folder / "version.py").read_text(encoding="utf-8")
    except OSError:
        return Torch(version=sources.version("torch") or "")
    fields = dict(_FIELD.findall(text))
    return Torch(
        version=fields.get("__version__") or sources.version("torch") or "",
        cuda=fields.get("cuda", ""),
        hip=fields.get("hip", ""),
        xpu=fields.get("xpu", ""),
    )


def read_requirements(sources: Sources) -> tuple[Requirement, ...]:
    """Return what placewise needs without extras, and what is installed of it."""
    requirements = []
    for line in sources.requirements():
        match = _NEEDED.match(line)
        if match is None or "extra ==" in line:
            continue
        needed = (match[2] or "").replace(" ", "")
        requirements.append(Requirement(match[1], needed, sources.version(match[1])))
    return tuple(requirements)
