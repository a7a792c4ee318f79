"""What a planned GPU holds at its peak, and when it would first have run out of memory.

The pool of a planned GPU counts and has no limit. It calls a `PeakWatch` when its peak may have
risen; who holds the memory is then listed, unless the peak has risen by little since the last time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from placewise.devices.origin import user_line
from placewise.memory.allocation import Allocation, Made
from placewise.memory.exhausted import Holder, type_name
from placewise.memory.ledger import Ledger
from placewise.memory.pool import rounded
from placewise.memory.variables import Named, by_owner

_RISE = 1.01  # holders are listed anew when the peak has risen by this
_LONG_SECONDS = 0.02  # if a list takes longer, by more
_LARGEST = 10


@dataclass(frozen=True, slots=True)
class Crossing:
    """The first allocation beyond a card's limit."""

    op: str
    line: str
    over_bytes: int  # by how much the limit was exceeded then
    holders: tuple[Holder, ...]  # the largest, at that moment


@dataclass(frozen=True, slots=True)
class Rise:
    """A new peak, and the op and line that raised it."""

    peak_bytes: int
    op: str
    line: str


@dataclass(frozen=True, slots=True)
class VariableMemory:
    """The memory of one variable at the peak."""

    name: str
    nbytes: int
    trainable: bool | None
    shape: tuple[int, ...]


@dataclass(slots=True)
class PeakWatch:
    """Watches the memory of one planned GPU."""

    ledger: Ledger
    limit_bytes: int
    peak_bytes: int = 0
    first_crossing: Crossing | None = None
    rises: list[Rise] = field(default_factory=list)  # for machines with other limits
    # At the peak: bytes and tensors of each (name, shape, dtype, line), whether it is a variable.
    _held: dict[tuple[Any, ...], list[int]] = field(default_factory=dict)
    _variables: list[tuple[Named, int, tuple[int, ...]]] = field(default_factory=list)
    _listed_bytes: int = 0
    _rise: float = _RISE

    def begin(self) -> None:
        """Watch from now on."""
        self.ledger.pending.on_peak = self._risen

    def end(self) -> None:
        """Watch no more; the peak is up to date then."""
        self.ledger.settle()
        self.ledger.pending.on_peak = None

    def _risen(self, peak_bytes: int) -> None:
        if peak_bytes <= self.peak_bytes:
            return
        self.peak_bytes = peak_bytes
        is_first = self.first_crossing is None and peak_bytes > self.limit_bytes
        if not is_first and peak_bytes < self._rise * self._listed_bytes:
            return
        began = time.monotonic()
        self._listed_bytes = peak_bytes
        self._list()
        self.rises.append(Rise(peak_bytes, *self._latest()))
        if time.monotonic() - began > _LONG_SECONDS:
            self._rise = 1 + 2 * (_RISE - 1)
        if is_first:
            self.first_crossing = self._crossing()

    def _latest(self) -> tuple[str, str]:
        """Return the op that allocated last, and the line of the program."""
        pending = self.ledger.pending
        what: Any = pending.latest
        if pending.waiting:
            what = next(reversed(pending.waiting)).what
        origin = getattr(what, "origin", None) or user_line()
        return str(getattr(what, "name", what)), str(origin or "")

    def _crossing(self) -> Crossing:
        over = self.peak_bytes - self.limit_bytes
        return Crossing(*self._latest(), over, tuple(self.holders[:_LARGEST]))

    def _list(self) -> None:
        """List who holds memory now: variables by name, the rest by op and line."""
        # Made often while memory fills up: no objects for what is only to be added up.
        owners = by_owner()
        self._held, self._variables = {}, []
        for content, what, size in self._pieces():
            owner = owners.get(id(content))
            if owner is None:
                key = _maker(what, content)
            else:
                named: Named = owner.named
                shape = tuple(owner.content.shape)
                self._variables.append((named, size, shape))
                key = (f"variable {named.name}", shape, owner.content.dtype, named.origin)
            total = self._held.setdefault(key, [0, 0])
            total[0] += size
            total[1] += 1

    @property
    def holders(self) -> list[Holder]:
        """Who holds memory at the peak, largest first."""
        held = sorted(self._held.items(), key=lambda item: -item[1][0])
        return [
            Holder(nbytes, count, name, shape, type_name(dtype), str(origin) if origin else None)
            for (name, shape, dtype, origin), (nbytes, count) in held
        ]

    @property
    def variables(self) -> list[VariableMemory]:
        """The variables at the peak."""
        return [
            VariableMemory(named.name, nbytes, named.trainable, shape)
            for named, nbytes, shape in self._variables
        ]

    def _pieces(self) -> Any:
        """Yield what is in use: content, what made it, bytes. The pool may be behind."""
        pending = self.ledger.pending
        for block in list(pending.pool.blocks()):
            if isinstance(block, Allocation):
                content = block()
                if content is not None:
                    yield content, block.what, block.size
        for mark, size in list(pending.waiting.items()):
            content = mark()
            if content is not None:
                yield content, mark.what, rounded(size)


def _maker(what: Any, content: Any) -> tuple[Any, ...]:
    """Return what is known of a content: the name of the op, shape, dtype, and line."""
    shape, dtype, origin = tuple(content.shape), content.dtype, None
    if type(what) is Made:
        what, shape, dtype, origin = what
    origin = getattr(what, "origin", None) or origin
    return str(getattr(what, "name", what)), shape, dtype, origin
