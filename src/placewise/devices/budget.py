"""How much memory a GPU may have, whether it grows, who decided each, and what that overrides.

Pure: a card, what a program asks for and the environment in, a Budget out. In order of force: the
default, what the program asks for, TensorFlow's variables, the policy of the command line. Each
Device has the Budget it was made with; which one is in force is for `claims` to say.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import NamedTuple

from placewise.core.sizes import size_text
from placewise.devices.environment import Environment
from placewise.devices.facts import MIB, Card
from placewise.devices.limits import default_bytes, fraction_bytes
from placewise.devices.options import Options, Part
from placewise.devices.policy import policy_of

DEFAULT = "default"
RESERVE = "TF_DEVICE_MIN_SYS_MEMORY_IN_MB"
FORCE = "TF_FORCE_GPU_ALLOW_GROWTH"
OUTSIDE = "placewise run --memory (PLACEWISE_MEMORY)"


class Note(NamedTuple):
    """Something to be said, once, when a device is used."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Budget:
    """The limit of a GPU and its growth, who set each of them, and what that overrides."""

    device: str
    limit_bytes: int
    total_bytes: int
    kind: str = "all"  # of limit: "all", "fraction" or "limit"
    limit_set_by: str = DEFAULT
    grows: bool = False
    growth_set_by: str = DEFAULT
    is_part: bool = False  # of a card that is divided
    overrides: tuple[str, ...] = ()
    fixed_at: str | None = None  # the line whose use of the GPU fixed it; None while it may change
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def fraction(self) -> float | None:
        """The part of the card that is the limit, where it was given as a part."""
        return self.limit_bytes / max(self.total_bytes, 1) if self.kind == "fraction" else None

    @property
    def policy(self) -> str:
        """What is most to be said of it: "all", "fraction", "limit" or "growth"."""
        return "growth" if self.grows and self.kind == "all" else self.kind

    @property
    def set_by(self) -> str:
        """Who set the limit and the growth, or "default"."""
        authors = dict.fromkeys((self.limit_set_by, self.growth_set_by))
        return " and ".join(author for author in authors if author != DEFAULT) or DEFAULT

    @property
    def size(self) -> str:
        """The limit and whether it grows, as text."""
        return size_text(self.limit_bytes) + (", growing" if self.grows else "")

    def asks_otherwise(self, other: Budget) -> bool:
        """Return whether someone set something here that is not so in another."""
        return (self.limit_set_by != DEFAULT and self.limit_bytes != other.limit_bytes) or (
            self.growth_set_by != DEFAULT and self.grows != other.grows
        )

    def __str__(self) -> str:
        fraction = "" if self.fraction is None else f"{self.fraction:.3g} of the card"
        limit = {"all": "nearly all of the card", "limit": "a limit"}.get(self.kind, fraction)
        growth = "growing" if self.grows else "not growing"
        if self.limit_set_by == self.growth_set_by:
            limit += ", growing" if self.grows else ""
            return f"{limit}, {_who(self.limit_set_by)}"
        if self.growth_set_by == DEFAULT:
            return f"{limit}, {_who(self.limit_set_by)}"
        if self.policy == "growth" and self.limit_set_by == DEFAULT:
            return f"growth, {_who(self.growth_set_by)}"
        return f"{limit}, {_who(self.limit_set_by)}; {growth}, {_who(self.growth_set_by)}"


def _who(author: str) -> str:
    return "the default" if author == DEFAULT else f"set by {author}"


class _Limit(NamedTuple):
    nbytes: int
    kind: str
    author: str

    def __str__(self) -> str:
        return f"{self.kind} ({size_text(self.nbytes)}), {_who(self.author)}"


class _Growth(NamedTuple):
    grows: bool
    author: str

    def __str__(self) -> str:
        return f"growth={self.grows}, {_who(self.author)}"


