"""One placement decision: the device an op got, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Decision:
    """Where an op runs, what was asked for, and the reasons in order of force."""

    device: Any
    requested: str
    reasons: tuple[str, ...]
    fell_back: bool = False

    def text(self) -> str:
        """Return the decision as a person reads it."""
        return f"{self.device.name}: " + "; ".join(self.reasons)


class Choice(NamedTuple):
    """The device that automatic placement chose for an operation, and why."""

    device: Any
    reason: str
