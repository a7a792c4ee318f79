"""The threads of a server: made when needed, reused, and no reason for a process to stay alive.

Python's own pool waits for its threads when the process ends. A step may wait in a queue for ever,
and a program that ends does not wait for the steps of others.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any

_IDLE_SECONDS = 30.0


class Threads(futures.Executor):
    """Runs functions in daemon threads, at most `limit` at a time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = self._count = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Run a function in a thread; return its future."""
        future: futures.Future[Any] = futures.Future()
        with self._lock:
            if self._idle:
                self._idle -= 1
                is_new = False
            else:
                is_new = self._count < self._limit
                self._count += is_new
            self._waiting.put((future, fn, args, kwargs))
        if is_new:
            threading.Thread(target=self._work, daemon=True, name="placewise-task").start()
        return future

    def _work(self) -> None:
        while True:
            try:
                item = self._waiting.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle:  # else an item was promised to this thread
                        self._idle -= 1
                        self._count -= 1
                        return
                continue
            _run(*item)
            del item
            with self._lock:
                self._idle += 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Do nothing: threads end when there is nothing to do."""
        del wait, cancel_futures


def _run(future: futures.Future[Any], function: Any, args: Any, kwargs: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = function(*args, **kwargs)
    except BaseException as problem:
        future.set_exception(problem)
    else:
        future.set_result(result)
