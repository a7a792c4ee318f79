"""Which copies may read what another device holds in place of their own."""

from __future__ import annotations

from typing import Any


def is_within_reach(copy: Any) -> bool:
    """Return True if a copy's original can be read from where it is copied to, as by NCCL.

    So it is between simulated devices: who reads the copy but once may as well read the original.
    """
    return bool(copy.source.torch_device == copy.device.torch_device)
