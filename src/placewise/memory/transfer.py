"""Moves of tensors between memories. No other file moves data.

Each move is reported to `watch.moved`, with the two torch devices and the number of bytes.
"""

from __future__ import annotations

import torch

from placewise.core.scope import watch

HOST = torch.device("cpu")
# Dtypes whose every number Python and torch hand on exactly.
_FILLED = frozenset(
    {
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.uint8,
        torch.bool,
    }
)


def move(value: torch.Tensor, target: str | torch.device) -> torch.Tensor:
    """Return a tensor in the memory of a torch device: itself if it is there."""
    moved = value.to(target)
    if moved is not value and watch.moved is not None:
        watch.moved(value.device, moved.device, value.numel() * value.element_size())
    return moved


def place(value: torch.Tensor, target: str) -> torch.Tensor:
    """Return a tensor of the host in the memory of a device.

    A scalar is passed as an argument of the call that fills the result: nothing is copied.
    """
    if value.dim() or value.device != HOST or value.dtype not in _FILLED:
        return move(value, target)
    return torch.full((), value.item(), dtype=value.dtype, device=target)


def is_in(value: torch.Tensor, target: str) -> bool:
    """Return whether a tensor is in the memory of a torch device, which may go without index."""
    wanted = torch.device(target)
    here = value.device
    return here.type == wanted.type and wanted.index in (None, here.index)


def to_host(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor in host memory: itself if it is there."""
    return value if value.device == HOST else move(value, HOST)
