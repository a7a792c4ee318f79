"""Which results may share memory with inputs or with what another device holds."""

from __future__ import annotations

from typing import Any

# Their results may share the memory of their first inputs, and nothing else keeps it.
_VIEWS = """
    AddN BroadcastTo Cast ExpandDims Identity Max Mean Min NoOp Reshape Slice Split SplitV Squeeze
    StopGradient StridedSlice Sum Tile Transpose Unpack
"""
VIEWS = frozenset(_VIEWS.split())


def is_within_reach(copy: Any) -> bool:
    """Return True if a copy's original can be read from where it is copied to, as by NCCL.

    So it is between simulated devices: who reads the copy but once may as well read the original.
    """
    return bool(copy.source.torch_device == copy.device.torch_device)
