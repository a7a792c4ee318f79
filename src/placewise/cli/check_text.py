"""What `placewise check` prints: what is here, then each finding with its reason and its fix."""

from __future__ import annotations

import importlib.metadata
import platform
import textwrap
from typing import Any

from placewise.check.finding import SEVERITIES, Finding, exit_status
from placewise.check.machine import MachineFacts, Torch
from placewise.check.threads import describe_threads, usable_cores
from placewise.devices.facts import GIB

_TITLES = {
    "unusable": "No GPU can be used",
    "error": "Errors",
    "warning": "Warnings",
    "note": "Notes",
}
_WIDTH = 98


def describe(facts: MachineFacts) -> dict[str, Any]:
    """Return what is here, as data."""
    torch = facts.torch
    return {
        "placewise": importlib.metadata.version("placewise"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "container": facts.system.container or None,
        "torch": None if torch is None else torch.version,
        "torch_built_for": None if torch is None else _built_for(torch),
        "driver": facts.driver.version or None,
        "driver_cuda": facts.driver.cuda and "{}.{}".format(*facts.driver.cuda),
        "simulated": facts.simulated,
        "cards": [
            {
                "model": item.card.name,
                "bus_id": item.card.bus_id,
                "uuid": item.card.uuid,
                "memory_total_bytes": item.reading.total_bytes,
                "memory_used_bytes": item.reading.used_bytes,
            }
            for item in facts.cards
        ],
        "cores": usable_cores(facts),
    }


def _built_for(torch: Torch) -> str:
    for name, version in (("CUDA", torch.cuda), ("ROCm", torch.hip), ("XPU", torch.xpu)):
        if version:
            return f"{name} {version}"
    return "the CPU only"


def to_lines(facts: MachineFacts, findings: list[Finding], era: str = "") -> list[str]:
    """Return the lines to print."""
    lines = _head(facts, era)
    for severity in SEVERITIES:
        chosen = [finding for finding in findings if finding.severity == severity]
        if chosen:
            lines += ["", f"{_TITLES[severity]}:"]
        for finding in chosen:
            lines += _finding_lines(finding)
    return [*lines, "", _summary(findings)]


def _head(facts: MachineFacts, era: str) -> list[str]:
    torch = facts.torch
    built = "torch is not installed"
    if torch is not None:
        built = f"torch {torch.version.partition('+')[0]} for {_built_for(torch)}"
    lines = [
        f"placewise {importlib.metadata.version('placewise')}, {built}, "
        f"Python {platform.python_version()}"
        + (f", in a container ({facts.system.container})" if facts.system.container else "")
    ]
    if facts.simulated is not None:
        lines.append(f"Simulated machine: {facts.simulated}")
    elif facts.driver.version:
        lines.append(
            f"NVIDIA driver {facts.driver.version}"
            + (" (CUDA {}.{})".format(*facts.driver.cuda) if facts.driver.cuda else "")
        )
    for place, item in enumerate(facts.cards):
        lines.append(
            f"  nvidia-smi {place}: {item.card.name}, {item.reading.used_bytes / GIB:.1f} of "
            f"{item.reading.total_bytes / GIB:.1f} GiB used"
        )
    if not facts.cards:
        lines.append("GPUs: none that can be asked")
    lines.append(describe_threads(facts))
    return [*lines, f"Program: {era}"] if era else lines


def _finding_lines(finding: Finding) -> list[str]:
    where = f"{finding.where}: " if finding.where else ""
    return [
        *_wrap(f"{where}{finding.what}", "  * ", "    "),
        *_wrap(finding.why, "      why: ", "           "),
        # The fix is to be copied: it stays on one line.
        f"      fix: {finding.fix}",
    ]


def _wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _summary(findings: list[Finding]) -> str:
    counts = {
        severity: sum(finding.severity == severity for finding in findings)
        for severity in SEVERITIES
    }
    serious = counts["unusable"] + counts["error"]
    parts = [
        f"{number} {word}{'s' * (number != 1)}"
        for number, word in (
            (serious, "error"),
            (counts["warning"], "warning"),
            (counts["note"], "note"),
        )
        if number
    ]
    counted = ", ".join(parts) or "Nothing to complain about"
    return f"{counted}. Exit status {exit_status(findings)}."
