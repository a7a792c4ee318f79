"""The joined tasks of a cluster, without gRPC for programs that have none."""

from __future__ import annotations

import importlib
from typing import Any


def _connection() -> Any:
    return importlib.import_module("placewise.remote.connection")


def tasks_of(job: str) -> list[Any]:
    """Return the joined tasks of a job, by number."""
    return list(_connection().tasks_of(job))


def describe(task: Any, seconds: float) -> int:
    """Ask a task for its devices, waiting until it is there; return its incarnation."""
    return int(_connection().describe(task, seconds))
