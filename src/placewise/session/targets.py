"""What a session's target means: this process, or the task of a cluster."""

from __future__ import annotations

import importlib
from typing import Any


def connect(target: Any, graph: Any, config: Any) -> Any:
    """Return the session's side of the cluster that a target names; None for this process.

    The cluster is a layer above, and loads gRPC: it is imported when a target asks for it.
    """
    text = _text(target)
    if not text or text == "local":
        return None
    return importlib.import_module("placewise.cluster.sessions").connect(text, graph, config)


def reset_cluster(target: Any, containers: list[str]) -> None:
    """Drop the state in containers of all tasks of a cluster."""
    importlib.import_module("placewise.cluster.sessions").reset(_text(target), containers)


def _text(target: Any) -> str:
    text = target.decode() if isinstance(target, bytes) else target
    if not isinstance(text, str):
        raise TypeError(f"`target` must be a string, but got {type(target)}")
    return text
