"""slim.queues: queue runners that run in a `with` block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from placewise.graph.collections import GraphKeys, get_collection
from placewise.training.coordinator import Coordinator

_running = threading.Lock()
_GRACE_SECONDS = 120


class NestedQueueRunnerError(Exception):
    """Queue runners were started inside a block that runs them already."""


@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:  # noqa: N802 - TensorFlow's own name
    """Run the graph's queue runners for a block, and stop them after it."""
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    coordinator = Coordinator()
    with ExitStack() as at_end:
        at_end.callback(_running.release)
        at_end.callback(_stop, session, coordinator)
        for runner in get_collection(GraphKeys.QUEUE_RUNNERS):
            # The coordinator knows the threads that it is given to, and waits for them in `join`.
            runner.create_threads(session, coord=coordinator, daemon=True, start=True)
        yield


def _stop(session: Any, coordinator: Coordinator) -> None:
    """Stop the threads; a session whose threads hang is closed, which lets them end."""
    coordinator.request_stop()
    try:
        coordinator.join(stop_grace_period_secs=_GRACE_SECONDS)
    except RuntimeError:
        session.close()
