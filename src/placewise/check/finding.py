"""A finding of `placewise check`: what is wrong, why it matters, and the one fix."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["unusable", "error", "warning", "note"]

# Worst first. A note does not change the exit status.
SEVERITIES: tuple[Severity, ...] = ("unusable", "error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a user should know.

    `code` names the rule in docs/check.md, `where` is a file and line for findings in a program.
    `unusable` means that no GPU can be used, `error` that a program will fail, `warning` that it
    will be slow or surprise, `note` that nothing needs to be done.
    """

    code: str
    severity: Severity
    what: str
    why: str
    fix: str
    where: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain strings."""
        return asdict(self)


def sort_findings(findings: list[Finding]) -> list[Finding]:
    """Return the findings, worst first; equals stay in their order, and none comes twice."""
    return sorted(dict.fromkeys(findings), key=lambda finding: SEVERITIES.index(finding.severity))


def exit_status(findings: list[Finding]) -> int:
    """Return 2 when no GPU can be used, 1 for errors and warnings, 0 when nothing needs doing."""
    severities = {finding.severity for finding in findings}
    if "unusable" in severities:
        return 2
    return int(bool(severities & {"error", "warning"}))
