"""Copies between devices that compute on the host, into memory whose pages are kept.

A fresh buffer of megabytes costs more than the copy itself: the system maps each page at its first
touch. So buffers of copies are kept when their tensor ends and used for the next copy of that size.

A kept buffer is a NumPy array over a torch buffer (aligned as torch likes). The content of a copy
is made from the array and holds a reference to it for as long as any tensor, view or array uses the
bytes: an array that only the cache refers to is free.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from placewise.core.runtime import State, runtime

LEAST_BYTES = 1 << 20  # smaller buffers come quickly enough from the system's own heap
MOST_BYTES = 256 << 20  # of all kept buffers together; beyond it the oldest go


class Pages:
    """Buffers kept for copies, by size."""

    def __init__(self, least_bytes: int = LEAST_BYTES, most_bytes: int = MOST_BYTES) -> None:
        self.least_bytes, self.most_bytes = least_bytes, most_bytes
        self.kept_bytes = 0
        self._kept: OrderedDict[int, np.ndarray[Any, Any]] = OrderedDict()  # by id, oldest first
        self._by_size: dict[int, list[np.ndarray[Any, Any]]] = {}
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> np.ndarray[Any, Any]:
        """Return a buffer that nobody uses."""
        with self._lock:
            for array in self._by_size.get(nbytes, ()):
                # The list, the dictionary, the loop and the call refer to it: nobody else.
                if sys.getrefcount(array) == 4:
                    self._kept.move_to_end(id(array))
                    return array
            fresh: np.ndarray[Any, Any] = torch.empty(nbytes, dtype=torch.uint8).numpy()
            self._kept[id(fresh)] = fresh
            self._by_size.setdefault(nbytes, []).append(fresh)
            self.kept_bytes += nbytes
            while self.kept_bytes > self.most_bytes:
                self._drop()
            return fresh

    def _drop(self) -> None:
        """Forget the oldest buffer; its memory goes when its last user does."""
        _, array = self._kept.popitem(last=False)
        self.kept_bytes -= array.nbytes
        same = self._by_size[array.nbytes]
        same[:] = [other for other in same if other is not array]
        if not same:
            del self._by_size[array.nbytes]

    def clear(self) -> int:
        """Forget all buffers; return how many bytes were kept."""
        with self._lock:
            before = self.kept_bytes
            while self._kept:
                self._drop()
            return before

    def copy(self, value: torch.Tensor) -> torch.Tensor:
        """Return a copy of a host tensor, in other memory."""
        nbytes = value.nbytes
        if not self.least_bytes <= nbytes <= self.most_bytes or value.layout is not torch.strided:
            return value.clone()
        buffer = torch.from_numpy(self.take(nbytes)).view(value.dtype)
        if value.is_contiguous():
            target = buffer.view(value.shape)
        elif value.untyped_storage().nbytes() == nbytes and 0 not in value.stride():
            # All of a storage in another order: the copy keeps the order.
            target = buffer.as_strided(value.shape, value.stride())
        else:
            target = buffer.view(value.shape)
        return target.copy_(value)


@dataclass(slots=True)
class KeptPages(State):
    """The buffers that this process keeps for copies."""

    pages: Pages = field(default_factory=Pages)


pages = runtime.state(KeptPages, lasting=True).pages
