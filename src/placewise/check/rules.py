"""All rules about a machine, in the order in which findings of one severity are printed.

A rule is a function from MachineFacts to findings. It reads nothing else, so that every rule is
tested with facts that are written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from placewise.check import (
    access,
    amd,
    cluster_config,
    driver,
    health,
    memory,
    packages,
    settings,
    storage,
    threads,
    torch_build,
    visibility,
)
from placewise.check.finding import Finding, sort_findings
from placewise.check.machine import MachineFacts

Rule = Callable[[MachineFacts], Iterable[Finding]]

MACHINE_RULES: tuple[Rule, ...] = (
    *driver.RULES,
    *access.RULES,
    *torch_build.RULES,
    *amd.RULES,
    *packages.RULES,
    *visibility.RULES,
    *memory.RULES,
    *health.RULES,
    *cluster_config.RULES,
    *settings.RULES,
    *threads.RULES,
    *storage.RULES,
)


def judge_machine(facts: MachineFacts) -> list[Finding]:
    """Return what the rules say about a machine, worst first."""
    return sort_findings([finding for rule in MACHINE_RULES for finding in rule(facts)])
