"""How much memory each device may have, who decided that, and what it overrides.

Pure functions from what was asked (the policy of the command line, the settings of `tf.config`, a
session's options, the environment) to Budgets. In order of force: PLACEWISE_MEMORY and
TF_FORCE_GPU_ALLOW_GROWTH; what the first user of the GPU asked for; the default, nearly all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from placewise.core.sizes import size_text
from placewise.devices.device import Device
from placewise.devices.environment import Environment
from placewise.devices.facts import Card
from placewise.devices.limits import memory_limit_bytes
from placewise.devices.options import Options
from placewise.devices.origin import Origin
from placewise.devices.policy import VARIABLE
from placewise.devices.policy import Policy as Policy
from placewise.devices.policy import parse_policy as parse_policy
from placewise.devices.settings import Settings


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
    limit = device.asked_limit_bytes
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
    plain = Budget(device.name, "all", limit, device.asked_growth, card.total_bytes, "default")
    overrides: tuple[str, ...] = ()
    if asked is None:
        whole = memory_limit_bytes(card, Options(), environment)
        set_by = f"gpu_options of the session at {origin}" if origin else "gpu_options"
        if limit != whole:
            fraction = limit / card.total_bytes
            kind = "fraction" if int(card.total_bytes * round(fraction, 6)) == limit else "limit"
            return replace(plain, policy=kind, set_by=set_by)
        if device.asked_growth:
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
    if asked.growth_of(device.physical) is not None and device.asked_growth:
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
