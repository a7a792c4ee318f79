"""Whether a copy between devices can be spared, because both compute in the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placewise.planning.plan import Step


def is_within_reach(copy: Step) -> bool:
    """Return True if a copy's original can be read from the device it is copied to.

    True between simulated devices. A step that is the only reader of a copy may then read the
    original instead, as NCCL does between real GPUs.
    """
    return bool(copy.source.torch_device == copy.device.torch_device)
