"""How much memory each device may have, who decided that, and what it overrides.

Pure functions from what was asked (the policy of the command line, the settings of `tf.config`, a
session's options, the environment) to Budgets. In order of force: PLACEWISE_MEMORY and
TF_FORCE_GPU_ALLOW_GROWTH; what the first user of the GPU asked for; the default, nearly all of it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace

from placewise.core.errors import InvalidArgumentError, hint
from placewise.devices.device import Device
from placewise.devices.environment import Environment
from placewise.devices.facts import Card
from placewise.devices.limits import memory_limit_bytes
from placewise.devices.options import Options
from placewise.devices.origin import Origin
from placewise.devices.settings import Settings
from placewise.memory.exhausted import size_text

VARIABLE = "PLACEWISE_MEMORY"
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


def policy_in_force() -> Policy | None:
    """Return the policy of PLACEWISE_MEMORY, which `placewise run --memory` sets, or None."""
    text = os.environ.get(VARIABLE, "").strip()
    try:
        return parse_policy(text) if text else None
    except ValueError as problem:
        raise ValueError(f"{VARIABLE}: {problem}") from None


@dataclass(frozen=True, slots=True)
class Budget:
    """What is in force on one device, who set it, and what that overrides."""

    device: str
    policy: str  # "all", "fraction", "limit" or "growth"
    limit_bytes: int
    grows: bool
    total_bytes: int
    set_by: str
    overrides: tuple[str, ...] = ()
    fixed_at: str | None = None  # the line whose use of the GPU fixed it; None while it may change

    def __str__(self) -> str:
        said = {
            "all": "nearly all of the card",
            "fraction": f"{self.limit_bytes / max(self.total_bytes, 1):.3g} of the card",
            "limit": "a limit",
            "growth": "growth",
        }[self.policy]
        growing = ", growing" if self.grows and self.policy != "growth" else ""
        who = "the default" if self.set_by == "default" else f"set by {self.set_by}"
        return f"{said}{growing}, {who}"


def budget_of(
    device: Device,
    environment: Environment,
    asked: Settings | None,
    policy: Policy | None,
    origin: Origin | None = None,
) -> Budget:
    """Return the budget of a GPU: what it was made with, bounded by `policy`.

    `asked` are the settings of `tf.config` that it was made from; None if it was made from a
    session's ConfigProto, at `origin`.
    """
    card = device.card
    limit = device.memory_limit_bytes
    if card is None or limit is None:
        raise ValueError(f"{device.name} has no memory limit")
    budget = _as_made(device, card, limit, environment, asked, origin)
    budget = _with_forced_growth(budget, environment, asked)
    return budget if policy is None else _bounded(budget, policy)


def _as_made(
    device: Device,
    card: Card,
    limit: int,
    environment: Environment,
    asked: Settings | None,
    origin: Origin | None,
) -> Budget:
    plain = Budget(device.name, "all", limit, device.grows, card.total_bytes, "default")
    overrides: tuple[str, ...] = ()
    if asked is None:
        whole = memory_limit_bytes(card, Options(), environment)
        set_by = f"gpu_options of the session at {origin}" if origin else "gpu_options"
        if limit != whole:
            fraction = limit / card.total_bytes
            kind = "fraction" if int(card.total_bytes * round(fraction, 6)) == limit else "limit"
            return replace(plain, policy=kind, set_by=set_by)
        if device.grows:
            return replace(plain, policy="growth", set_by=set_by)
        return plain
    if asked.parts_of(device.physical):
        if asked.growth_of(device.physical):
            overrides = (f"memory growth, set by {_line(asked, 'growth', 'process_growth')}",)
        return replace(plain, policy="limit", set_by=_line(asked, "logical"), overrides=overrides)
    if asked.process_fraction:
        if environment.min_system_memory_mb:
            return replace(
                plain,
                set_by="TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
                overrides=(
                    f"fraction {asked.process_fraction:g}, set by "
                    f"{_line(asked, 'process_fraction')}",
                ),
            )
        return replace(plain, policy="fraction", set_by=_line(asked, "process_fraction"))
    if environment.min_system_memory_mb:
        return replace(plain, set_by="TF_DEVICE_MIN_SYS_MEMORY_IN_MB")
    if asked.growth_of(device.physical) is not None and device.grows:
        own = device.physical in asked.growth
        if own and asked.process_growth is False:
            overrides = (f"no growth for all GPUs, set by {_line(asked, 'process_growth')}",)
        set_by = _line(asked, "growth" if own else "process_growth")
        return replace(plain, policy="growth", set_by=set_by, overrides=overrides)
    return plain


def _line(asked: Settings, *names: str) -> str:
    """Return the line that set the first of these settings that has one."""
    for name in names:
        if (origin := asked.set_by.get(name)) is not None:
            return str(origin)
    return "the program"


def _with_forced_growth(budget: Budget, environment: Environment, asked: Settings | None) -> Budget:
    """Name TF_FORCE_GPU_ALLOW_GROWTH where it decided; the device was made with its value."""
    forced = environment.force_growth
    if forced not in ("true", "false") or budget.policy not in ("all", "growth"):
        return budget
    grows = forced == "true"
    overrides: tuple[str, ...] = ()
    if asked is not None:
        said = {name: value for name, value in _growths(asked).items() if value is not grows}
        overrides = tuple(
            f"growth={value}, set by {_line(asked, name)}" for name, value in said.items()
        )
    policy = "growth" if grows else "all"
    variable = "TF_FORCE_GPU_ALLOW_GROWTH"
    return replace(budget, policy=policy, set_by=variable, overrides=overrides)


def _growths(asked: Settings) -> dict[str, bool]:
    """Return what was said of growth, by setting."""
    said = {
        "growth": next(iter(asked.growth.values()), None),
        "process_growth": asked.process_growth,
    }
    return {name: value for name, value in said.items() if value is not None}


def _bounded(budget: Budget, policy: Policy) -> Budget:
    """Return a budget under the command line's policy, which the program cannot loosen."""
    before = f"{budget.policy} ({size_text(budget.limit_bytes)}), set by {budget.set_by}"
    said = (*budget.overrides, before) if budget.set_by != "default" else budget.overrides
    if policy.grows:
        if budget.grows:
            return budget
        kind = "growth" if budget.policy == "all" else budget.policy
        return replace(budget, policy=kind, grows=True, set_by=VARIABLE, overrides=said)
    limit = policy.limit_of(budget.total_bytes)
    if limit is None or limit >= budget.limit_bytes:
        return budget
    kind = "fraction" if policy.fraction is not None else "limit"
    return replace(budget, policy=kind, limit_bytes=limit, set_by=VARIABLE, overrides=said)


def oversubscribed(card: Card, limit_bytes: int) -> InvalidArgumentError:
    """Return the error for a memory fraction above 1."""
    fraction = limit_bytes / card.total_bytes
    return InvalidArgumentError(
        None,
        None,
        hint(
            f"per_process_gpu_memory_fraction must be between 0 and 1, got {fraction:.3g}: it asks "
            f"for {size_text(limit_bytes)} of a card that has {size_text(card.total_bytes)}.",
            "TensorFlow would page to host memory (unified memory, compute capability 6.0 and "
            "later), which is slow and is not done here",
            "use at most 1, or simulate a larger card",
        ),
    )
