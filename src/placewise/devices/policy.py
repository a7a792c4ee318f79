"""The memory policy of the command line: growth, a part of each card, or a number of bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from placewise.core.sizes import size_text
from placewise.devices.environment import VARIABLES, Environment

VARIABLE = VARIABLES["memory"]
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])i?b?|b)", re.IGNORECASE)
_FRACTION = re.compile(r"(\d+\.\d*|\.\d+|\d+)(%?)")


@dataclass(frozen=True, slots=True)
class Policy:
    """What `placewise run --memory` asks for: growth, a part of each card, or a number of bytes."""

    grows: bool = False
    fraction: float | None = None
    limit_bytes: int | None = None

    def __str__(self) -> str:
        if self.grows:
            return "growth"
        if self.fraction is not None:
            return f"{self.fraction:g}"
        return "" if self.limit_bytes is None else size_text(self.limit_bytes)

    def limit_of(self, total_bytes: int) -> int | None:
        """Return the most bytes it allows on a card, or None when it sets no bound."""
        if self.fraction is not None:
            return int(total_bytes * self.fraction)
        return self.limit_bytes


def parse_policy(text: str) -> Policy:
    """Return the policy of `growth`, a fraction such as `0.4` or `40%`, or a size such as `4GiB`.

    >>> str(parse_policy("growth")), str(parse_policy("0.4")), parse_policy("4GiB").limit_bytes
    ('growth', '0.4', 4294967296)
    """
    said = text.strip()
    if said.lower() == "growth":
        return Policy(grows=True)
    if match := _SIZE.fullmatch(said):
        limit = int(float(match[1]) * _UNITS[(match[2] or "").lower()])
        if 0 < limit < 1 << 50:
            return Policy(limit_bytes=limit)
    elif match := _FRACTION.fullmatch(said):
        fraction = float(match[1]) / (100 if match[2] else 1)
        if 0 < fraction <= 1:
            return Policy(fraction=fraction)
        if fraction > 1 and not match[2]:
            raise ValueError(
                f"{text!r} is no memory policy: a fraction is at most 1, and a size needs its unit "
                f"({said}GiB, {said}MiB)"
            )
    raise ValueError(
        f"{text!r} is no memory policy: give growth, a fraction of each GPU such as 0.4, or a size "
        "such as 4GiB"
    )


def policy_of(environment: Environment) -> Policy | None:
    """Return the policy of PLACEWISE_MEMORY, which `placewise run --memory` sets, or None."""
    text = (environment.memory or "").strip()
    try:
        return parse_policy(text) if text else None
    except ValueError as problem:
        raise ValueError(f"{VARIABLE}: {problem}") from None
