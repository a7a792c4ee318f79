"""Who waits for a queue: enqueues, dequeues and closings, each served in its turn.

An attempt is tried under the queue's lock, as far as it can go, whenever anything changes; the
thread that made it sleeps until it is done.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from placewise.core.cancellation import waking
from placewise.core.errors import CancelledError, DeadlineExceededError, OpError
from placewise.core.scope import current

Element = tuple[Any, ...]


class Attempt:
    """One waiting call: what is left to do, and how it ended."""

    __slots__ = ("cancelled_text", "done", "problem", "step")

    def __init__(self, step: Callable[[], bool], cancelled_text: str) -> None:
        self.step = step  # goes as far as it can; True when nothing is left to do
        self.cancelled_text = cancelled_text
        self.done = False
        self.problem: OpError | None = None

    def fail(self, problem: OpError) -> None:
        """End the attempt with an error."""
        self.problem, self.done = problem, True


class Waiting:
    """The two lines before a queue: those who bring or close, and those who take."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.bringing: deque[Attempt] = deque()
        self.taking: deque[Attempt] = deque()

    def wait_for(self, line: deque[Attempt], attempt: Attempt, give_up: Callable[[], None]) -> None:
        """Stand in a line until the attempt is done; raise what it ended with.

        `give_up` puts back what was taken so far, when the wait ends without success.
        """
        deadline = current.deadline  # set by a session whose run may not last
        cancellation = current.cancellation
        with waking(cancellation, self.changed), self.changed:
            line.append(attempt)
            self.serve()
            try:
                while not attempt.done:
                    if cancellation is not None:
                        cancellation.check()
                    left = None if deadline is None else deadline - time.monotonic()
                    if left is not None and left <= 0:
                        raise DeadlineExceededError(
                            None, None, "Timed out waiting for notification"
                        )
                    self.changed.wait(left)
            finally:
                if not attempt.done:
                    line.remove(attempt)
                if not attempt.done or attempt.problem is not None:
                    give_up()
                    self.serve()
            if attempt.problem is not None:
                raise attempt.problem

    def serve(self) -> None:
        """Let the first of each line go as far as it can, until neither can go on."""
        moved = ended = True
        while moved:
            moved = False
            for line in (self.bringing, self.taking):
                while line and (line[0].done or line[0].step()):
                    line.popleft().done = moved = ended = True
        if ended:
            self.changed.notify_all()

    def cancel(self, *lines: deque[Attempt]) -> None:
        """End every attempt in some lines as cancelled."""
        for line in lines:
            while line:
                attempt = line.popleft()
                attempt.fail(CancelledError(None, None, attempt.cancelled_text))
        self.changed.notify_all()