def decide(
    device: str,
    card: Card,
    options: Options,
    environment: Environment,
    cuda_index: int = 0,
    part: Part | None = None,
) -> Budget:
    """Return the budget of a device on a card, or of one part of a divided card."""
    notes: list[Note] = []
    limits = _limits(card, options, environment, cuda_index, part, notes)
    growths = _growths(options, environment, cuda_index, notes)
    limit, growth = limits[-1], growths[-1]
    overridden = [
        *(str(said) for said in limits[:-1] if said.author != DEFAULT),
        *options.overridden.get(cuda_index, ()),
        *(
            str(said)
            for said in growths[:-1]
            if said.author != DEFAULT and said.grows != growth.grows
        ),
    ]
    if options.unified_memory:
        notes.append(
            Note(
                logging.WARNING,
                "GPUOptions.experimental.use_unified_memory has no effect: the memory of a GPU is "
                "not paged to the host here.",
            )
        )
    return Budget(
        device=device,
        # The driver has no more to give than the card has.
        limit_bytes=min(limit.nbytes, card.total_bytes),
        total_bytes=card.total_bytes,
        kind=limit.kind,
        limit_set_by=limit.author,
        grows=growth.grows,
        growth_set_by=growth.author,
        is_part=part is not None or options.parts_per_gpu > 1,
        overrides=tuple(overridden),
        notes=tuple(notes),
    )


def _limits(
    card: Card,
    options: Options,
    environment: Environment,
    cuda_index: int,
    part: Part | None,
    notes: list[Note],
) -> list[_Limit]:
    """Return the limits that were asked for; the last is in force."""
    result = [_Limit(default_bytes(card), "all", DEFAULT)]
    if options.memory_fraction != 0.0:
        nbytes = fraction_bytes(card, options.memory_fraction)
        result.append(_Limit(nbytes, "fraction", options.author("fraction")))
    reserved, author = _reserve(options, environment)
    if reserved > card.free_bytes:
        notes.append(
            Note(
                logging.WARNING,
                f"The requested reserved device memory {reserved} is larger than the available "
                f"memory of {card.free_bytes}. The request is ignored.",
            )
        )
    elif reserved > 0:
        result.append(_Limit(card.free_bytes - reserved, "all", author))
    if part is not None:
        nbytes = int(part.limit_mb * MIB)
        result.append(_Limit(nbytes, "limit", options.author("parts", cuda_index)))
    elif options.parts_per_gpu > 1:
        nbytes = result[-1].nbytes // options.parts_per_gpu
        result.append(_Limit(nbytes, "limit", options.author("parts", cuda_index)))
    policy = policy_of(environment)
    most = None if policy is None else policy.limit_of(card.total_bytes)
    if policy is not None and most is not None and most < min(result[-1].nbytes, card.total_bytes):
        result.append(_Limit(most, "limit" if policy.fraction is None else "fraction", OUTSIDE))
    return result


def _reserve(options: Options, environment: Environment) -> tuple[int, str]:
    """Return the bytes to leave to others, and who asks for that; 0 if nobody does."""
    if options.system_memory_mb > 0:
        return options.system_memory_mb * MIB, options.author("reserve")
    try:
        return int(environment.min_system_memory_mb or 0) * MIB, RESERVE
    except ValueError:
        return 0, RESERVE


def _growths(
    options: Options, environment: Environment, cuda_index: int, notes: list[Note]
) -> list[_Growth]:
    """Return what was said of growth; the last is in force."""
    asked = options.growth
    result = [_Growth(False, DEFAULT)]
    if asked or options.says("growth", cuda_index):
        result.append(_Growth(asked, options.author("growth", cuda_index)))
    forced = environment.force_growth
    if forced in ("true", "false"):
        result.append(_Growth(forced == "true", FORCE))
        if result[-1].grows != asked:
            notes.append(
                Note(
                    logging.WARNING,
                    f"Overriding orig_value setting because the {FORCE} environment variable is "
                    f"set. Original config value was {asked:d}.",
                )
            )
    elif forced is not None:
        notes.append(
            Note(
                logging.ERROR,
                f'The {FORCE} environment variable is set but could not be parsed: "{forced}". '
                f'Valid values are "true" or "false". Using original config value of {asked:d}.',
            )
        )
    policy = policy_of(environment)
    if policy is not None and policy.grows and not result[-1].grows:
        result.append(_Growth(True, OUTSIDE))
    return result
