"""What the workers of a cluster tell each other while they run: where each one stands.

A thread of its own writes it to the store and reads the others': the store is served by a process
that may itself be stopped, and then an answer never comes.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from placewise.distribute.membership import Membership

_SILENT_SECONDS = 1.0  # at least, without a beat, before a worker counts as stopped


class Beat(NamedTuple):
    """What a worker said last, and when that was heard, by `time.monotonic` of this process."""

    number: int
    calls: int  # how many calls of all workers together it has begun
    is_waiting: bool  # is it in the last of them?
    where: str
    excused: str | None
    heard: float


class Heartbeats(threading.Thread):
    """Tells where this worker stands, and hears where the others do."""

    is_placewise = True

    def __init__(
        self, member: Membership, interval: float, connect: Callable[[], Any], group: Any
    ) -> None:
        super().__init__(name="placewise heartbeats", daemon=True)
        self.member, self.interval = member, interval
        self.who = member.names[member.rank]
        self.beats: dict[int, Beat] = {}
        self._group, self._connect = group, connect
        self._own = {"where": "", "excused": None}
        self._number = 0
        self._ended = threading.Event()
        self._answered = time.monotonic()  # when the store did last

    # The thread.

    def run(self) -> None:
        """Tell and hear until it is ended, or the store is gone."""
        # The worker that serves the store may end first: there is nobody left to tell.
        with contextlib.suppress(RuntimeError, OSError):
            store = self._connect()
            while not self._ended.wait(self.interval):
                self._exchange(store)

    def end(self) -> None:
        """Let it end."""
        self._ended.set()

    def _exchange(self, store: Any) -> None:
        self._number += 1
        own = {**self._own, "number": self._number, "calls": self._group.calls}
        own["is_waiting"] = self._group.is_waiting
        store.set(f"beat/{self.member.rank}", json.dumps(own))
        for rank in range(self.member.size):
            key = f"beat/{rank}"
            if rank != self.member.rank and (rank in self.beats or store.check([key])):
                self._hear(rank, json.loads(store.get(key)))
        self._answered = time.monotonic()

    def _hear(self, rank: int, said: dict[str, Any]) -> None:
        known = self.beats.get(rank)
        if known is None or known.number != said["number"]:
            self.beats[rank] = Beat(**said, heard=time.monotonic())

    # The watchdog's side.

    def report(self, where: str, excused: str | None) -> None:
        """Note where this worker stands, for the next beat."""
        self._own = {"where": where, "excused": excused}

    def waiting_call(self) -> int:
        """Return the number of the call in which this worker waits for the others; 0 if none."""
        return int(self._group.calls) if self._group.is_waiting else 0

    def blame(self, waited: float, where: str) -> str | None:
        """Return which workers the others wait for, and where those stand.

        None if they have an excuse, or another worker says it: of those that wait, the first does.
        """
        late = self.late()
        waiting = [
            rank
            for rank, beat in self.beats.items()
            if beat.is_waiting and beat.calls == self._group.calls and rank not in late
        ]
        if any(rank < self.member.rank for rank in waiting):
            return None
        own = self.member.names[self.member.rank]
        begin = f"{own} has waited {waited:.0f} s at {where}"
        if not late:
            return "\n".join([f"{begin}; no other worker is late", *self._all()])
        if all(self.beats[rank].excused for rank in late if rank in self.beats):
            return None
        return f"{begin}, for {'; and for '.join(self.describe(rank) for rank in late)}"

    def late(self) -> list[int]:
        """Return the workers that have not come to the call that this one is in."""
        others = [rank for rank in range(self.member.size) if rank != self.member.rank]
        if self._is_store_silent() and not self.member.is_served:
            return [0]  # it serves the store, and with it all that is known of the others
        return [rank for rank in others if self._is_late(rank)]

    def _is_late(self, rank: int) -> bool:
        beat = self.beats.get(rank)
        return beat is None or beat.calls < self._group.calls or self._silence(rank) > 0

    def describe(self, rank: int) -> str:
        """Return the name of a worker and where it stands, as far as it is known."""
        name, beat = self.member.names[rank], self.beats.get(rank)
        if beat is None:
            return f"{name}, which has not said where it stands"
        silence = self._silence(rank)
        if silence:
            return (
                f"{name}, which has not answered for {silence:.0f} s: it was stopped, or its "
                f"machine is gone. It was last seen at {beat.where}"
            )
        why = f", which {beat.excused}" if beat.excused else ""
        return f"{name}{why}, which stands at {beat.where}"

    def _silence(self, rank: int) -> float:
        """Return for how long a worker has not been heard of, 0 while that is nothing unusual."""
        beat = self.beats.get(rank)
        if beat is None:
            return 0.0
        now = time.monotonic()
        if self._is_store_silent() and rank:
            return 0.0  # nobody is heard of: that says nothing of this worker
        silence = now - beat.heard
        return silence if silence > max(_SILENT_SECONDS, 3 * self.interval) else 0.0

    def _is_store_silent(self) -> bool:
        return time.monotonic() - self._answered > max(_SILENT_SECONDS, 3 * self.interval)

    def _all(self) -> list[str]:
        return [f"  {self.describe(rank)}" for rank in sorted(self.beats)]
