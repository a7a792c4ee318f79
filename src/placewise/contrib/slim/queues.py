"""slim.queues: queue runners that run in a `with` block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.graph.collections import GraphKeys, get_collection
from placewise.training.coordinator import Coordinator

_running = threading.Lock()


class NestedQueueRunnerError(Exception):
    """Queue runners were started inside a block that runs them already."""


@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:  # noqa: N802 - TensorFlow's own name
    """Run the graph's queue runners for a block, and stop them after it."""
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    coordinator, threads = Coordinator(), []
    try:
        for runner in get_collection(GraphKeys.QUEUE_RUNNERS):
            threads.extend(
                runner.create_threads(session, coord=coordinator, daemon=True, start=True)
            )
        yield
    finally:
        coordinator.request_stop()
        try:
            coordinator.join(threads, stop_grace_period_secs=120)
        except RuntimeError:
            session.close()
        _running.release()
