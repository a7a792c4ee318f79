"""Whether ops are being written into a graph, and what control flow is there."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import current


def graph_flow() -> Any:
    """Return the table of control flow in graphs; None where ops run at once."""
    return current.interpreter.control_flow
