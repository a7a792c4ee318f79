"""`tf.train.Coordinator`: threads that stop together, and the first error among them."""

from __future__ import annotations

import contextlib
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
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._problem: BaseException | None = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    def _filtered(self, given: Any) -> BaseException | None:
        """Return the exception to keep: none for one that means a clean stop."""
        problem = given[1] if isinstance(given, tuple) else given
        if isinstance(problem, self._clean_stop_exception_types):
            return None
        if not isinstance(problem, BaseException):
            return ValueError(
                f"ex must be a tuple or sys.exc_info must return the current exception: {given!r}"
            )
        return problem

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; `ex`, an exception or `sys.exc_info()`, is raised by `join`.

        After `join` has returned, an exception is raised here.
        """
        with self._lock:
            problem = None if ex is None else self._filtered(ex)
            if self._joined:
                if problem is not None:
                    raise problem
                return
            if self._stop_event.is_set():
                return
            if problem is not None:
                _log.info("Error reported to Coordinator: %s, %s", type(problem), problem)
                self._problem = problem
            self._stop_event.set()

    def clear_stop(self) -> None:
        """Forget that a stop was asked for, and why."""
        with self._lock:
            self._joined = False
            self._problem = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Return True if a stop was asked for."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Ask for a stop if the block raises; the exception goes to `join`."""
        try:
            yield
        except:  # noqa: E722 - whatever ends a thread is to be told
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is asked for; return whether it was."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Add a thread that `join` waits for."""
        with self._lock:
            self._registered_threads.add(thread)

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
            waited = list(self._registered_threads | set(threads or ()))
        while any(thread.is_alive() for thread in waited) and not self.wait_for_stop(1.0):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            thread.join(max(0.0, deadline - time.monotonic()))
        late = [thread.name for thread in waited if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads.clear()
            if self._problem is not None:
                raise self._problem
            if late and not ignore_live_threads:
                raise RuntimeError(
                    f"Coordinator stopped with threads still running: {' '.join(late)}"
                )
            if late:
                _log.info("Coordinator stopped with threads still running: %s", " ".join(late))

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
    """A thread that calls a function again and again until its coordinator stops.

    Subclasses may override `start_loop`, `run_loop` and `stop_loop`.
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
        super().__init__()
        self.daemon = True
        self._coord, self._timer_interval_secs = coord, timer_interval_secs
        self._looped, self._arguments, self._options = target, args or (), kwargs or {}
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Any,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Return a started thread that calls `target` every `timer_interval_secs`."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Loop until the coordinator stops; an exception stops it."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                # Times are kept from the start, so that delays do not add up.
                next_time = time.monotonic()
                while not self._coord.wait_for_stop(max(0.0, next_time - time.monotonic())):
                    next_time += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called when the thread starts."""

    def stop_loop(self) -> None:
        """Called when the thread stops."""

    def run_loop(self) -> None:
        """Called each time around."""
        if self._looped:
            self._looped(*self._arguments, **self._options)
