"""Whether a copy between devices can be spared, because both compute in the same memory."""

from __future__ import annotations

from typing import Any


def is_within_reach(copy: Any) -> bool:
    """Return True if a copy's original can be read from the device it is copied to.

    So it is between simulated devices, as by NCCL between real ones: a step that is the only reader
    of the copy may read the original instead.
    """
    return bool(copy.source.torch_device == copy.device.torch_device)
