"""Indices nobody has looked at: on a GPU a bad one takes zeros, and what it brings is dropped.

On the CPU an op looks at its indices and raises. On a device looking would wait for it, and torch's
kernels there must never meet a bad index: they end the process. So bad ones are led elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

# What a dropped row is replaced by, so that place 0, which it is led to, stays as it is.
_NEUTRAL = {"add": 0, "sub": 0, "prod": 1, "div": 1}


def are_inside(indices: torch.Tensor, size: int) -> Any:
    """Return which indices are in [0, size)."""
    return (indices >= 0) & (indices < size)


def flat_places(indices: torch.Tensor, shape: Sequence[int]) -> tuple[Any, Any]:
    """Return rows of positions as places in the flattened dimensions, and which are in range."""
    rows = indices.reshape(_count(indices.shape[:-1]), len(shape)).long()
    places = rows.new_zeros(rows.shape[0])
    inside = torch.ones_like(places, dtype=torch.bool)
    for axis, size in enumerate(shape):
        column = rows[:, axis]
        inside = inside & are_inside(column, size)
        places = places * size + column
    return places, inside


def _count(dims: Sequence[int]) -> int:
    count = 1
    for d in dims:
        count *= d
    return count


def zeroed_outside(taken: torch.Tensor, inside: torch.Tensor) -> Any:
    """Return what was taken, a tensor of its own, with zeros where the index was out of range.

    `inside` has the leading dimensions of `taken`, or broadcasts with it.
    """
    spread = inside.reshape([*inside.shape, *[1] * (taken.dim() - inside.dim())])
    return taken.masked_fill_(~spread, 0)


def harmless(rows: Any, places: Any, updates: Any, inside: Any, how: str) -> tuple[Any, Any]:
    """Return places in range, and updates that change only what the ones inside change.

    `rows` are those updated, at least one; `how` is 'update', 'amax', 'amin', 'add', 'sub', 'prod'
    or 'div'.
    """
    if not places.numel():
        return places, updates
    if how == "update":
        return _repeated(rows, places, updates, inside)
    spread = inside.reshape([-1] + [1] * (updates.dim() - 1))
    places = torch.where(inside, places, 0)
    if how in ("amax", "amin"):
        return places, torch.where(spread, updates, rows[:1])
    return places, updates.masked_fill(~spread, _NEUTRAL[how])


def _repeated(
    rows: torch.Tensor, places: torch.Tensor, updates: torch.Tensor, inside: torch.Tensor
) -> tuple[Any, Any]:
    """Have each update that is out of range say again what the last one in range before it said.

    Those before the first in range say what that says; with none in range, row 0 gets its own.
    """
    numbers = torch.arange(len(places), device=places.device)
    before = torch.where(inside, numbers, -1).cummax(0).values
    source = torch.where(before < 0, inside.to(torch.uint8).argmax(), before)
    is_any = inside.any()
    places = torch.where(is_any, places.index_select(0, source), 0)
    return places, torch.where(is_any, updates.index_select(0, source), rows[:1])
