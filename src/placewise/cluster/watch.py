"""Whether tasks still answer: a step must not wait for ever for one that was stopped.

A killed task ends its connections, which gRPC reports at once. A stopped one does not. So a thread
asks the tasks of steps that have lasted for a while to describe themselves; a task that does not
answer in time is named in the error of those steps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from placewise.cluster.channels import Peer
from placewise.cluster.settings import read_settings
from placewise.cluster.wire import WORKER, message
from placewise.core.errors import CancelledError, UnavailableError, hint
from placewise.core.runtime import State, runtime


class _Watched:
    """Tasks that somebody waits for, and what to call when one is silent."""

    def __init__(self, peers: list[Peer], fail: Callable[[Exception], object]) -> None:
        self.peers, self.fail = peers, fail
        self.since = time.monotonic()


_lock = threading.Lock()


@dataclass(slots=True)
class Watch(State):
    """Asks the tasks that are waited for; its thread lives while there are any."""

    watched: set[Any] = field(default_factory=set)
    thread: threading.Thread | None = None

    def add(self, watched: Any) -> None:
        """Watch the tasks of something with `peers`, `fail`, and `since`, 0 while nobody waits."""
        with _lock:
            self.watched.add(watched)
            if self.thread is None:
                self.thread = threading.Thread(
                    target=self._run, daemon=True, name="placewise-watch"
                )
                self.thread.start()

    def remove(self, watched: Any) -> None:
        """Watch it no more."""
        with _lock:
            self.watched.discard(watched)

    def _run(self) -> None:
        idle = 0
        while True:
            timeout = read_settings().timeout_seconds
            time.sleep(min(timeout / 4, 1.0))
            with _lock:
                idle = 0 if self.watched else idle + 1
                if idle > 60:
                    self.thread = None
                    return
                now = time.monotonic()
                waiting = [item for item in self.watched if 0 < item.since < now - timeout / 4]
            self._ask(waiting, timeout)

    def _ask(self, waiting: list[Any], timeout: float) -> None:
        peers = {peer.name: peer for item in waiting for peer in item.peers}
        asked = {
            name: peer.start(f"/{WORKER}/Describe", message("DescribeRequest")(), timeout / 2)
            for name, peer in peers.items()
        }
        for name, call in asked.items():
            try:
                problem = call.exception(timeout=timeout)
            except (grpc.FutureTimeoutError, grpc.FutureCancelledError):
                problem = None
            if problem is None or problem.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                continue  # it answers, or the steps themselves hear that it is gone
            for item in waiting:
                if name in [peer.name for peer in item.peers]:
                    item.fail(_silent(peers[name], timeout))


watch = runtime.state(Watch, lasting=True)


@contextmanager
def watching(peers: list[Peer], fail: Callable[[Exception], object]) -> Iterator[None]:
    """Call `fail` with an error when one of some tasks does not answer during the block."""
    watched = _Watched(peers, fail)
    watch.add(watched)
    try:
        yield
    finally:
        watch.remove(watched)


def call_watched(peer: Peer, path: str, request: Any) -> Any:
    """Return the reply to a request, however long that takes; raises if the task is silent."""
    return _finished(peer, peer.start(path, request))


def push_watched(
    peer: Peer, path: str, frames: Iterable[bytes], timeout: float | None = None
) -> Any:
    """Return the reply to a stream of frames; raises if the task is silent meanwhile."""
    return _finished(peer, peer.start_push(path, frames, timeout))


def _finished(peer: Peer, call: Any) -> Any:
    problems: list[Exception] = []

    def fail(problem: Exception) -> None:
        problems.append(problem)
        call.cancel()

    with watching([peer], fail):
        try:
            return peer.finish(call)
        except CancelledError:
            if problems:
                raise problems[0] from None
            raise
        except BaseException:  # the program was interrupted
            call.cancel()
            raise


def _silent(peer: Peer, timeout: float) -> Any:
    said = f"Task {peer.name} at {peer.address} does not answer for {timeout:g} s"
    advice = (
        "the process is stopped, or its machine is; PLACEWISE_CLUSTER_TIMEOUT sets how long to wait"
    )
    problem: Any = UnavailableError(None, None, hint(said, advice))
    problem.task = peer.name
    return problem
