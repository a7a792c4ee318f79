"""A piece of a device's memory and the storage that holds it.

A content is a torch tensor; its bytes are its storage's, which views and aliases share. torch keeps
one Python object per storage until the storage itself ends, so a weak reference to that object ends
with the last tensor, view or array that uses the bytes. An `Allocation` is that weak reference.
"""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import Any, NamedTuple
from weakref import ref

import torch

from placewise.devices.origin import Origin
from placewise.memory.pool import Piece

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OURS = (_PACKAGE, "<placewise ", "<frozen ")


class Made(NamedTuple):
    """How an allocation came about; kept for large ones, and for all while recording."""

    what: Any
    shape: tuple[int, ...]
    dtype: torch.dtype
    code: CodeType | None
    line: int


class Allocation(ref):  # type: ignore[type-arg]  # of a torch.UntypedStorage
    """A piece of a pool's memory held by a storage; it is the weak reference to the storage."""

    __slots__ = ("address", "holder", "nbytes", "next", "previous", "size", "what")

    address: int
    size: int
    nbytes: int  # as asked for; its size may be larger
    holder: Any  # None until the pool has caught up with it
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
        defined = getattr(what.what, "origin", None)  # where the graph got the operation
        if defined is not None or what.code is None:
            return defined
        return Origin(what.code.co_filename, what.line)

    def remember(self, value: Any) -> None:
        """Keep shape, dtype and the innermost line outside placewise."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_OURS):
            frame = frame.f_back
        code, line = (None, 0) if frame is None else (frame.f_code, frame.f_lineno)
        self.what = Made(self.what, tuple(value.shape), value.dtype, code, line)
