"""How much of a card's memory a device may have, as TensorFlow 2.13 and later work it out."""

from __future__ import annotations

import logging

from placewise.core.errors import InternalError, InvalidArgumentError, hint
from placewise.core.sizes import size_text
from placewise.devices.environment import Environment
from placewise.devices.facts import GIB, MIB, Card
from placewise.devices.options import Options

logger = logging.getLogger("tensorflow")


def system_reserve_bytes(free_bytes: int, capability: tuple[int, int] | None) -> int:
    """Return what is left to the driver and its libraries."""
    if free_bytes < 2 * GIB:
        return 225 * MIB
    major = capability[0] if capability else 0
    if major <= 6:
        return 500 * MIB
    if major == 7:
        return 1050 * MIB
    return 1536 * MIB if major == 8 else 1800 * MIB


def memory_limit_bytes(card: Card, options: Options, environment: Environment) -> int:
    """Return the bytes one undivided device on `card` may have."""
    reserved = _reserved_bytes(card, options, environment)
    if reserved is not None:
        return card.free_bytes - reserved
    fraction = options.memory_fraction
    if fraction > 1.0 and (card.capability or (6, 0)) < (6, 0):
        raise InternalError(
            None,
            None,
            hint(
                "Unified memory on GPUs with compute capability lower than 6.0 (pre-Pascal class "
                "GPUs) does not support oversubscription.",
                f"here: {card.name}",
                "use a memory fraction of at most 1",
            ),
        )
    if fraction > 1.0:
        raise oversubscribed(card, int(card.total_bytes * fraction))
    if fraction > 0.0:
        return int(card.total_bytes * fraction)
    reserve = system_reserve_bytes(card.free_bytes, card.capability)
    return card.free_bytes - reserve if reserve < card.free_bytes else card.free_bytes


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


def _reserved_bytes(card: Card, options: Options, environment: Environment) -> int | None:
    """Return the reserve that the program or TF_DEVICE_MIN_SYS_MEMORY_IN_MB asks for, or None."""
    asked = options.system_memory_mb
    if not asked:
        try:
            asked = int(environment.min_system_memory_mb or 0)
        except ValueError:
            return None
    if asked <= 0:
        return None
    if asked * MIB > card.free_bytes:
        logger.warning(
            "The requested reserved device memory %d is larger than the available memory of %d. "
            "The request is ignored.",
            asked * MIB,
            card.free_bytes,
        )
        return None
    return asked * MIB


def grows(asked: bool, environment: Environment) -> bool:
    """Return whether memory grows on demand; TF_FORCE_GPU_ALLOW_GROWTH overrides the program."""
    forced = environment.force_growth
    if forced is None:
        return asked
    if forced not in ("true", "false"):
        logger.error(
            "The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but could not be parsed: "
            '"%s". Valid values are "true" or "false". Using original config value of %d.',
            forced,
            asked,
        )
        return asked
    value = forced == "true"
    if value != asked:
        logger.warning(
            "Overriding orig_value setting because the TF_FORCE_GPU_ALLOW_GROWTH environment "
            "variable is set. Original config value was %d.",
            asked,
        )
    return value
