"""A piece of a device's memory and the content that holds it.

A content is a torch tensor. Its views keep it, as their `_base`, and torch keeps the Python object
of a tensor until the tensor itself ends: so a weak reference to that object ends with the last view
that uses the bytes. An `Allocation` is that weak reference. The few kernels that return the bytes
of an input in a way that torch does not call a view say so with `sharing`.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import getweakrefs, ref

import torch

from placewise.devices.origin import Origin, user_line
from placewise.memory.pool import Piece


class Made(NamedTuple):
    """How an allocation came about; kept for large ones, and for all while recording."""

    what: Any
    shape: tuple[int, ...]
    dtype: torch.dtype
    origin: Origin | None  # the line of the program that was running


class PendingAllocation(ref):  # type: ignore[type-arg]  # of a torch.Tensor
    """A content that counts and has no place in the pool yet; the weak reference to it."""

    __slots__ = ("what",)
    # A weak reference hashes as its referent. These are keys, and their referents may be gone.
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    what: Any  # as an allocation's


class Share(ref):  # type: ignore[type-arg]  # of a torch.Tensor
    """Marks a tensor that uses the bytes of `source`, where torch does not call it a view."""

    __slots__ = ("source",)

    source: torch.Tensor


def sharing(result: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """Return `result`, which uses the bytes of `source` though torch does not call it a view."""
    share = Share(result)
    share.source = source
    result.share = share  # type: ignore[attr-defined]  # lives as long
    return result


def owner_of(value: torch.Tensor) -> torch.Tensor:
    """Return the tensor whose bytes a content uses: itself, unless it is a view."""
    base = value._base
    if base is not None:
        value = base
    for weak in getweakrefs(value):
        if type(weak) is Share:
            return owner_of(weak.source)
    return value


class Allocation(ref):  # type: ignore[type-arg]  # of a torch.Tensor
    """A piece of a pool's memory held by a tensor; it is the weak reference to the tensor."""

    __slots__ = ("address", "holder", "nbytes", "next", "previous", "size", "what")

    address: int
    size: int
    nbytes: int  # as asked for; its size may be larger
    holder: Any
    previous: Piece
    next: Piece
    what: Any  # the op that made it, or its name; a Made if more is known

    @property
    def op_name(self) -> str:
        """The name of the op that made it."""
        what = self.what.what if type(self.what) is Made else self.what
        return str(getattr(what, "name", what))

    @property
    def origin(self) -> Origin | None:
        """The line of the program that made it, if it was kept."""
        what = self.what
        if type(what) is not Made:
            return None
        # Where the graph got the operation, or the program the variable, if either made it.
        return getattr(what.what, "origin", None) or what.origin

    def remember(self, value: Any) -> None:
        """Keep shape, dtype and the line of the program that is running."""
        self.what = Made(self.what, tuple(value.shape), value.dtype, user_line(1))
