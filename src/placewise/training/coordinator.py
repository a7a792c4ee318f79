"""`tf.train.Coordinator`: threads that stop together, and the first error among them."""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from placewise.core.errors import OutOfRangeError

_log = logging.getLogger("tensorflow")


class Coordinator:
    """Lets any of several threads ask all of them to stop, and tells who failed.

    >>> coord = Coordinator()
    >>> coord.request_stop()
    >>> coord.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean_stops: tuple[Any, ...] = (
            (OutOfRangeError,)
            if clean_stop_exception_types is None
            else tuple(clean_stop_exception_types)
        )
        self._threads: set[threading.Thread] = set()
        self._stop = threading.Event()
        self._joined = False
        self._problem: BaseException | None = None
        self._lock = threading.Lock()  # guards all of the above but the event

    def _to_problem(self, ex: Any) -> BaseException | None:
        """Return the exception that `join` is to raise; None if it means a clean stop."""
        problem = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(problem, self._clean_stops):
            return None
        if not isinstance(problem, BaseException):
            return ValueError(
                f"ex must be a tuple or sys.exc_info must return the current exception: {ex!r}"
            )
        return problem

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; `ex`, an exception or `sys.exc_info()`, is raised by `join`.

        After `join` has returned, an exception is raised here.
        """
        with self._lock:
            problem = None if ex is None else self._to_problem(ex)
            if self._joined:
                if problem is not None:
                    raise problem
                return
            if self._stop.is_set():
                return
            if problem is not None:
                _log.info("Error reported to Coordinator: %s, %s", type(problem), problem)
                self._problem = problem
            self._stop.set()

    def clear_stop(self) -> None:
        """Forget that a stop was asked for, and why."""
        with self._lock:
            self._joined = False
            self._problem = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Return True if a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Ask for a stop if the block raises; the exception goes to `join`."""
        try:
            yield
        except:  # noqa: E722 - join raises whatever ended a thread
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is asked for; return whether it was."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Add a thread that `join` waits for."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Any = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until all threads have ended, then raise the first exception, if there was one.

        Threads that still run so many seconds after a stop was asked for are an error, unless
        `ignore_live_threads`.
        """
        with self._lock:
            expected = list(self._threads | set(threads or ()))
        # Threads have no common event for their end, so this looks once a second.
        while any(thread.is_alive() for thread in expected) and not self.wait_for_stop(1.0):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in expected:
            thread.join(max(0.0, deadline - time.monotonic()))
        late = " ".join(thread.name for thread in expected if thread.is_alive())
        with self._lock:
            self._joined = True
            self._threads.clear()
        self.raise_requested_exception()
        if late:
            message = f"Coordinator stopped with threads still running: {late}"
            if not ignore_live_threads:
                raise RuntimeError(message)
            _log.info(message)

    @property
    def joined(self) -> bool:
        """True once `join` has returned."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raise the exception a stop was asked for with, if there was one."""
        with self._lock:
            if self._problem is not None:
                raise self._problem


class LooperThread(threading.Thread):
    """A daemon thread that repeats a call until its coordinator is asked to stop.

    Pass the function to repeat, or override `run_loop`; `start_loop` and `stop_loop` run once each,
    at the two ends of the thread.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Any = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._turns = _turns(coord, timer_interval_secs)
        self._coord = coord
        self._call = functools.partial(target, *(args or ()), **(kwargs or {})) if target else None
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Any,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Return a started thread that calls `target` every `timer_interval_secs`.

        Without an interval, one call follows the other.
        """
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """Repeat `run_loop` until the stop; an exception in the thread asks for one."""
        with self._coord.stop_on_exception():
            self.start_loop()
            for _ in self._turns:
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Run once, before the first `run_loop`."""

    def stop_loop(self) -> None:
        """Run once, after the last `run_loop`; not after an exception."""

    def run_loop(self) -> None:
        """Run one turn: by default, call the function that the thread was made with."""
        if self._call is not None:
            self._call()


def _turns(coord: Coordinator, interval_secs: float | None) -> Iterator[int]:
    """Yield 0, 1, 2, ... each time a turn is due, until the coordinator is asked to stop."""
    started: float | None = None
    for turn in itertools.count():
        if interval_secs is None:
            wait = 0.0
        else:
            # Due times are multiples of the interval: a turn that is late does not delay the rest.
            started = time.monotonic() if started is None else started
            wait = max(0.0, started + turn * interval_secs - time.monotonic())
        if coord.should_stop() or (wait and coord.wait_for_stop(wait)):
            return
        yield turn
