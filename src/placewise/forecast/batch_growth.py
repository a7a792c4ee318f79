"""How the memory of a device grows with the batch, seen in one step.

A tensor grows with the batch if its first dimension is a multiple of what the device has of the
batch. Variables do not, and neither do gradients, which have the shapes of variables. The moment
of the peak is not enough: a step may peak while the optimizer runs, and with a larger batch it
peaks at the end of the forward pass. So moments are kept that may become the peak.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from weakref import finalize

from placewise.memory.allocation import owner_of

_LEAST_BYTES = 4096  # smaller tensors do not decide


@dataclass(frozen=True, slots=True)
class Moment:
    """What a device holds at one moment of a step: in all, and what of it grows with the batch."""

    in_use_bytes: int
    batch_bytes: int

    def with_batch(self, factor: float) -> float:
        """Return what it would hold with so many times the batch."""
        return self.in_use_bytes + (factor - 1) * self.batch_bytes


def largest_factor(moments: Iterable[Moment], limit_bytes: int) -> float | None:
    """Return how many times the batch may be that fits; None if nothing grows."""
    factors = [
        1 + (limit_bytes - moment.in_use_bytes) / moment.batch_bytes
        for moment in moments
        if moment.batch_bytes
    ]
    return max(min(factors), 0.0) if factors else None


@dataclass(slots=True)
class BatchGrowth:
    """Follows what is held on one device that grows with the batch."""

    share: int  # of the batch
    fixed_shapes: frozenset[tuple[int, ...]]  # of variables
    moments: list[Moment] = field(default_factory=list)
    _held: dict[int, int] = field(default_factory=dict)  # bytes by the owner of the contents
    _held_bytes: int = 0

    def made(self, contents: Iterable[Any], in_use_bytes: int) -> None:
        """Take down the results of an op, and how much of the device is in use after it."""
        for content in contents:
            if self._grows(content):
                self._hold(owner_of(content))
        moment = Moment(in_use_bytes, self._held_bytes)
        if any(_is_below(moment, other) for other in self.moments):
            return
        self.moments = [other for other in self.moments if not _is_below(other, moment)]
        self.moments.append(moment)

    def _grows(self, content: Any) -> bool:
        if not getattr(content, "is_meta", False) or not content.dim():
            return False
        shape = tuple(content.shape)
        return (
            shape[0] > 0
            and shape[0] % self.share == 0
            and shape not in self.fixed_shapes
            and content.nbytes >= _LEAST_BYTES
        )

    def _hold(self, owner: Any) -> None:
        key = id(owner)
        if key in self._held:
            return
        self._held[key] = owner.nbytes
        self._held_bytes += owner.nbytes
        finalize(owner, self._drop, key)

    def _drop(self, key: int) -> None:
        self._held_bytes -= self._held.pop(key, 0)


def _is_below(moment: Moment, other: Moment) -> bool:
    """Return whether a moment cannot be the peak where another is, whatever the batch."""
    return moment.in_use_bytes <= other.in_use_bytes and moment.batch_bytes <= other.batch_bytes
