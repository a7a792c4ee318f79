"""The thread that looks on: it says who stands still, where, and when it goes on.

It looks at counters, and at the frames of threads only when nothing has moved. It says each stall
once. Time in which this process itself was stopped does not count.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from dataclasses import dataclass
from typing import Protocol

from placewise.core.runtime import State, runtime
from placewise.watchdog.excuse import excuse
from placewise.watchdog.position import Position, position_of
from placewise.watchdog.pulse import Pulse
from placewise.watchdog.settings import watch_seconds
from placewise.watchdog.threads import Suspect, cpu_seconds, other_threads, suspect

_SHORTEST, _LONGEST = 0.1, 2.0  # between two looks
_LOOKS = 8  # at least, before anything is said
_BUSY = 0.1  # of a processor: then a thread computes


class Peers(Protocol):
    """Other processes that this one works with, and may wait for."""

    who: str  # this one among them

    def report(self, where: str, excused: str | None) -> None:
        """Tell them where this process stands."""

    def waiting_call(self) -> int:
        """Return the number of the call in which this process waits for the others; 0 if none."""

    def blame(self, waited: float, where: str) -> str | None:
        """Return what to say of those that it waits for; None if it is another's turn to say so."""


class Watchdog(threading.Thread):
    """Looks at this process every now and then."""

    is_placewise = True  # it does not list itself

    def __init__(self, seconds: float, shows_all: bool) -> None:
        super().__init__(name="placewise watchdog", daemon=True)
        self.seconds, self.shows_all = seconds, shows_all
        self.peers: list[Peers] = []
        self._pulse = Pulse()
        self._ended = threading.Event()
        self._stall = _Stall()
        self._waits: dict[int, _Stall] = {}

    @property
    def interval(self) -> float:
        """Seconds between two looks."""
        return min(max(self.seconds / _LOOKS, _SHORTEST), _LONGEST)

    def run(self) -> None:
        """Look until it is ended."""
        before = time.monotonic()
        while not self._ended.wait(self.interval):
            now = time.monotonic()
            # Ctrl-Z, a debugger from outside, a laptop that slept: no time of the program's.
            self.look(min(now - before, 2 * self.interval))
            before = now

    def end(self) -> None:
        """Let it end; the fast paths are taken again."""
        self._ended.set()
        self._pulse.stop()

    def look(self, elapsed: float) -> None:
        """Look at the process once, `elapsed` seconds after the last time."""
        moved = self._pulse.has_moved()
        if moved and not self.peers:
            self._end(self._stall)
            return
        thread = suspect()
        position, excused = position_of(thread.frame), excuse(thread.frame)
        for peers in self.peers:
            peers.report(position.with_op(), excused)
        is_waiting = [self._wait_for(peers, position, elapsed) for peers in self.peers]
        if moved or excused or not position.is_in_program or any(is_waiting):
            self._end(self._stall, is_silent=not moved)
        elif self._stall.lasts(position, cpu_seconds(thread), elapsed, self.seconds):
            self._say_stall(thread, position)

    def _wait_for(self, peers: Peers, position: Position, elapsed: float) -> bool:
        """Say whom this process waits for, when it has lasted long enough."""
        wait = self._waits.setdefault(id(peers), _Stall())
        call = peers.waiting_call()
        if not call or wait.key != (call,):  # another call than at the last look: it moves
            self._end(wait)
            wait.key = (call,)
            return bool(call)
        wait.still += elapsed
        if wait.still >= self.seconds and not wait.said:
            text = peers.blame(wait.still, position.with_op())
            if text is not None:
                wait.said, wait.ends = True, "the wait is over"
                self.say(text)
        return True

    def _end(self, stall: _Stall, is_silent: bool = False) -> None:
        if stall.said and not is_silent:
            self.say(f"{stall.ends} after {stall.still:.0f} s")
        stall.still, stall.said, stall.key = 0.0, False, ()

    def _say_stall(self, thread: Suspect, position: Position) -> None:
        who = thread.who
        if not who and position.replica is not None:
            who = f"replica {position.replica}"
        names = [peers.who for peers in self.peers[:1]] + ([who] if who else [])
        name = ", ".join(names) or "the program"
        self._stall.ends = f"{name} goes on"
        text = f"{name} has stood still for {self._stall.still:.0f} s at {position.with_op()}"
        self.say("\n".join([text, *other_threads(thread.ident, self.shows_all)]))

    def say(self, text: str) -> None:
        """Write to standard error if the user asked to watch, else to the log."""
        if self.shows_all:
            sys.stderr.write(f"placewise watch: {text}\n")
            sys.stderr.flush()
        else:
            logging.getLogger("tensorflow").warning("%s", text)


@dataclass(slots=True)
class _Stall:
    """How long nothing has moved, and whether that was said."""

    still: float = 0.0
    said: bool = False
    ends: str = ""  # what is said when it is over
    cpu: float = 0.0
    key: tuple[object, ...] = ()

    def lasts(self, position: Position, cpu: float, elapsed: float, limit: float) -> bool:
        """Add the time since the last look; return True when it is time to say so.

        A thread that computes does not stand still, unless it has been in one op all the time.
        """
        has_moved = bool(self.key) and position.key != self.key
        has_plan_moved = has_moved and position.key[1:] != self.key[1:]
        is_busy = cpu - self.cpu > _BUSY * elapsed and (has_moved or not position.op)
        self.cpu, self.key = cpu, position.key
        if (has_plan_moved or is_busy) and not self.said:
            self.still = 0.0
        self.still += elapsed
        if self.said or self.still < limit:
            return False
        self.said = True
        return True


@dataclass(slots=True)
class Watching(State):
    """The watchdog of this process, if there is one."""

    dog: Watchdog | None = None

    def dispose(self) -> None:
        """End it."""
        if self.dog is not None:
            self.dog.end()
            self.dog = None


watching = runtime.state(Watching)
_lock = threading.Lock()


def start(seconds: float | None = None, shows_all: bool = False) -> Watchdog | None:
    """Return the watchdog of this process, started if need be; None if it is turned off."""
    with _lock:
        if watching.dog is None:
            limit = watch_seconds() if seconds is None else seconds
            if not limit:
                return None
            watching.dog = Watchdog(limit, shows_all)
            watching.dog.start()
        return watching.dog


def leave(peers: Peers) -> None:
    """Let the watchdog forget processes that this one no longer works with."""
    if watching.dog is not None and peers in watching.dog.peers:
        watching.dog.peers.remove(peers)
