"""Whether ops are being written into a graph, and what control flow is there."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import Scope, current


def graph_flow() -> Any:
    """Return the table of control flow in graphs; None where ops run at once."""
    interpreter = current.interpreter
    if interpreter is Scope.eager or not hasattr(interpreter, "graph"):
        return None
    return current.interpreter.flow  # type: ignore[attr-defined]  # asking for the graph loaded it
