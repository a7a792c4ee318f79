"""What crosses between host and cards inside a `with`, and where in the program it happens."""

import sys
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import test_accelerator_native as native
import torch

_HIDDEN = (str(Path(torch.__file__).parent), str(Path(__file__).parent))


@dataclass(frozen=True)
class Event:
    """One copy or wait: "h2d", "d2h", "d2d" or "sync", its bytes, the op, the card, the stack."""

    kind: str
    bytes: int
    op: str
    card: int
    stack: str

    def __str__(self) -> str:
        return f"{self.kind} {self.op} on accel:{self.card}, {self.bytes} bytes\n{self.stack}"


class Counted:
    """Bytes to the cards (h2d), to the host (d2h), between cards (d2d), and waits, since entered.

    `sync_ops` says which ops waited; `h2d_calls` and so on how many copies there were; `ops` how
    many ops ran. With `stacks`, `events` has each event with the program's frames.
    """

    def __init__(self, stacks: bool = False) -> None:
        self.stacks, self.events = stacks, []
        self._before = self._after = None

    def __enter__(self) -> "Counted":
        self._before, self._after = native.counters(), None
        if self.stacks:
            native.listen(self._keep)
        return self

    def __exit__(self, *_: object) -> None:
        self._after = native.counters()
        if self.stacks:
            native.listen(None)

    def _keep(self, kind: str, size: int, op: str, card: int) -> None:
        frames = traceback.extract_stack(sys._getframe(1))
        shown = [frame for frame in frames if not frame.filename.startswith(_HIDDEN)]
        self.events.append(Event(kind, size, op, card, "".join(traceback.format_list(shown))))

    def _since(self, name: str) -> int:
        now = self._after or native.counters()
        return now[name] - self._before[name]

    @property
    def h2d(self) -> int:
        return self._since("h2d_bytes")

    @property
    def d2h(self) -> int:
        return self._since("d2h_bytes")

    @property
    def d2d(self) -> int:
        return self._since("d2d_bytes")

    @property
    def h2d_calls(self) -> int:
        return self._since("h2d_calls")

    @property
    def d2h_calls(self) -> int:
        return self._since("d2h_calls")

    @property
    def d2d_calls(self) -> int:
        return self._since("d2d_calls")

    @property
    def ops(self) -> int:
        return self._since("ops")

    @property
    def syncs(self) -> int:
        return self._since("syncs")

    @property
    def sync_ops(self) -> Counter:
        now = self._after or native.counters()
        return Counter(now["sync_ops"]) - Counter(self._before["sync_ops"])

    def __repr__(self) -> str:
        return (
            f"Counted(h2d={self.h2d}, d2h={self.d2h}, d2d={self.d2d}, "
            f"syncs={dict(self.sync_ops)}, ops={self.ops})"
        )
