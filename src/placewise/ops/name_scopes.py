"""Where a function made of several ops puts them: in a scope of its name, in graphs."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from placewise.core.scope import current, era


def in_scope(name: str | None, default: str) -> Any:
    """Return a context for a function's ops, which gives its result's name: a scope in graphs."""
    graph = current.interpreter.graph
    return nullcontext(name) if graph is None else graph.name_scope(name or default)


def is_tf1_graph() -> bool:
    """Return True where ops are written into a graph of TensorFlow 1."""
    interpreter = current.interpreter
    return era.is_tf1 and interpreter.graph is not None and not interpreter.is_function
