"""The workers of a coordinator: a thread for each takes steps and runs them there."""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any

from placewise.core import nest
from placewise.core.errors import (
    AbortedError,
    DeadlineExceededError,
    OpError,
    UnavailableError,
    hint,
)
from placewise.core.log import get_logger
from placewise.core.scope import current
from placewise.distribute.context import Place, entered
from placewise.distribute.coordinator.closures import Closure, ClosureQueue
from placewise.distribute.coordinator.datasets import PerWorkerIterator, as_worker, keep_number
from placewise.distribute.coordinator.tasks import describe, tasks_of
from placewise.distribute.coordinator.values import PerWorkerValues
from placewise.distribute.parameter_server import scheduled

_TAKE_SECONDS = 0.2
_PING_SECONDS = 2.0


class Worker:
    """A worker, the thread that serves it, and whether its process is the one it was."""

    def __init__(self, number: int, task: Any, queue: ClosureQueue, strategy: Any) -> None:
        self.number, self.task = number, task
        self._queue = queue
        self._strategy = weakref.ref(strategy)
        self.count = len(tasks_of("worker"))
        self.incarnation = describe(task, _PING_SECONDS)
        self._handle = keep_number(self)
        self._thread = threading.Thread(
            target=self._serve, name=f"placewise-{task.name}", daemon=True
        )
        self._thread.start()

    def _serve(self) -> None:
        while True:
            closure = self._queue.take(_TAKE_SECONDS)
            if closure is not None:
                self._run(closure)
            elif self._queue._is_closed or self._strategy() is None:
                return

    def _run(self, closure: Closure) -> None:
        try:
            value = self._called(closure)
        except (UnavailableError, AbortedError, DeadlineExceededError) as problem:
            self._lost(closure, problem)
        except BaseException as problem:
            self._queue.fail(closure, problem)
        else:
            self._queue.finish(closure, value)

    def _called(self, closure: Closure) -> Any:
        """Run a closure on the worker: its device is in force, its own values take their places."""
        args, kwargs = nest.map_structure(self._own, (closure.args, closure.kwargs))
        request = self.task.default.name
        strategy = self._strategy()
        before = (current.request, current.task_request, current.fast, current.cancellation)
        current.request, current.task_request, current.fast = request, request, None
        current.cancellation = closure.cancellation
        scheduled.is_running = True
        try:
            with as_worker(self.number, self.count, self._handle), entered(Place(strategy, None)):
                return closure.function(*args, **kwargs)
        finally:
            scheduled.is_running = False
            current.request, current.task_request, current.fast, current.cancellation = before

    def _own(self, value: Any) -> Any:
        if isinstance(value, PerWorkerIterator):
            return value._of(self)
        if isinstance(value, PerWorkerValues):
            return value._of(self.number)
        return value

    # Failures.

    def _lost(self, closure: Closure, problem: OpError) -> None:
        """Give a closure to another worker if this one is gone; else raise it in the program."""
        gone = self._missing_server(getattr(problem, "task", None))
        if gone is not None:
            said = hint(f"{gone.name} at {gone.address} is gone: {problem.message}", _RESTART)
            self._queue.fail(closure, UnavailableError(None, None, said))
            return
        if self._is_there() and not _is_of(problem, self.task.name):
            self._queue.fail(closure, problem)
            return
        get_logger().warning(
            "Worker %s at %s was lost; its step runs elsewhere", self.task.name, self.task.address
        )
        self._queue.put_back(closure)
        self._wait_until_back()

    def _missing_server(self, named: str | None) -> Any:
        """Return a parameter server that does not answer, `named` by the error or not."""
        for server in tasks_of("ps"):
            if server.name == named:
                return server
            try:
                describe(server, _PING_SECONDS)
            except OpError:
                return server
        return None

    def _is_there(self) -> bool:
        """Return whether the process of the worker is the one it was."""
        try:
            return describe(self.task, _PING_SECONDS) == self.incarnation
        except OpError:
            return False

    def _wait_until_back(self) -> None:
        while not self._queue._is_closed and self._strategy() is not None:
            try:
                incarnation = describe(self.task, _PING_SECONDS)
            except OpError:
                time.sleep(_TAKE_SECONDS)
                continue
            self.task.reset()
            try:
                keep_number(self)
            except OpError:
                continue
            if incarnation != self.incarnation:
                get_logger().info("Worker %s is back", self.task.name)
            self.incarnation = incarnation
            return


_RESTART = "start the cluster again, and restore the last checkpoint: its variables are lost"


def _is_of(problem: Any, task: str) -> bool:
    return getattr(problem, "task", None) == task
