"""Steps that wait for a worker, and the queue they wait in."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from placewise.core.cancellation import Cancellation
from placewise.core.errors import CancelledError
from placewise.distribute.coordinator.values import RemoteValueImpl


class Closure:
    """A function with its arguments, and where its result goes."""

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.result = RemoteValueImpl()
        self.cancellation = Cancellation()  # ends it while a worker runs it

    def cancel(self) -> None:
        """Let the closure not run, or not to its end: another one failed."""
        problem = CancelledError(None, None, "The step was cancelled: another one failed.")
        self.cancellation.cancel(problem)
        self.result.cancel(problem)


class ClosureQueue:
    """Closures in order. One that failed for a worker's sake goes back to the front.

    After an error no closure begins until the program has got the error; those that run are
    cancelled.
    """

    def __init__(self, most: int) -> None:
        self._waiting: deque[Closure] = deque()
        self._running: set[Closure] = set()
        self._most = most
        self._error: BaseException | None = None
        self._is_closed = False
        self._changed = threading.Condition()

    def put(self, closure: Closure) -> None:
        """Add a closure; waits while very many do, raises the error of an earlier one."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) < self._most or self._error)
            self._raise()
            self._waiting.append(closure)
            self._changed.notify_all()

    def take(self, seconds: float) -> Closure | None:
        """Return the next closure; None if there is none for so long."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed, seconds)
            if self._is_closed or self._error or not self._waiting:
                return None
            closure = self._waiting.popleft()
            self._running.add(closure)
            self._changed.notify_all()
            return closure

    def put_back(self, closure: Closure) -> None:
        """Let another worker run a closure whose worker was lost."""
        with self._changed:
            self._running.discard(closure)
            if self._error is None:
                self._waiting.appendleft(closure)
            else:
                closure.cancel()
            self._changed.notify_all()

    def finish(self, closure: Closure, value: Any) -> None:
        """Note the result of a closure."""
        closure.result.set(value)
        with self._changed:
            self._running.discard(closure)
            self._changed.notify_all()

    def fail(self, closure: Closure | None, error: BaseException) -> None:
        """Note an error, which the program gets; what waits and what runs is cancelled."""
        others: list[Closure] = []
        if closure is not None:
            closure.result.cancel(error)
        with self._changed:
            if closure is not None:
                self._running.discard(closure)
            # The end of a closure that was cancelled is no error. Steps that the program scheduled
            # after it got the error that cancelled it go on.
            if closure is None or closure.cancellation.problem is None:
                self._error = self._error or error
                others = [*self._waiting, *self._running]
                self._waiting.clear()
            self._changed.notify_all()
        for other in others:
            other.cancel()

    def join(self) -> None:
        """Wait until all have run; raise the error of the first that failed."""
        with self._changed:
            # In slices, so that Ctrl-C is heard.
            while not self._is_done() and self._error is None:
                self._changed.wait(0.2)
            while self._running and self._error is not None:
                self._changed.wait(0.2)
            self._raise()

    def done(self) -> bool:
        """Return whether all have run; raise the error of one that failed."""
        with self._changed:
            self._raise()
            return self._is_done()

    def close(self) -> None:
        """Let workers take no more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _is_done(self) -> bool:
        return not self._waiting and not self._running

    def _raise(self) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            raise error
